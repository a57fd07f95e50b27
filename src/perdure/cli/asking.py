"""Options that say which memories a question is about."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from perdure.cli.values import json_object
from perdure.domain.records import Kind
from perdure.domain.visibility import INCLUDES

_KINDS = click.Choice([kind.value for kind in Kind])
_INCLUDES = click.Choice(sorted(INCLUDES))


def narrowing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --kind, --filter, --since and --until, collected in its argument `which`."""

    @click.option("--kind", multiple=True, type=_KINDS, help="Only this kind; repeatable.")
    @click.option(
        "--filter",
        "filters",
        type=json_object,
        metavar="JSON",
        help='Metadata or attributes: \'{"topic": "chess", "memory.importance": {"gte": 0.7}}\'.',
    )
    @click.option("--since", metavar="TIME", help="It happened at this time or later.")
    @click.option("--until", metavar="TIME", help="It happened before this time (or on this day).")
    @wraps(command)
    def collected(
        *args: Any,
        kind: tuple[str, ...],
        filters: dict[str, Any] | None,
        since: str | None,
        until: str | None,
        **rest: Any,
    ) -> Any:
        which = {
            "kinds": kind or None,
            "filters": filters,
            "between": (since, until) if since or until else None,
        }
        return command(*args, which=which, **rest)

    return collected


def looking_back(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --as-of, --known-as-of and --include to the argument `which`."""

    @click.option("--as-of", metavar="TIME", help="What was true then.")
    @click.option("--known-as-of", metavar="TIME", help="What was believed then.")
    @click.option(
        "--include", multiple=True, type=_INCLUDES, help="Show these as well; repeatable."
    )
    @wraps(command)
    def collected(
        *args: Any,
        which: dict[str, Any],
        as_of: str | None,
        known_as_of: str | None,
        include: tuple[str, ...],
        **rest: Any,
    ) -> Any:
        which = {**which, "as_of": as_of, "known_as_of": known_as_of, "include": include}
        return command(*args, which=which, **rest)

    return narrowing(collected)
