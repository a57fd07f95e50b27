"""The figures of a retrieval run. Pure: no memory is asked here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from perdure.evaluation.report import ALL, Entry, Failure, Item, Report, languages_of
from perdure.evaluation.retrieval.abstention import (
    Answer,
    balanced_accuracy,
    best_threshold,
    reliability,
    risk_coverage_area,
    told_apart,
)
from perdure.evaluation.retrieval.arms import DEFAULT, DEPTH, VECTORS, WORDS, Ranked
from perdure.evaluation.retrieval.contexts import BUDGETS
from perdure.evaluation.retrieval.lead import Lead, lead_of, told
from perdure.evaluation.retrieval.metrics import any_at, ndcg_at, recall_at, reciprocal_rank
from perdure.evaluation.retrieval.units import Question
from perdure.evaluation.statistics import Figure, Places, Sums, bootstrapped, resampled, share

Metric = Callable[[Sequence[str], frozenset[str]], float]

HEADLINE = "NDCG@10"
METRICS: Mapping[str, Metric] = {
    HEADLINE: lambda ranked, gold: ndcg_at(ranked, gold, 10),
    "recall@5": lambda ranked, gold: recall_at(ranked, gold, 5),
    "recall@10": lambda ranked, gold: recall_at(ranked, gold, 10),
    "any@5": lambda ranked, gold: any_at(ranked, gold, 5),
    "all@10": lambda ranked, gold: float(recall_at(ranked, gold, 10) == 1.0),
    "reciprocal rank": lambda ranked, gold: reciprocal_rank(ranked, gold, DEPTH),
}
CONFIDENCE = "confidence"
LEAD = "ahead of its best single arm"
RISK = "risk over coverage"
TOLD_APART = "answerable told apart"
AT_DEFAULT, AT_BEST = "balanced, by default", "balanced, best threshold"
AT_PRIOR, PRIOR = "balanced, below 0.75", 0.75
"""Less likely than before anything was looked at (three in four questions have an answer): the one
threshold that is the same for every store and embedder."""
FIRST_HOLDS = "first hit holds evidence, by its score"
UNANSWERABLE, FOREIGN = "without an answer here", "about another store"
"""Questions that cannot be answered: marked so in the file; and those of the next unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question with what each arm gave.

    `elsewhere` is the confidence when it is asked of a unit that cannot know, None when there is
    no other unit; `covered` says for each budget whether the context held the answer's words.
    """

    unit: str
    language: str
    question: Question
    rankings: Mapping[str, Ranked]
    elsewhere: float | None = None
    covered: Mapping[int, bool] = field(default_factory=dict)


def report(asked: Sequence[Asked], notes: Sequence[str], costs: Sequence[Entry] = ()) -> Report:
    """Every metric of every arm over the questions that can be answered, and by category."""
    return Report(
        evaluation="retrieval",
        headline=HEADLINE,
        by_group=HEADLINE,
        entries=(*_entries(asked), *costs),
        failures=tuple(_failures(asked)),
        notes=(*notes, *(told(lead, HEADLINE) for lead in leads(asked))),
        items=tuple(_item(one) for one in asked if one.question.gold),
    )


def named(metric: str, arm: str) -> str:
    """What a metric of an arm is called in the report."""
    return metric if arm == DEFAULT else f"{metric}, {arm}"


def _entries(asked: Sequence[Asked]) -> Iterator[Entry]:
    for language in languages_of(one.language for one in asked):
        mine = [one for one in asked if language in (ALL, one.language)]
        yield from _qualities(mine, language)
        yield from (
            Entry(measure=LEAD, language=language, figure=lead.figure)
            for lead in _lead(mine, language)
        )
        yield from _coverages(mine, language)
        yield from _abstentions(mine, language)
        yield from _reliabilities(mine, language)


def _qualities(asked: Sequence[Asked], language: str) -> Iterator[Entry]:
    known = [one for one in asked if one.question.gold]
    fair = [one for one in known if one.question.is_answerable]
    arms = list(dict.fromkeys(arm for one in asked for arm in one.rankings))
    for metric in METRICS:
        for arm in arms:
            figure = _mean(fair, arm, metric)
            yield Entry(measure=named(metric, arm), language=language, figure=figure)
    categories = dict.fromkeys(one.question.category for one in known if one.question.category)
    for category in categories:
        mine = [one for one in known if one.question.category == category]
        for metric in (HEADLINE, "recall@5", "recall@10"):
            figure = _mean(mine, DEFAULT, metric)
            yield Entry(measure=metric, language=language, group=category, figure=figure)


def leads(asked: Sequence[Asked]) -> Iterator[Lead]:
    """By how much the default is ahead of its best single arm: each language, and all together."""
    for language in languages_of(one.language for one in asked):
        yield from _lead([one for one in asked if language in (ALL, one.language)], language)


def _lead(asked: Sequence[Asked], language: str) -> Iterator[Lead]:
    fair = [one for one in asked if one.question.is_answerable]
    values = {
        arm: [METRICS[HEADLINE](one.rankings[arm].ids, one.question.gold) for one in fair]
        for arm in (DEFAULT, WORDS, VECTORS)
        if all(arm in one.rankings for one in fair)
    }
    together = values.pop(DEFAULT)
    yield from lead_of(language, together, values, [one.unit for one in fair])


def _mean(asked: Sequence[Asked], arm: str, metric: str) -> Figure:
    """The mean over questions, drawn anew within their units for the interval."""
    rows = [(METRICS[metric](one.rankings[arm].ids, one.question.gold), 1.0) for one in asked]
    return bootstrapped(rows, _average, strata=[one.unit for one in asked])


def _average(sums: Sums) -> Sums:
    means: Sums = sums[:, 0] / sums[:, 1]
    return means


def _coverages(asked: Sequence[Asked], language: str) -> Iterator[Entry]:
    for budget in BUDGETS:
        held = [one.covered[budget] for one in asked if budget in one.covered]
        if held:
            name = f"answer in {budget} tokens"
            yield Entry(measure=name, language=language, figure=share(sum(held), len(held)))


def answers_of(asked: Sequence[Asked]) -> dict[str, list[Answer]]:
    """Confidences where there is an answer, and where there is none of either kind."""
    made: dict[str, list[Answer]] = {ALL: [], UNANSWERABLE: [], FOREIGN: []}
    for one in asked:
        ranked = one.rankings[DEFAULT]
        kind = ALL if one.question.is_answerable else UNANSWERABLE
        is_right = kind == ALL and bool(any_at(ranked.ids, one.question.gold, 5))
        made[kind].append(
            Answer(
                confidence=ranked.confidence,
                is_right=is_right,
                is_answerable=kind == ALL,
            )
        )
        if one.elsewhere is not None:
            elsewhere = Answer(confidence=one.elsewhere, is_right=False, is_answerable=False)
            made[FOREIGN].append(elsewhere)
    return made


def _abstentions(asked: Sequence[Asked], language: str) -> Iterator[Entry]:
    answers = answers_of(asked)
    answerable = answers.pop(ALL)
    for group, others in answers.items():
        if not answerable or not others:
            continue
        for measure, figure in _told(answerable + others):
            yield Entry(measure=measure, language=language, group=group, figure=figure)


def _told(answers: Sequence[Answer]) -> Iterator[tuple[str, Figure]]:
    confidence = np.array([one.confidence for one in answers])
    right = np.array([one.is_right for one in answers])
    answerable = np.array([one.is_answerable for one in answers])
    best = best_threshold(confidence, answerable)
    size = len(answers)
    yield RISK, resampled(size, lambda some: risk_coverage_area(confidence[some], right[some]))
    yield TOLD_APART, resampled(size, lambda some: told_apart(confidence[some], answerable[some]))
    for name, threshold in ((AT_DEFAULT, 0.0), (AT_PRIOR, PRIOR), (AT_BEST, best)):

        def accuracy(some: Places, at: float = threshold) -> float:
            return balanced_accuracy(confidence[some], answerable[some], at)

        yield name, resampled(size, accuracy)
    yield "best threshold", Figure(value=best, cases=size)


def _reliabilities(asked: Sequence[Asked], language: str) -> Iterator[Entry]:
    """Whether a score is a probability: how often the best hit holds evidence, by its score."""
    confidence = np.array([one.rankings[DEFAULT].best for one in asked])
    is_right = np.array(
        [
            one.question.is_answerable
            and bool(any_at(one.rankings[DEFAULT].ids, one.question.gold, 1))
            for one in asked
        ],
        dtype=np.bool_,
    )
    rows, distance = reliability(confidence, is_right)
    for start, hits, cases in rows:
        group = f"{start:.1f} to {start + 0.1:.1f}"
        yield Entry(measure=FIRST_HOLDS, language=language, group=group, figure=share(hits, cases))
    figure = Figure(value=round(distance, 3), cases=sum(cases for _, _, cases in rows))
    yield Entry(measure="score off by", language=language, figure=figure)


def _item(one: Asked) -> Item:
    gold = one.question.gold
    values = {
        named(metric, arm): round(formula(ranked.ids, gold), 6)
        for arm, ranked in one.rankings.items()
        for metric, formula in METRICS.items()
    }
    values[CONFIDENCE] = one.rankings[DEFAULT].confidence
    if one.elsewhere is not None:
        values[f"{CONFIDENCE}, {FOREIGN}"] = one.elsewhere
    values |= {f"answer in {budget} tokens": float(held) for budget, held in one.covered.items()}
    return Item(
        id=one.question.id,
        unit=one.unit,
        language=one.language,
        group=one.question.category,
        values=values,
    )


def _failures(asked: Sequence[Asked]) -> Iterator[Failure]:
    for one in asked:
        ranked = one.rankings[DEFAULT].ids
        if one.question.gold and not any_at(ranked, one.question.gold, 10):
            yield Failure(
                id=one.question.id,
                language=one.language,
                group=one.question.category or one.unit,
                said=one.question.text,
                expected=", ".join(sorted(one.question.gold)),
                came=" ".join(ranked[:10]) or "nothing",
            )
