"""From a name in a configuration to a language model.

    None, off              no language model: the rules and small models that come along decide
    openai:MODEL           an OpenAI-compatible service
    anthropic:MODEL        Anthropic's
    NAME, NAME:ARGUMENT    an installed package's, by its entry point in `perdure.language_models`

An entry point names a callable that makes a `LanguageModel`. It is called without arguments, or
with what follows the first colon as its only one. It cannot take the place of a name above.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perdure.errors import Misconfigured
from perdure.ports.language_model import LanguageModel

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "perdure.language_models"
BUILT_IN = ("off", "openai", "anthropic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """How to reach a service: its key, and its address when it is not the default one."""

    api_key: str | None = None
    base_url: str | None = None


def resolve_language_model(
    specification: str | LanguageModel | None, *, accounts: Mapping[str, Account]
) -> LanguageModel | None:
    """The model a specification names; None for `off`. A model is handed through.

    `accounts` are those of `openai` and `anthropic`. Nothing is asked over the network. Raises
    `Misconfigured` for a name nobody offers, listing those that exist.
    """
    if specification is None:
        return None
    if not isinstance(specification, str):
        return _checked(specification, type(specification).__name__)
    name, colon, argument = specification.strip().partition(":")
    if colon and not argument:
        raise Misconfigured(f"the language model {specification!r} has nothing after its colon")
    account = accounts.get(name, Account())
    match name:
        case "off" if not argument:
            return None
        case "openai":
            return _openai(argument, account)
        case "anthropic":
            return _anthropic(argument, account)
        case _:
            return _third_party(name, argument)


def available() -> list[str]:
    """Every name `resolve_language_model` knows, built in first."""
    return [*BUILT_IN, *sorted(set(_entry_points()) - set(BUILT_IN))]


def _openai(model: str, account: Account) -> LanguageModel:
    from perdure.language_models.openai import OpenAILanguageModel  # needs the optional SDK

    _require_model("openai", model)
    return OpenAILanguageModel(model, api_key=account.api_key, base_url=account.base_url)


def _anthropic(model: str, account: Account) -> LanguageModel:
    from perdure.language_models.anthropic import AnthropicLanguageModel  # needs the optional SDK

    _require_model("anthropic", model)
    return AnthropicLanguageModel(model, api_key=account.api_key, base_url=account.base_url)


def _require_model(service: str, model: str) -> None:
    if not model:
        raise Misconfigured(f"which model of {service}? Write {service}:MODEL")


def _entry_points() -> Mapping[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    return {point.name: point for point in entry_points(group=GROUP)}


def _third_party(name: str, argument: str) -> LanguageModel:
    point = _entry_points().get(name)
    if point is None:
        raise Misconfigured(
            f"there is no language model {name!r}; there are: {', '.join(available())}"
        )
    try:
        make = point.load()
        made = make(argument) if argument else make()
    except Exception as error:  # foreign code: whatever it raises, the deployment is wrong
        raise Misconfigured(
            f"the language model {name!r} ({point.value}) cannot be made: {type(error).__name__}"
        ) from error
    return _checked(made, point.value)


def _checked(candidate: object, origin: str) -> LanguageModel:
    if not isinstance(candidate, LanguageModel):
        raise Misconfigured(f"{origin} is no language model: it needs `async complete`")
    return candidate
