"""Write docs/reference from the code: command line, interface, settings, errors, filters.

    python scripts/build_reference.py            writes the pages
    python scripts/build_reference.py --check    fails when a page is not up to date

A page that could be wrong because somebody forgot it is not written by hand.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType

import click

import perdure
from perdure import context, errors, graph, importers, working
from perdure.cli.exits import MEANING
from perdure.cli.program import program
from perdure.config import Settings
from perdure.domain import filters

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
MADE = "<!-- Made by scripts/build_reference.py from the code. Do not edit. -->\n\n"
WIDTH = 90


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, and compare")
    stale = []
    checking = parser.parse_args().check
    for name, make in PAGES.items():
        path = REFERENCE / name
        text = MADE + make().rstrip() + "\n"
        if checking:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        sys.exit(f"not up to date: {', '.join(stale)}; run python scripts/build_reference.py")


def paragraphs(documentation: str | None) -> str:
    """A docstring as Markdown: indented parts as literal text."""
    text = inspect.cleandoc(documentation or "")
    made: list[str] = []
    for part in re.split(r"\n\n+", text):
        lines = part.split("\n")
        if all(line.startswith("    ") for line in lines):
            made.append(literal(textwrap.dedent(part)))
        else:
            made.append(part)
    return "\n\n".join(made)


def literal(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"


# --- command line ----------------------------------------------------------------------------------


def command_line() -> str:
    sections = [
        "# Command line\n\nWhat `perdure --help` and the help of each command say. "
        "`python -m perdure.cli` is the same program.",
        "## perdure\n\n" + literal(help_of(program, "perdure")),
    ]
    for names in program.topics.values():
        for name in names:
            shown = help_of(program.commands[name], f"perdure {name}")
            own, _, shared = shown.partition("Shared options:\n")
            # The shared options are told once, above.
            rest = shared.partition("\n\n")[2]
            text = "\n\n".join(filter(None, (own.rstrip(), rest)))
            sections.append(f"## perdure {name}\n\n{literal(text)}")
    return "\n\n".join(sections)


def help_of(command: click.Command, name: str) -> str:
    context = click.Context(
        command, info_name=name, terminal_width=WIDTH, help_option_names=["--help", "-h"]
    )
    return command.get_help(context)


def exit_statuses() -> str:
    rows = "\n".join(
        f"| {status.value} | {meaning.replace('|', '/')} |" for status, meaning in MEANING.items()
    )
    return (
        "# Exit statuses\n\nHow `perdure` ends. An error has the status of its kind, whatever the "
        f"command.\n\n| Status | Meaning |\n|---|---|\n{rows}\n\n"
        "With `--json` an error is one line on stderr, and stdout stays empty:\n\n"
        '```json\n{"error": "NotFound", "message": "no memory 42 is visible in this scope"}\n```'
    )


# --- Python ----------------------------------------------------------------------------------------


def interface() -> str:
    sections = [
        "# Python interface\n\nEverything that `import perdure` offers. What is not listed here is "
        "not promised. Errors are on [a page of their own](errors.md), so are "
        "[settings](settings.md) and [filters](filters.md).",
        "## Opening\n\n" + described(perdure, "open") + "\n\n" + described(perdure, "open_async"),
        "## The manager\n\n"
        + methods_of(
            perdure.AsyncMemoryManager,
            perdure.MemoryManager,
            made="`MemoryManager`, made by `open`, and `AsyncMemoryManager`, made by `await open_async`, "
            "have the same calls; those of the second are awaited, except `scoped`, `context` and "
            "`working`.",
        ),
        "## A conversation\n\n"
        + methods_of(
            context.AsyncContext,
            context.Context,
            made="What `memory.context(session)` gives: `Context`, or `AsyncContext`, whose calls "
            "are awaited.",
        ),
        "## A task\n\n"
        + methods_of(
            working.AsyncWorking,
            working.Working,
            made="What `memory.working(task)` gives: `Working`, or `AsyncWorking`, whose calls are "
            "awaited.",
        ),
        "## The graph\n\n"
        + methods_of(
            graph.AsyncGraph,
            graph.Graph,
            made="What `memory.graph` is: `Graph`, or `AsyncGraph`, whose calls are awaited.",
        ),
    ]
    rest = [
        name
        for name in perdure.__all__
        if name not in ("open", "open_async", "AsyncMemoryManager", "MemoryManager", "Settings")
        and not (
            isinstance(getattr(perdure, name), type)
            and issubclass(getattr(perdure, name), BaseException)
        )
    ]
    sections.append(
        "## Values\n\n" + "\n\n".join(described(perdure, name) for name in sorted(rest))
    )
    sections.append(
        "## perdure.importers\n\n"
        + "\n\n".join(described(importers, name) for name in sorted(importers.__all__))
    )
    return "\n\n".join(sections)


def described(module: ModuleType, name: str) -> str:
    """One public name of a module."""
    value = getattr(module, name)
    full = f"{module.__name__}.{name}"
    if inspect.isfunction(value):
        return f"### {name}\n\n{literal(signature(full, value))}\n\n{paragraphs(value.__doc__)}"
    if not isinstance(value, type):
        return f"### {name}\n\n{literal(f'{full} = {shortened(repr(value))}')}"
    parts = [f"### {name}", paragraphs(own_documentation(value))]
    if dataclasses.is_dataclass(value):
        parts.append(fields_of(value))
    elif issubclass(value, Enum):
        parts.append("One of " + ", ".join(f"`{member.value}`" for member in value) + ".")
    elif getattr(value, "_is_protocol", False):
        parts.append(protocol_of(value))
    return "\n\n".join(part for part in parts if part)


def own_documentation(value: type) -> str | None:
    """The docstring, unless it is the signature that a dataclass makes for want of one."""
    text = value.__dict__.get("__doc__")
    return None if text is None or text.startswith(f"{value.__name__}(") else text


def shortened(text: str) -> str:
    return textwrap.shorten(text, 200, placeholder=" …)")


def fields_of(value: type) -> str:
    rows = []
    for field in dataclasses.fields(value):
        kind = str(field.type).replace("|", "\\|")
        rows.append(f"| `{field.name}` | `{kind}` | {default_of(field)} |")
    return "| Field | Type | Default |\n|---|---|---|\n" + "\n".join(rows)


def default_of(field: dataclasses.Field[object]) -> str:
    if field.default is not dataclasses.MISSING:
        default = field.default
        shown = default.value if hasattr(default, "value") else default
        return f"`{shortened(repr(shown))}`".replace("|", "\\|")
    return "" if field.default_factory is dataclasses.MISSING else "empty"


def protocol_of(value: type) -> str:
    parts = []
    for name, member in vars(value).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            parts.append(f"**`{name}`** {paragraphs(member.__doc__)}")
        elif inspect.isfunction(member):
            parts.append(f"{literal(signature(name, member))}\n\n{paragraphs(member.__doc__)}")
    return "\n\n".join(parts)


def methods_of(asynchronous: type, blocking: type, *, made: str) -> str:
    """The calls of both clients: they are the same."""
    parts = [
        made,
        paragraphs(asynchronous.__doc__),
    ]
    members = {name: member for part in asynchronous.__mro__ for name, member in vars(part).items()}
    for name, member in members.items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            parts.append(f"### {name}\n\n{paragraphs(member.__doc__)}")
            continue
        same = inspect.unwrap(getattr(blocking, name))
        parts.append(
            f"### {name}\n\n{literal(signature(name, same, of_class=True))}\n\n"
            f"{paragraphs(inspect.unwrap(member).__doc__)}"
        )
    return "\n\n".join(parts)


def signature(name: str, function: Callable[..., object], *, of_class: bool = False) -> str:
    """A signature, broken into lines of readable length."""
    found = inspect.signature(function)
    parameters = [
        parameter
        for position, parameter in enumerate(found.parameters.values())
        if not (position == 0 and parameter.name == "self")
    ]
    result = found.return_annotation
    arrow = "" if result is inspect.Signature.empty else f" -> {result}"
    flat = f"{name}({', '.join(pieces(parameters))}){arrow}"
    if len(flat) <= WIDTH:
        return flat
    lines = "\n".join(f"    {piece}," for piece in pieces(parameters))
    return f"{name}(\n{lines}\n){arrow}"


def pieces(parameters: list[inspect.Parameter]) -> Iterator[str]:
    starred = False
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        piece = parameter.name
        if parameter.annotation is not inspect.Parameter.empty:
            piece += f": {parameter.annotation}"
        if parameter.default is not inspect.Parameter.empty:
            piece += f" = {getattr(parameter.default, 'name', repr(parameter.default))}"
        yield piece


# --- settings, errors, filters ---------------------------------------------------------------------


def settings() -> str:
    rows = {field.name: default_of(field).strip("`") for field in dataclasses.fields(Settings)}
    text = inspect.cleandoc(Settings.__doc__ or "")
    opening, *groups = re.split(r"\n\n(?=[A-Z][\w ()]*:\n)", text)
    parts = [
        "# Settings\n\n```python\nimport perdure\n\nsettings = perdure.Settings(retrieval_limit=5)\n"
        'memory = perdure.open("memory.db", settings=settings)\nmemory.close()\n```',
        opening,
    ]
    for group in groups:
        title, _, body = group.partition(":\n")
        entries = re.findall(r"^    (\w+): (.*(?:\n {8,}.*)*)", body, re.MULTILINE)
        lines = [
            f"| `{name}` | `{rows.pop(name)}` | {' '.join(meaning.split())} |"
            for name, meaning in entries
        ]
        parts.append(f"## {title}\n\n| Setting | Default | |\n|---|---|---|\n" + "\n".join(lines))
    assert not rows, f"settings without a description: {', '.join(rows)}"
    parts.append(
        "## Environment\n\nRead when a memory is opened, and by nothing else.\n\n"
        "| Variable | |\n|---|---|\n"
        "| `PERDURE_URL` | The store of `perdure.open()` and of the command line when none is named. |\n"
        "| `PERDURE_EMBEDDER` | The embedder when none is named: `local`, `hashing`, `openai:MODEL`, "
        "`off`, or an installed plug-in's. |\n"
        "| `PERDURE_LANGUAGE_MODEL` | The language model when none is named: `openai:MODEL`, "
        "`anthropic:MODEL`, `off`, or an installed plug-in's. |\n"
        "| `OPENAI_API_KEY`, `OPENAI_BASE_URL` | Key and address of the service behind `openai:…`. |\n"
        "| `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` | The same for `anthropic:…`. |"
    )
    return "\n\n".join(parts)


def error_page() -> str:
    tree = re.search(r"^    PerdureError\n(?:    .*\n)+", errors.__doc__ or "", re.MULTILINE)
    assert tree is not None
    rows = [
        f"| `{name}` | {' '.join(paragraphs(getattr(perdure, name).__doc__).split())} |"
        for name in perdure.__all__
        if isinstance(getattr(perdure, name), type)
        and issubclass(getattr(perdure, name), errors.PerdureError)
    ]
    return (
        "# Errors\n\nEvery error raised on purpose, as one tree. Catch by what you can do: retry, "
        "resolve, mend the call, or mend the deployment.\n\n"
        + literal(textwrap.dedent(tree.group()))
        + "\n\nA refused call changes nothing. Messages name the thing, the value and the remedy; "
        "they never carry memory contents or secrets.\n\n| Error | |\n|---|---|\n"
        + "\n".join(rows)
        + "\n\n`InvalidInput` is a `ValueError` and `NotFound` a `LookupError` as well."
    )


def filter_page() -> str:
    text = inspect.cleandoc(filters.__doc__ or "").partition("\n\n")[2]
    by_type: dict[str, list[str]] = {}
    for name, (kind, _) in filters.ATTRIBUTES.items():
        by_type.setdefault(kind, []).append(f"`memory.{name}`")
    rows = "\n".join(f"| {kind} | {', '.join(names)} |" for kind, names in by_type.items())
    operators = ", ".join(f"`{operator.value}`" for operator in filters.Operator)
    return (
        "# Filters\n\n`recall`, `recall_context`, `list`, `count` and `forget_all` take `filters`. "
        "[How to use them](../how-to/filters-and-time-travel.md) has examples.\n\n"
        f"{paragraphs(text)}\n\n## Operators\n\n{operators}. An unknown one raises "
        "`UnsupportedFilter`; a part of a filter is never dropped.\n\n"
        f"## Attributes\n\nOne that is None counts as missing.\n\n| Type | |\n|---|---|\n{rows}"
    )


PAGES: dict[str, Callable[[], str]] = {
    "command-line.md": command_line,
    "exit-statuses.md": exit_statuses,
    "interface.md": interface,
    "settings.md": settings,
    "errors.md": error_page,
    "filters.md": filter_page,
}

if __name__ == "__main__":
    main()
