"""What the verdicts on all scenarios come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from perdure.evaluation.consistency.scenarios import NAMES, Check, Scenario
from perdure.evaluation.report import ALL, Entry, Failure, Report, languages_of
from perdure.evaluation.statistics import Figure, mean_of_shares, share

HEADLINE = "mean over kinds"
PASSED = "scenarios passed"
CHECKS = "checks passed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether one check passed; `expected` and `came` are for people to read."""

    check: Check
    passed: bool
    asked: str
    expected: str
    came: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One scenario with the verdicts on its checks."""

    scenario: Scenario
    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(verdict.passed for verdict in self.verdicts)


def every_time(rounds: Sequence[Sequence[Played]]) -> list[Played]:
    """The worst of several rounds: a scenario passes when it passes every time."""
    return [
        next((played for played in same if not played.passed), same[0])
        for same in zip(*rounds, strict=True)
    ]


def report(played: Sequence[Played]) -> Report:
    """The share of scenarios passed per kind and language; the headline is the mean over kinds."""
    return Report(
        evaluation="consistency",
        headline=HEADLINE,
        by_group=PASSED,
        entries=tuple(_entries(played)),
        failures=tuple(_failures(played)),
    )


def _entries(played: Sequence[Played]) -> Iterator[Entry]:
    for language in languages_of(one.scenario.language for one in played):
        mine = [one for one in played if language in (ALL, one.scenario.language)]
        yield Entry(measure=HEADLINE, language=language, figure=mean_over_kinds(mine))
        yield Entry(measure=PASSED, language=language, figure=_share(o.passed for o in mine))
        checks = [verdict for one in mine for verdict in one.verdicts]
        yield Entry(measure=CHECKS, language=language, figure=_share(v.passed for v in checks))
        for kind in dict.fromkeys(one.scenario.kind for one in played):
            of_kind = [one.passed for one in mine if one.scenario.kind == kind]
            if of_kind:
                yield Entry(measure=PASSED, language=language, group=kind, figure=_share(of_kind))
        for name in NAMES.values():
            of_type = [v.passed for v in checks if NAMES[type(v.check)] == name]
            if of_type:
                yield Entry(measure=CHECKS, language=language, group=name, figure=_share(of_type))


def _share(passed: Iterable[bool]) -> Figure:
    each = list(passed)
    return share(sum(each), len(each))


def mean_over_kinds(played: Sequence[Played]) -> Figure:
    """The mean of the kinds' shares of scenarios passed, each kind counting the same."""
    kinds: dict[str, list[bool]] = {}
    for one in played:
        kinds.setdefault(one.scenario.kind, []).append(one.passed)
    return mean_of_shares([(sum(passed), len(passed)) for passed in kinds.values()])


def _failures(played: Sequence[Played]) -> Iterator[Failure]:
    for one in played:
        for verdict in one.verdicts:
            if not verdict.passed:
                yield Failure(
                    id=one.scenario.id,
                    language=one.scenario.language,
                    group=f"{one.scenario.kind} · {NAMES[type(verdict.check)]}",
                    said=verdict.asked,
                    expected=verdict.expected,
                    came=verdict.came,
                )
