"""Whether the newest of conflicting statements came first. Pure: no memory is asked here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perdure.evaluation.consolidation.units import Question
from perdure.evaluation.report import ALL, Entry, Failure, Report
from perdure.evaluation.statistics import Figure, share

HEADLINE = "newest in the first 5"
FIRST = "newest first"
STALE_FIRST = "stale ranks higher"
DEPTH = 5
LIMIT = 10
"""How deep `stale ranks higher` looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question and the statements that came, best first."""

    unit: str
    language: str
    question: Question
    came: tuple[str, ...]

    def has_newest(self, depth: int) -> bool:
        """Whether a statement that holds is among the first."""
        return bool(self.question.newest & set(self.came[:depth]))

    @property
    def ranks_stale_first(self) -> bool | None:
        """Whether a stale statement ranks above every newest one; None if none of either came."""
        for id_ in self.came[:LIMIT]:
            if id_ in self.question.newest:
                return False
            if id_ in self.question.stale:
                return True
        return None


def report(asked: Sequence[Asked]) -> Report:
    """How often the newest statement came, and how often a stale one came before it."""
    return Report(
        evaluation="consolidation",
        headline=HEADLINE,
        by_group=None,
        entries=tuple(_entries(asked)),
        failures=tuple(_failures(asked)),
    )


def _entries(asked: Sequence[Asked]) -> Iterator[Entry]:
    language = asked[0].language if len({one.language for one in asked}) == 1 else ALL
    units = tuple(dict.fromkeys(one.unit for one in asked))
    for group in (ALL, *units):
        mine = [one for one in asked if group in (ALL, one.unit)]
        for measure, figure in figures(mine).items():
            yield Entry(measure=measure, language=language, group=group, figure=figure)


def figures(asked: Sequence[Asked]) -> dict[str, Figure]:
    """The measures of some questions.

    A stale statement can only rank higher where a newest or a stale one is among the first ten;
    the share is of those questions.
    """
    with_newest = [one for one in asked if one.question.newest]
    ranked = [order for one in asked if (order := one.ranks_stale_first) is not None]
    return {
        HEADLINE: share(sum(one.has_newest(DEPTH) for one in with_newest), len(with_newest)),
        FIRST: share(sum(one.has_newest(1) for one in with_newest), len(with_newest)),
        STALE_FIRST: share(sum(ranked), len(ranked)),
    }


def _failures(asked: Sequence[Asked]) -> Iterator[Failure]:
    for one in asked:
        if one.ranks_stale_first or (one.question.newest and not one.has_newest(DEPTH)):
            yield Failure(
                id=one.question.id,
                language=one.language,
                group=one.unit,
                said=one.question.text,
                expected=f"{_ids(one.question.newest)} before {_ids(one.question.stale)}",
                came=" ".join(one.came) or "nothing",
            )


def _ids(ids: frozenset[str]) -> str:
    return ", ".join(sorted(ids)) or "nothing"
