"""Two runs of the same questions, pair by pair."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from perdure.errors import InvalidInput
from perdure.evaluation.lines import bytes_of
from perdure.evaluation.report import ALL, Entry, Report
from perdure.evaluation.statistics import RESAMPLES, SEED, Figure, bootstrapped

COMPARISON = "comparison"
"""What the report of a comparison calls itself."""
SHUFFLES = 10_000
Values = Mapping[tuple[str, str], Mapping[str, float]]
"""By unit and question, what it contributed to each measure."""


def compare(first: Path, second: Path) -> Report:
    """The measures of the second run less those of the first, over the questions of both files.

    Each difference has its 95 % interval (a bootstrap over pairs) and the probability of one as
    large if neither run were better (`p_of`). Raises `NotFound`, and `InvalidInput` when a file is
    no run that can be compared, or the questions are not the same.
    """
    before, after = _values(first), _values(second)
    if before.keys() != after.keys():
        apart = min(before.keys() ^ after.keys())
        raise InvalidInput(
            f"only runs of the same questions can be compared; {'/'.join(apart)} is in one of them"
        )
    headline = _headline(second)
    entries = []
    notes = []
    for measure in _measures(before, after):
        pairs = [key for key in before if measure in before[key] and measure in after[key]]
        changes = [after[key][measure] - before[key][measure] for key in pairs]
        figure = bootstrapped(
            [(change, 1.0) for change in changes], lambda sums: sums[:, 0] / sums[:, 1]
        )
        entries.append(Entry(measure=measure, language=ALL, figure=figure))
        notes.append(_told(measure, figure, changes))
    return Report(
        evaluation=COMPARISON,
        headline=headline,
        by_group=None,
        entries=tuple(entries),
        notes=tuple(notes),
    )


def p_of(changes: Sequence[float]) -> float:
    """How likely a mean as far from 0 is when every change might as well have the other sign.

    A paired randomisation test, two-sided, with 10,000 drawn assignments and a fixed seed, the
    given one counted among them, so at least 1 / 10,001. Of no changes: 1.

    Source: Smucker, Allan and Carterette, CIKM 2007.
    """
    column = np.array([change for change in changes if change], dtype=np.float64)
    if not len(column):
        return 1.0
    chance = np.random.default_rng(SEED)
    seen = abs(column.sum()) - 1e-12
    beyond, left = 0, SHUFFLES
    while left:  # in parts, so that thousands of questions do not fill the memory
        rows = min(left, RESAMPLES)
        signs = chance.integers(0, 2, size=(rows, len(column)), dtype=np.int8) * 2 - 1
        beyond += int((np.abs(signs @ column) >= seen).sum())
        left -= rows
    return (beyond + 1) / (SHUFFLES + 1)


def _told(measure: str, figure: Figure, changes: Sequence[float]) -> str:
    better = sum(change > 0 for change in changes)
    worse = sum(change < 0 for change in changes)
    return f"{measure}: {figure.value:+.4f}, p = {p_of(changes):.4f}, {better} up, {worse} down"


def _measures(before: Values, after: Values) -> list[str]:
    held = {name for values in after.values() for name in values}
    named = (name for values in before.values() for name in values if name in held)
    return list(dict.fromkeys(named))


def _values(path: Path) -> Values:
    items = _report(path).get("items")
    if not items:
        raise InvalidInput(f"{path} holds no values of single questions to compare")
    try:
        return {
            (str(item["unit"]), str(item["id"])): {
                str(name): float(value) for name, value in item["values"].items()
            }
            for item in items
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _no_run(path) from error


def _headline(path: Path) -> str:
    return str(_report(path).get("headline", ""))


def _report(path: Path) -> dict[str, Any]:
    try:
        report = json.loads(bytes_of(path))["report"]
    except (KeyError, TypeError, ValueError) as error:
        raise _no_run(path) from error
    if not isinstance(report, dict):
        raise _no_run(path)
    return report


def _no_run(path: Path) -> InvalidInput:
    return InvalidInput(f"{path} is not what `perdure eval … --json FILE` writes")
