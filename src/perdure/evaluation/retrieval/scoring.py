"""The figures of a retrieval run. Pure: no memory is asked here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from perdure.evaluation.report import ALL, Entry, Failure, Report
from perdure.evaluation.retrieval.arms import DEFAULT, DEPTH
from perdure.evaluation.retrieval.metrics import any_at, ndcg_at, recall_at, reciprocal_rank
from perdure.evaluation.retrieval.units import Question
from perdure.evaluation.statistics import Figure, Sums, bootstrapped

Metric = Callable[[Sequence[str], frozenset[str]], float]

HEADLINE = "NDCG@10"
METRICS: Mapping[str, Metric] = {
    HEADLINE: lambda ranked, gold: ndcg_at(ranked, gold, 10),
    "recall@5": lambda ranked, gold: recall_at(ranked, gold, 5),
    "recall@10": lambda ranked, gold: recall_at(ranked, gold, 10),
    "any@5": lambda ranked, gold: any_at(ranked, gold, 5),
    "reciprocal rank": lambda ranked, gold: reciprocal_rank(ranked, gold, DEPTH),
}
ADVERSARIAL = "adversarial"
"""Questions whose answer the documents only seem to hold; not part of the figures of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question with what each arm gave, best first."""

    unit: str
    language: str
    question: Question
    rankings: Mapping[str, Sequence[str]]


def report(asked: Sequence[Asked], notes: Sequence[str]) -> Report:
    """Every metric of every arm over the questions that can be answered, and by category."""
    return Report(
        evaluation="retrieval",
        headline=HEADLINE,
        by_group=HEADLINE,
        entries=tuple(_entries([one for one in asked if one.question.gold])),
        failures=tuple(_failures(asked)),
        notes=tuple(notes),
    )


def _entries(asked: Sequence[Asked]) -> Iterator[Entry]:
    languages = sorted({one.language for one in asked})
    language = languages[0] if len(languages) == 1 else ALL
    fair = [one for one in asked if one.question.category != ADVERSARIAL]
    arms = list(dict.fromkeys(arm for one in asked for arm in one.rankings))
    for name, metric in METRICS.items():
        for arm in arms:
            measure = name if arm == DEFAULT else f"{name}, {arm}"
            yield Entry(measure=measure, language=language, figure=_mean(fair, arm, metric))
    categories = dict.fromkeys(one.question.category for one in asked if one.question.category)
    for category in categories:
        mine = [one for one in asked if one.question.category == category]
        figure = _mean(mine, DEFAULT, METRICS[HEADLINE])
        yield Entry(measure=HEADLINE, language=language, group=category, figure=figure)


def _mean(asked: Sequence[Asked], arm: str, metric: Metric) -> Figure:
    """The mean over questions; whole units are drawn anew for the interval where there are many."""
    rows = [(metric(one.rankings[arm], one.question.gold), 1.0) for one in asked]
    return bootstrapped(rows, _average, strata=[one.unit for one in asked])


def _average(sums: Sums) -> Sums:
    means: Sums = sums[:, 0] / sums[:, 1]
    return means


def _failures(asked: Sequence[Asked]) -> Iterator[Failure]:
    for one in asked:
        ranked = one.rankings[DEFAULT]
        if one.question.gold and not any_at(ranked, one.question.gold, 10):
            yield Failure(
                id=one.question.id,
                language=one.language,
                group=one.question.category or one.unit,
                said=one.question.text,
                expected=", ".join(sorted(one.question.gold)),
                came=" ".join(ranked[:10]) or "nothing",
            )
