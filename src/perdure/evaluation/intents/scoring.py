"""How well intents were understood. Pure: no memory is asked here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from perdure.evaluation.intents.items import LABELS, IntentItem
from perdure.evaluation.report import ALL, Entry, Failure, Report, languages_of
from perdure.evaluation.statistics import Figure, Sums, bootstrapped, count, f1, share

HEADLINE = "macro F1"
ACCURACY = "accuracy"
WRONG_DELETES = "wrong deletes"
F1, PRECISION, RECALL = "F1", "precision", "recall"

_BY_WEIGHT = ("delete", "update", "consolidate", "create")
"""Which of several decisions names the message: the one that changes most. News may come along
with a replacement, and a replacement with a withdrawal; they do not make it another request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One item and the label it was given."""

    item: IntentItem
    given: str

    @property
    def is_right(self) -> bool:
        """Whether the label given is accepted."""
        return self.given in self.item.accepted

    @property
    def gold(self) -> str:
        """The label it counts under: an accepted label counts as the gold one."""
        return self.given if self.is_right else self.item.label


def label_of(operations: Collection[str]) -> str:
    """The one label for everything that was decided on a message."""
    return next((label for label in _BY_WEIGHT if label in operations), "none")


def report(judged: Sequence[Judged]) -> Report:
    """Macro F1 and accuracy per language, each label's F1, and the wrong deletes."""
    return Report(
        evaluation="intents",
        headline=HEADLINE,
        by_group=F1,
        entries=tuple(_entries(judged)),
        failures=tuple(_failures(judged)),
        notes=tuple(
            f"wrong delete: {one.item.id} {one.item.message}"
            for one in judged
            if is_wrong_delete(one)
        ),
    )


def is_wrong_delete(one: Judged) -> bool:
    """Whether something was lost that nobody asked to lose: the costliest mistake."""
    return one.given == "delete" and "delete" not in one.item.accepted


def _entries(judged: Sequence[Judged]) -> Iterator[Entry]:
    for language in languages_of(one.item.language for one in judged):
        mine = [one for one in judged if language in (ALL, one.item.language)]
        right = sum(one.is_right for one in mine)
        yield Entry(measure=HEADLINE, language=language, figure=macro_f1(mine))
        yield Entry(measure=ACCURACY, language=language, figure=share(right, len(mine)))
        wrong = sum(map(is_wrong_delete, mine))
        yield Entry(measure=WRONG_DELETES, language=language, figure=count(wrong, len(mine)))
        for label in LABELS:
            for measure, figure in _of_label(mine, label):
                yield Entry(measure=measure, language=language, group=label, figure=figure)


def _of_label(judged: Sequence[Judged], label: str) -> Iterator[tuple[str, Figure]]:
    both = sum(one.given == one.gold == label for one in judged)
    given = sum(one.given == label for one in judged)
    gold = sum(one.gold == label for one in judged)
    if gold or given:
        yield F1, bootstrapped(_counts(judged), _f1_of(LABELS.index(label)))
        yield PRECISION, share(both, given)
        yield RECALL, share(both, gold)


def macro_f1(judged: Sequence[Judged]) -> Figure:
    """The mean of the labels' F1, over the labels that are asked for or given.

    The interval draws items anew; a label that a sample lacks is left out of its mean.
    """
    return bootstrapped(_counts(judged), _macro)


def _counts(judged: Sequence[Judged]) -> list[list[float]]:
    """Per item and label: given and gold, given, gold."""
    return [
        [float(one.given == one.gold == label) for label in LABELS]
        + [float(one.given == label) for label in LABELS]
        + [float(one.gold == label) for label in LABELS]
        for one in judged
    ]


def _by_label(sums: Sums) -> tuple[Sums, Sums, Sums]:
    right, given, gold = np.split(sums, 3, axis=1)
    return right, given, gold


def _macro(sums: Sums) -> Sums:
    right, given, gold = _by_label(sums)
    occurs = (given + gold) > 0
    mean = (f1(right, given, gold) * occurs).sum(axis=1) / occurs.sum(axis=1)
    return np.asarray(mean, dtype=np.float64)


def _f1_of(place: int) -> Callable[[Sums], Sums]:
    def statistic(sums: Sums) -> Sums:
        return np.asarray(f1(*_by_label(sums))[:, place], dtype=np.float64)

    return statistic


def _failures(judged: Sequence[Judged]) -> Iterator[Failure]:
    for one in judged:
        if not one.is_right:
            before = " / ".join(f"{m.role}: {m.content}" for m in one.item.context)
            yield Failure(
                id=one.item.id,
                language=one.item.language,
                group=one.item.label,
                said=f"{before} / {one.item.message}" if before else one.item.message,
                expected=" or ".join(one.item.accepted)
                + (f" ({one.item.note})" if one.item.note else ""),
                came=one.given,
            )
