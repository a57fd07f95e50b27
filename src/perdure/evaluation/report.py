"""What an evaluation found, in one shape for every kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from perdure.evaluation.statistics import Figure

ALL = "all"
"""The row or column of everything together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One figure: what was measured, on which group (a kind, a label), in which language."""

    measure: str
    language: str
    figure: Figure
    group: str = ALL


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One item that went wrong. `expected` and `came` are for people to read."""

    id: str
    language: str
    group: str
    said: str
    expected: str
    came: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What one question contributed to each measure, so that two runs can be compared in pairs.

    `id` and `unit` together name it.
    """

    id: str
    unit: str
    language: str
    group: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The figures of one evaluation.

    `headline` names the measure that counts most; `by_group` the one that is drawn group by group,
    None where the measures themselves are drawn. `items` are there where runs can be compared.
    """

    evaluation: str
    headline: str
    by_group: str | None
    entries: tuple[Entry, ...]
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = field(default=())
    items: tuple[Item, ...] = ()

    def figure(self, measure: str, *, language: str = ALL, group: str = ALL) -> Figure | None:
        """One figure, or None when there is none of that name."""
        for entry in self.entries:
            if (entry.measure, entry.language, entry.group) == (measure, language, group):
                return entry.figure
        return None

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in alphabetical order, everything together last."""
        return _ordered(entry.language for entry in self.entries)

    def groups(self, measure: str) -> tuple[str, ...]:
        """The groups of a measure in the order they were entered."""
        return tuple(dict.fromkeys(e.group for e in self.entries if e.measure == measure))

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures in the order they were entered."""
        return tuple(dict.fromkeys(entry.measure for entry in self.entries))


def languages_of(languages: Iterable[str]) -> tuple[str, ...]:
    """The columns of a report: each language, and all together when there are several."""
    known = sorted(set(languages))
    return (*known, ALL) if len(known) > 1 else tuple(known)


def _ordered(languages: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(languages), key=lambda language: (language == ALL, language)))
