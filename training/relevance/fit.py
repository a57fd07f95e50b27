"""Fits the curves that read what recall finds as a probability, and says how honest they are.

    python training/relevance/fit.py FILE ... [--embedder local] [--cases FOLDER] [--keep] [--write]

FILE is a labelled set in the format of `perdure eval retrieval`; the hand-written pairs of
`benchmarks/calibration` are always among the data. What recall gave is kept in FOLDER, and with
`--keep` not asked again. With `--write` the coefficients go to `src/perdure/engine/certainties.json`.

Every figure is of folds that the curves were not fitted on: whole conversations, or parts of a
store that is many articles. Each fold counts the same, and within it each size of the store; of the
questions three in four have their answer stored. Questions marked `adversarial` are left out: what they ask
of one person the other said, and no score of relevance can tell.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from observe import ADVERSARIAL, FOREIGN, TOLD, UNTOLD, Case, kept, observed, read

from perdure.domain.certainty import RIVALS, Answered, Certainty, TheOne
from perdure.evaluation.retrieval.abstention import best_threshold

TARGET = Path(__file__).parents[2] / "src/perdure/engine/certainties.json"
SHARES = {TOLD: 0.75, UNTOLD: 0.125, FOREIGN: 0.125}
"""Of the questions: three in four have their answer stored."""
RIDGE = 0.01
CUTS = (0.1, 0.25, 0.5, 0.75, 0.85)
"""Least probabilities that anything answers, below which nothing is said to."""
FIRST_FIVE = 5
BANDS = 10

Column = NDArray[np.float64]
Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Questions and their hits as columns. `question` says of each hit whose it is."""

    cases: Sequence[Case]
    weight: Column
    is_told: NDArray[np.bool_]
    best: Table
    question: NDArray[np.intp]
    hits: Table
    is_gold: Column


def data_of(cases: Sequence[Case]) -> Data:
    """The columns that the curves read; of questions that found something."""
    cases = [case for case in cases if case.hits and case.kind != ADVERSARIAL]
    cases = [case for case, weight in zip(cases, _weights(cases), strict=True) if weight > 0.0]
    strengths = [np.sort([hit[0] for hit in case.hits])[::-1] for case in cases]
    gold = [[hit[4] for hit in sorted(case.hits, key=lambda hit: -hit[0])] for case in cases]
    odds = [np.clip(column, 1e-3, 0.97) / (1 - np.clip(column, 1e-3, 0.97)) for column in strengths]
    crowd = [float(np.log10(min(max(case.considered, 10), 10_000) / 100)) for case in cases]
    hits = [
        (1.0, np.log(own), np.log(column[0]), np.log(column[:RIVALS].sum()), own == column[0], n)
        for column, n in zip(odds, crowd, strict=True)
        for own in column
    ]
    return Data(
        cases=cases,
        weight=_weights(cases),
        is_told=np.array([case.kind == TOLD for case in cases]),
        best=np.array([(1.0, np.log(c[0]), n) for c, n in zip(odds, crowd, strict=True)]),
        question=np.repeat(np.arange(len(cases)), [len(column) for column in odds]),
        hits=np.array(hits, dtype=np.float64),
        is_gold=np.array([one for column in gold for one in column], dtype=np.float64),
    )


def _weights(cases: Sequence[Case]) -> Column:
    """Every fold the same, in it every size, in that the kinds as in `SHARES`."""
    kinds = Counter((case.fold, case.stored, case.kind) for case in cases)
    there = {key[:2] for key in kinds if key[2] == TOLD} & {
        key[:2] for key in kinds if key[2] != TOLD
    }
    sizes = Counter(fold for fold, _ in there)
    weights = []
    for case in cases:
        place = (case.fold, case.stored)
        if place not in there:
            weights.append(0.0)
            continue
        same = sum(SHARES[kind] for kind in SHARES if kind != TOLD and (*place, kind) in kinds)
        share = (
            SHARES[case.kind]
            if case.kind == TOLD
            else (1 - SHARES[TOLD]) * SHARES[case.kind] / same
        )
        weights.append(share / kinds[*place, case.kind] / sizes[case.fold])
    return np.array(weights) * len(cases) / max(sum(weights), 1e-9)


def logistic(table: Table, is_so: Column, weight: Column, free: Sequence[int]) -> Column:
    """Coefficients of the most likely logistic curve (Newton's method, a slight ridge); those not
    `free` are 0."""
    part = table[:, list(free)]
    found = np.zeros(part.shape[1])
    for _ in range(60):
        p = 1 / (1 + np.exp(-part @ found))
        slope = part.T @ (weight * (is_so - p)) - RIDGE * found
        bend = (part * (weight * p * (1 - p))[:, None]).T @ part + RIDGE * np.eye(len(found))
        step = np.linalg.solve(bend, slope)
        found += step
        if np.abs(step).max() < 1e-9:
            break
    whole = np.zeros(table.shape[1])
    whole[list(free)] = found
    return whole


def fitted(name: str, data: Data, among: NDArray[np.bool_]) -> Certainty:
    """The curves from the questions that are `among` them."""
    told = data.is_told.astype(np.float64)
    first = logistic(data.best[among], told[among], data.weight[among], range(3))
    mine = among[data.question] & data.is_told[data.question]
    weight = data.weight[data.question]
    second = logistic(data.hits[mine], data.is_gold[mine], weight[mine], range(6))
    if second[4] < 0.0:  # it must not change the order
        second = logistic(data.hits[mine], data.is_gold[mine], weight[mine], (0, 1, 2, 3, 5))
    return Certainty(
        name=name,
        answered=Answered(**dict(zip(("constant", "best", "crowd"), _short(first), strict=True))),
        the_one=TheOne(
            **dict(
                zip(
                    ("constant", "own", "best", "rivals", "first", "crowd"),
                    _short(second),
                    strict=True,
                )
            )
        ),
    )


