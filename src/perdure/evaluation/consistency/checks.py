"""Whether a check passes, decided from what came back. Pure: no memory is asked here."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from perdure.domain.readings import USER
from perdure.evaluation.consistency.scenarios import (
    AbsentCheck,
    AsOfCheck,
    AttributedCheck,
    ConflictCheck,
    CurrentCheck,
    LiveFactsCheck,
    TimeCheck,
)

DATED_HITS = 3
"""An episode may carry the time of speaking beside a fact that carries the time of the event."""
ATTRIBUTED_HITS = 5
WIDEST = 4
"""A time of the event may be so many times as wide as the interval asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One hit as the checks see it.

    `is_marked`: the memory says that it no longer holds. `times` are those of the event: what it
    occupied, and its validity, an open one as the instant it begins. `disputes` are the ids of
    memories it is said to contradict. A hit with a `subject` is a fact; any other is verbatim,
    and `is_counted` tells whether its turn was a user's on which something was decided.
    """

    id: str
    text: str
    is_marked: bool = False
    is_contested: bool = False
    disputes: frozenset[str] = frozenset()
    subject: str | None = None
    object: str | None = None
    polarity: str | None = None
    times: tuple[tuple[datetime, datetime], ...] = ()
    is_counted: bool = True

    @property
    def is_fact(self) -> bool:
        """Whether it exposes a subject."""
        return self.subject is not None


def normal(text: str) -> str:
    """Text as it is compared: NFKC, case folded, without white space."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def contains(text: str | None, string: str) -> bool:
    """Whether the text holds the string, both normalised."""
    return text is not None and normal(string) in normal(text)


def decision_passes(decided: Collection[str], expect: Collection[str]) -> bool:
    """Whether what was decided on a turn is among the answers listed.

    `none` is dropped beside other decisions. A `create` may stand beside an accepted `update` or
    `delete`, and an `update` beside an accepted `delete`.
    """
    taken = set(decided) - {"none"} or {"none"}
    accepted = taken & set(expect)
    beside: set[str] = set()
    if accepted & {"update", "delete"}:
        beside.add("create")
    if "delete" in accepted:
        beside.add("update")
    return bool(accepted) and taken - accepted <= beside


def current_passes(check: CurrentCheck, hits: Sequence[Found]) -> bool:
    """Whether the first hits without a mark say what holds, and nothing that does not."""
    return _says(_unmarked(hits)[: check.k], check.expect_any, check.reject)


def as_of_passes(check: AsOfCheck, hits: Sequence[Found]) -> bool:
    """The same for an earlier time, where marks, which are about today, do not matter."""
    return _says(hits[: check.k], check.expect_any, check.reject)


def _says(hits: Iterable[Found], expect_any: Collection[str], reject: Collection[str]) -> bool:
    texts = [hit.text for hit in hits]
    return any(contains(text, string) for text in texts for string in expect_any) and not any(
        contains(text, string) for text in texts for string in reject
    )


def absent_passes(check: AbsentCheck, hits: Sequence[Found]) -> bool:
    """Whether nothing that was withdrawn comes back, marked or not."""
    return not any(contains(hit.text, string) for hit in hits[: check.k] for string in check.reject)


def time_passes(check: TimeCheck, hits: Sequence[Found]) -> bool:
    """Whether one of the first hits about it carries the time of the event."""
    about = [hit for hit in hits if contains(hit.text, check.contains)][:DATED_HITS]
    return any(_is_then(time, check.interval) for hit in about for time in hit.times)


def _is_then(time: tuple[datetime, datetime], interval: tuple[datetime, datetime]) -> bool:
    start, end = time
    first, last = interval
    room: timedelta = WIDEST * (last - first)
    return start <= last and end >= first and end - start <= room


def live_facts_passes(check: LiveFactsCheck, hits: Sequence[Found]) -> bool:
    """Whether the string is held as often as it should be."""
    live = [hit for hit in _unmarked(hits) if hit.is_fact or hit.is_counted]
    if check.count == "facts":
        held = [
            hit
            for hit in live
            if hit.is_fact and hit.polarity != "-" and contains(_object(hit), check.contains)
        ]
        return check.least <= len(held) <= check.most
    facts = [
        hit
        for hit in live
        if hit.is_fact
        and (contains(hit.text, check.contains) or contains(hit.object, check.contains))
    ]
    verbatim = [hit for hit in live if not hit.is_fact and contains(hit.text, check.contains)]
    if max(len(facts), len(verbatim)) < check.least:
        return False
    if not facts:
        return len(verbatim) <= check.most
    by_subject = Counter(
        normal(hit.subject or "") for hit in facts if contains(_object(hit), check.contains)
    )
    return max(by_subject.values(), default=0) <= check.most


def _object(hit: Found) -> str:
    """What a fact says of its subject; the whole statement where no object is exposed."""
    return hit.text if hit.object is None else hit.object


def conflict_passes(check: ConflictCheck, hits: Sequence[Found]) -> bool:
    """Whether every side is told, and shown as contested.

    A hit is, by its own flag or by a contradiction with a hit that tells another side.
    """
    unmarked = _unmarked(hits)
    sides = {
        string: [hit for hit in unmarked if contains(hit.text, string)]
        for string in check.expect_all
    }
    return all(
        any(
            hit.is_contested or hit.disputes & _ids_of_others(sides, string)
            for hit in sides[string]
        )
        for string in check.expect_all
    )


def _ids_of_others(sides: dict[str, list[Found]], string: str) -> set[str]:
    return {hit.id for other, hits in sides.items() if other != string for hit in hits}


def attributed_passes(check: AttributedCheck, hits: Sequence[Found]) -> bool:
    """Whether nothing says of the user what was said of somebody else."""
    about = [hit for hit in _unmarked(hits)[:ATTRIBUTED_HITS] if contains(hit.text, check.contains)]
    return all(_is_of_another(hit, check) for hit in about)


def _is_of_another(hit: Found, check: AttributedCheck) -> bool:
    if hit.subject is not None and hit.subject != USER:
        return True
    if hit.object is not None:
        return hit.subject is not None and not contains(hit.object, check.contains)
    return any(contains(hit.text, name) for name in check.names)


def _unmarked(hits: Iterable[Found]) -> list[Found]:
    return [hit for hit in hits if not hit.is_marked]
