"""Reading what a call asks about: times, windows, kinds, limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import cast

from perdure.domain.filters import parse_filter
from perdure.domain.query import Condition
from perdure.domain.records import Kind
from perdure.domain.retrospection import asks_about_past
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.domain.times import as_utc
from perdure.domain.visibility import INCLUDES, Include, View
from perdure.engine.drafts import Moment, flag, kind_named
from perdure.errors import InvalidInput

Between = tuple[Moment | None, Moment | None]
_LARGEST_LIMIT = 2**31 - 1


def limit_of(limit: object, default: int, name: str = "limit") -> int:
    """A limit of at least 1; the default when None. A larger one than any store holds is no limit."""
    if limit is None:
        return default
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise InvalidInput(f"{name} must be a whole number, not {shown(limit)}")
    if limit < 1:
        raise InvalidInput(f"{name} must be at least 1, not {shown(limit)}")
    return min(limit, _LARGEST_LIMIT)


def min_score_of(min_score: object) -> float | None:
    """A threshold in [0, 1], or None."""
    if min_score is None:
        return None
    if isinstance(min_score, bool) or not isinstance(min_score, int | float):
        raise InvalidInput(f"min_score must be a number from 0 to 1, not {shown(min_score)}")
    if not 0 <= min_score <= 1:
        raise InvalidInput(f"min_score must lie between 0 and 1, not {shown(min_score)}")
    return float(min_score)


def kinds_of(kinds: Kind | str | Iterable[Kind | str] | None) -> frozenset[Kind] | None:
    """The kinds asked for; None for all."""
    if kinds is None:
        return None
    chosen = frozenset(kind_named(kind) for kind in _names(kinds, "kinds"))
    if not chosen:
        raise InvalidInput("kinds is empty, so nothing could be found; leave it out for all kinds")
    return chosen


def _names(given: object, name: str) -> list[object]:
    """What a parameter names that takes one name or several."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Iterable):
        return list(given)
    raise InvalidInput(f"{name} takes a name or several, not {shown(given)}")


def include_of(include: str | Iterable[str]) -> frozenset[Include]:
    """What a read shows beyond what is current."""
    asked = _names(include, "include")
    unknown = [name for name in asked if not isinstance(name, str) or name not in INCLUDES]
    if unknown:
        raise InvalidInput(f"include knows {', '.join(sorted(INCLUDES))}, not {shown(unknown[0])}")
    return cast("frozenset[Include]", frozenset(asked))


def between_of(between: Between | None) -> tuple[datetime | None, datetime | None]:
    """A window on `occurred_at`: from start up to but not including end, either None for open.

    An end that is a date without a time includes that day. Words such as "last week" are refused
    rather than read as no window.
    """
    if between is None:
        return (None, None)
    if isinstance(between, str) or not isinstance(between, tuple | list) or len(between) != 2:
        raise InvalidInput(
            "between takes a pair (start, end) of times, either of them None for open"
        )
    start, end = (
        None if item is None else as_utc(item, name=f"between {name}")
        for item, name in zip(between, ("start", "end"), strict=True)
    )
    if end is not None and _is_date(between[1]):
        end += timedelta(days=1)
    if start is not None and end is not None and start >= end:
        raise InvalidInput(
            f"between: the start {start.isoformat()} must lie before the end {end.isoformat()}"
        )
    return (start, end)


def _is_date(value: object) -> bool:
    if isinstance(value, str):
        try:
            date.fromisoformat(value.strip())
        except ValueError:
            return False
        return True
    return isinstance(value, date) and not isinstance(value, datetime)


def view_of(
    scope: Scope,
    now: datetime,
    *,
    as_of: Moment | None = None,
    known_as_of: Moment | None = None,
    include: str | Iterable[str] = (),
    everything: bool = False,
) -> View:
    """From where a call looks."""
    return View(
        scope=scope,
        now=now,
        as_of=None if as_of is None else as_utc(as_of, name="as_of"),
        known_as_of=None if known_as_of is None else as_utc(known_as_of, name="known_as_of"),
        include=include_of(include),
        everything=flag(everything, "everything"),
    )


def looking_back(view: View, question: str | None) -> View:
    """The view for a question in words: one about the past, without a time of its own, shows what
    held once as well."""
    if question is None or view.as_of is not None or not asks_about_past(question, view.now):
        return view
    return replace(view, include=view.include | {"former"})


def condition_of(
    view: View,
    *,
    kinds: Kind | str | Iterable[Kind | str] | None = None,
    filters: object = None,
    between: Between | None = None,
) -> Condition:
    """Which memories a call is about."""
    return Condition(
        view=view,
        filter=parse_filter(filters),
        kinds=kinds_of(kinds),
        between=between_of(between),
    )