def _short(column: Column) -> list[float]:
    return [round(float(value), 3) for value in column]


def crossed(name: str, data: Data) -> tuple[Column, Column]:
    """The probability of every hit, and of every question that anything answers, from curves
    fitted without its fold."""
    folds = np.array([case.fold for case in data.cases])
    found = np.zeros(len(data.hits))
    answered = np.zeros(len(data.cases))
    for fold in sorted(set(folds.tolist())):
        certainty = fitted(name, data, folds != fold)
        for place in np.flatnonzero(folds == fold):
            case = data.cases[place]
            strengths = np.sort([hit[0] for hit in case.hits])[::-1]
            found[data.question == place] = certainty.of(strengths, case.considered)
            answered[place] = certainty.answers(float(strengths[0]), case.considered)
    return found, answered


def off_by(said: Column, seen: Column, weight: Column) -> float:
    """Expected calibration error over ten bands."""
    band = np.minimum((said * BANDS).astype(np.intp), BANDS - 1)
    total = 0.0
    for place in np.unique(band):
        mine = band == place
        if (size := weight[mine].sum()) > 0:
            total += abs(np.average(said[mine] - seen[mine], weights=weight[mine])) * size
    return float(total / weight.sum())


def judge(name: str, data: Data) -> None:
    """Print how honest the probabilities are, by the beginning of the folds' names."""
    said, answered = crossed(name, data)
    print(f"\n{name}: {len(data.cases)} questions, {len(said)} hits")
    for group in sorted({case.fold.split()[0] for case in data.cases}):
        mine = np.array([case.fold.startswith(group) for case in data.cases])
        _judge_hits(group, data, mine, said)
        _judge_silence(data, mine, answered)
    weight = data.weight[data.question]
    for place in range(BANDS):
        hits = (said * BANDS).astype(np.intp) == place
        if weight[hits].sum() > 0:
            print(
                f"    {place / BANDS:.1f}: said {np.average(said[hits], weights=weight[hits]):.2f}, "
                f"seen {np.average(data.is_gold[hits], weights=weight[hits]):.2f} of {hits.sum()}"
            )


def _judge_hits(group: str, data: Data, mine: NDArray[np.bool_], said: Column) -> None:
    weight = data.weight[data.question]
    hits = mine[data.question]
    first = hits & (data.hits[:, 4] == 1.0)
    told = hits & data.is_told[data.question]
    print(
        f"  {group}: score off by {off_by(said[hits], data.is_gold[hits], weight[hits]):.3f} "
        f"(best hits {off_by(said[first], data.is_gold[first], weight[first]):.3f}; questions with "
        f"an answer {off_by(said[told], data.is_gold[told], weight[told]):.3f})"
    )


def _judge_silence(data: Data, mine: NDArray[np.bool_], answered: Column) -> None:
    told, strength, sure = data.is_told[mine], np.exp(data.best[mine, 1]), answered[mine]
    best = best_threshold(strength, told)
    print(
        f"    told apart {_apart(sure, data, mine):.3f}, by strength {_apart(strength, data, mine):.3f}; "
        f"balanced by strength at its best {_balanced(strength, data, mine, best):.3f}"
    )
    cases = [case for case, one in zip(data.cases, mine, strict=True) if one]
    weight = data.weight[mine]
    kinds = np.array([case.kind for case in cases])
    found = np.array([any(hit[4] for hit in case.hits[:FIRST_FIVE]) for case in cases])
    for cut in CUTS:
        silent = sure < cut
        parts = [
            f"{kind} {np.average(silent[of], weights=weight[of]):.3f}"
            for kind, of in (
                ("evidence in the first five", (kinds == TOLD) & found),
                *((kind, kinds == kind) for kind in SHARES),
            )
            if weight[of].sum() > 0
        ]
        print(
            f"    silent below {cut}: {', '.join(parts)}; balanced {_balanced(sure, data, mine, cut):.3f}"
        )


def _balanced(sure: Column, data: Data, mine: NDArray[np.bool_], cut: float) -> float:
    told, weight = data.is_told[mine], data.weight[mine]
    right = np.where(told, sure >= cut, sure < cut)
    return float(sum(np.average(right[k], weights=weight[k]) for k in (told, ~told)) / 2)


def _apart(sure: Column, data: Data, mine: NDArray[np.bool_]) -> float:
    told, weight = data.is_told[mine], data.weight[mine]
    order = np.argsort(sure[~told])
    below = np.concatenate([[0.0], np.cumsum(weight[~told][order])])
    low = np.searchsorted(sure[~told][order], sure[told], side="left")
    high = np.searchsorted(sure[~told][order], sure[told], side="right")
    return float(np.average((below[low] + below[high]) / 2, weights=weight[told]) / below[-1])


def main() -> None:
    """Fit what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--embedder", default="local")
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    store = given.cases / f"{given.embedder}.jsonl" if given.cases else None
    if store is not None and given.keep and store.exists():
        cases = read(store)
    else:
        cases = list(observed(given.files, given.embedder))
        if store is not None:
            kept(iter(cases), store)
    table = json.loads(TARGET.read_text("utf-8"))
    for witness in sorted({case.witness for case in cases}):
        data = data_of([case for case in cases if case.witness == witness])
        judge(witness, data)
        table[witness] = {
            **fitted(witness, data, np.ones(len(data.cases), dtype=np.bool_)).as_document(),
            "fitted_on": {"questions": len(data.cases), "hits": len(data.hits),
                          "sets": sorted({case.fold.split()[0] for case in data.cases})},
        }  # fmt: skip
        print(json.dumps(table[witness]))
    if given.write:
        TARGET.write_text(json.dumps(table, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
