"""How well facts were found. Pure: no memory is asked here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from perdure.evaluation.extraction.items import ExtractionItem, ListedFact
from perdure.evaluation.extraction.matching import FoundFact, Strictness, came_out, matches
from perdure.evaluation.extraction.neutrality import is_neutral
from perdure.evaluation.report import ALL, Entry, Failure, Report, languages_of
from perdure.evaluation.statistics import Figure, Sums, bootstrapped, share

HEADLINE = "F1"
PRECISION = "precision"
RECALL = "recall"
LENIENT = "lenient F1"
TRAPS = "traps that came out"
EMPTY = "fact-free items left empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One item and what was found in it.

    `counted` are the facts held that are not neutral, of which `right` match a listed one;
    `met` are the wanted facts that one of them matches, `missed` the others; `sprung` the traps
    that came out.
    """

    item: ExtractionItem
    found: tuple[FoundFact, ...]
    counted: tuple[FoundFact, ...]
    right: tuple[FoundFact, ...]
    met: tuple[ListedFact, ...]
    missed: tuple[ListedFact, ...]
    sprung: tuple[ListedFact, ...]

    @property
    def wrong(self) -> tuple[FoundFact, ...]:
        """What was found and is not listed."""
        return tuple(fact for fact in self.counted if fact not in self.right)


def judge(
    item: ExtractionItem, found: Sequence[FoundFact], *, strictness: Strictness = "strict"
) -> Judged:
    """Hold what was found in one message to its label.

    The same fact found twice counts once. What was found with the modality of a trap is fine and
    not counted.
    """

    def is_met(listed: ListedFact, fact: FoundFact) -> bool:
        return matches(fact, listed, speaker=item.speaker, strictness=strictness)

    held = [fact for fact in dict.fromkeys(found) if fact.modality.is_held]
    right = [fact for fact in held if any(is_met(listed, fact) for listed in item.wanted)]
    met = tuple(fact for fact in item.wanted if any(is_met(fact, one) for one in right))
    return Judged(
        item=item,
        found=tuple(found),
        counted=tuple(fact for fact in held if fact in right or not is_neutral(fact, item)),
        right=tuple(right),
        met=met,
        missed=tuple(fact for fact in item.wanted if fact not in met),
        sprung=tuple(
            trap
            for trap in item.traps
            if any(came_out(fact, trap, speaker=item.speaker) for fact in held if fact not in right)
        ),
    )


def report(found: Sequence[tuple[ExtractionItem, Sequence[FoundFact]]]) -> Report:
    """F1 with precision and recall per language, the lenient F1, the traps and the empty items."""
    strict = [judge(item, facts) for item, facts in found]
    lenient = [judge(item, facts, strictness="lenient") for item, facts in found]
    return Report(
        evaluation="extraction",
        headline=HEADLINE,
        by_group=None,
        entries=tuple(_entries(strict, lenient)),
        failures=tuple(_failures(strict)),
    )


def _entries(strict: Sequence[Judged], lenient: Sequence[Judged]) -> Iterator[Entry]:
    languages = languages_of(one.item.language for one in strict)
    for language in languages:
        mine = [one for one in strict if language in (ALL, one.item.language)]
        loosely = [one for one in lenient if language in (ALL, one.item.language)]
        traps = [(trap, trap in one.sprung) for one in mine for trap in one.item.traps]
        empty = [not one.counted for one in mine if not one.item.facts]
        figures = {
            HEADLINE: bootstrapped(counts(mine), _f1),
            PRECISION: bootstrapped(counts(mine), _precision),
            RECALL: bootstrapped(counts(mine), _recall),
            LENIENT: bootstrapped(counts(loosely), _f1),
            TRAPS: share(sum(sprung for _, sprung in traps), len(traps)),
            EMPTY: share(sum(empty), len(empty)),
        }
        for measure, figure in figures.items():
            yield Entry(measure=measure, language=language, figure=figure)
    for language in languages:
        mine = [one for one in strict if language in (ALL, one.item.language)]
        for predicate, figures_ in _by_predicate(mine).items():
            for measure, figure in figures_.items():
                yield Entry(measure=measure, language=language, group=predicate, figure=figure)


def _by_predicate(judged: Sequence[Judged]) -> dict[str, dict[str, Figure]]:
    """Recall of the facts listed under each predicate, and precision of those found under it."""
    wanted = [(f.predicate, f in one.met) for one in judged for f in one.item.wanted]
    found = [(f.predicate, f in one.right) for one in judged for f in one.counted]
    made: dict[str, dict[str, Figure]] = {}
    for measure, facts in ((RECALL, wanted), (PRECISION, found)):
        for predicate in sorted({predicate for predicate, _ in facts}):
            right = [is_right for name, is_right in facts if name == predicate]
            made.setdefault(predicate, {})[measure] = share(sum(right), len(right))
    return dict(sorted(made.items()))


def counts(judged: Sequence[Judged]) -> list[list[float]]:
    """Per item: right finds, finds, facts met, facts wanted."""
    return [
        [float(len(facts)) for facts in (one.right, one.counted, one.met, one.item.wanted)]
        for one in judged
    ]


def _ratio(upper: int, lower: int) -> Callable[[Sums], Sums]:
    def statistic(sums: Sums) -> Sums:
        return np.divide(
            sums[:, upper], sums[:, lower], out=np.zeros(len(sums)), where=sums[:, lower] > 0
        )

    return statistic


_precision = _ratio(0, 1)
_recall = _ratio(2, 3)


def _f1(sums: Sums) -> Sums:
    precision, recall = _precision(sums), _recall(sums)
    both = precision + recall
    return np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)


def _failures(judged: Sequence[Judged]) -> Iterator[Failure]:
    for one in judged:
        if one.missed or one.wrong or one.sprung:
            yield Failure(
                id=one.item.id,
                language=one.item.language,
                group=", ".join(
                    name
                    for name, facts in (
                        ("missed", one.missed),
                        ("wrong", one.wrong),
                        ("trap", one.sprung),
                    )
                    if facts
                ),
                said=one.item.message,
                expected="\n".join(_wanted(one)) or "nothing",
                came="\n".join(_came(one)) or "nothing",
            )


def _wanted(one: Judged) -> Iterator[str]:
    marks = [("missed", one.missed), ("came out", one.sprung)]
    for fact in one.item.facts:
        told = f"{fact.subject} {fact.predicate} {fact.objects[0]}"
        yield f"{told} {fact.polarity} {fact.modality}{_remark(fact, marks)}"


def _came(one: Judged) -> Iterator[str]:
    uncounted = [fact for fact in one.found if fact not in one.counted]
    marks = [("wrong", one.wrong), ("not counted", uncounted)]
    for fact in one.found:
        told = f"{fact.subject} {fact.predicate} {fact.object}"
        yield f"{told} {fact.polarity} {fact.modality}{_remark(fact, marks)}"


def _remark(fact: object, marks: Sequence[tuple[str, Sequence[object]]]) -> str:
    return "".join(f" ({mark})" for mark, facts in marks if fact in facts)
