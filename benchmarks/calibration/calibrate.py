"""How does an encoder's cosine read as relevance?

    python benchmarks/calibration/calibrate.py [local | hashing | openai:MODEL] [--json FILE]

Fifty situations, each written by hand in English and in Chinese as four sentences: a memory, a
question it answers, a paraphrase of it, and a related sentence that says something else. Pairs
within a language and across the two give the cosines of relevant (question, paraphrase), related
and unrelated (other situations) texts.

Printed: the cosines by kind; for thresholds, the share of relevant pairs kept and of unrelated
ones let through; the probability that a pair is relevant at each cosine, fitted without a formula
(pool adjacent violators) on half relevant, a quarter related, a quarter unrelated weight; and how
well the calibration in the code agrees with it (Brier score: mean squared error of the
probability, 0.25 for a coin).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perdure.domain.calibration import Calibration
from perdure.embedders.registry import resolve_embedder
from perdure.ports.embedder import Embedder

PAIRS = Path(__file__).with_name("pairs.jsonl")
LANGUAGES = (("en", "en"), ("zh", "zh"), ("en", "zh"), ("zh", "en"))
SENTENCES = ("memory", "question", "paraphrase", "related")
THRESHOLDS = (0.05, 0.10, 0.15, 0.20, 0.22, 0.24, 0.26, 0.28, 0.30, 0.32, 0.35, 0.40)
GRID = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9)
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)

Cosines = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Direction:
    """The cosines of one pair of languages (asked in, remembered in)."""

    unrelated_questions: Cosines
    unrelated_statements: Cosines
    related: Cosines
    questions: Cosines
    paraphrases: Cosines
    recall_at_1: float

    @property
    def relevant(self) -> Cosines:
        return np.concatenate([self.questions, self.paraphrases])

    @property
    def unrelated(self) -> Cosines:
        return np.concatenate([self.unrelated_questions, self.unrelated_statements])


async def vectors_of(embedder: Embedder) -> dict[tuple[str, str], NDArray[np.float64]]:
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    found = {}
    for language in ("en", "zh"):
        for sentence in SENTENCES:
            texts = [row[language][sentence] for row in rows]
            embedded = await embedder.embed(texts, purpose="document")
            found[language, sentence] = embedded.astype(np.float64)
    return found


def measure(
    vectors: dict[tuple[str, str], NDArray[np.float64]], asked: str, kept: str
) -> Direction:
    memories = vectors[kept, "memory"]
    questions = vectors[asked, "question"] @ memories.T
    paraphrases = vectors[asked, "paraphrase"] @ memories.T
    related = vectors[asked, "related"] @ memories.T
    distractors = vectors[asked, "question"] @ vectors[kept, "related"].T
    others = ~np.eye(len(memories), dtype=bool)
    everything = np.concatenate([questions, distractors], axis=1)
    return Direction(
        unrelated_questions=np.concatenate([questions[others], distractors[others]]),
        unrelated_statements=np.concatenate([paraphrases[others], related[others]]),
        related=np.concatenate([related.diagonal(), distractors.diagonal()]),
        questions=questions.diagonal(),
        paraphrases=paraphrases.diagonal(),
        recall_at_1=float(np.mean(everything.argmax(axis=1) == np.arange(len(memories)))),
    )


def show_cosines(directions: dict[str, Direction]) -> None:
    print(f"{'':34}{'n':>6}{'mean':>7}" + "".join(f"{f'p{q * 100:g}':>7}" for q in QUANTILES))
    for name, direction in directions.items():
        for kind in (
            "unrelated_questions",
            "unrelated_statements",
            "related",
            "questions",
            "paraphrases",
        ):
            cosines = getattr(direction, kind)
            numbers = "".join(f"{np.quantile(cosines, q):7.3f}" for q in QUANTILES)
            print(f"{name:8}{kind:26}{len(cosines):6}{cosines.mean():7.3f}{numbers}")
        print(f"{name:8}recall@1 of the questions among 100 memories {direction.recall_at_1:.2f}")


def show_thresholds(directions: dict[str, Direction]) -> None:
    print(
        "\nabove a threshold: share of questions kept / of paraphrases kept / of unrelated let in"
    )
    print(f"{'':8}" + "".join(f"{name:>26}" for name in directions))
    for threshold in THRESHOLDS:
        cells = "".join(
            f"{np.mean(d.questions > threshold):10.2f} {np.mean(d.paraphrases > threshold):6.2f}"
            f" {np.mean(d.unrelated_questions > threshold):8.4f}"
            for d in directions.values()
        )
        print(f"{threshold:<8}{cells}")


def understood(directions: dict[str, Direction]) -> dict[str, Direction]:
    """The directions in which the encoder finds anything: hashing knows no translations."""
    return {name: each for name, each in directions.items() if each.recall_at_1 >= 0.1}


def weighted_pairs(directions: dict[str, Direction]) -> tuple[Cosines, Cosines, Cosines]:
    """Cosine, 1 if relevant else 0, and weight of every pair; kinds and directions balanced."""
    parts = []
    for direction in directions.values():
        for cosines, outcome, share in (
            (direction.relevant, 1.0, 0.5),
            (direction.related, 0.0, 0.25),
            (direction.unrelated, 0.0, 0.25),
        ):
            count = len(cosines)
            weights = np.full(count, share / count / len(directions))
            parts.append(np.stack([cosines, np.full(count, outcome), weights]))
    cosines, outcomes, weights = np.concatenate(parts, axis=1)
    order = np.argsort(cosines, kind="stable")
    return cosines[order], outcomes[order], weights[order]


def isotonic(outcomes: Cosines, weights: Cosines) -> Cosines:
    """The rising curve nearest to the outcomes (pool adjacent violators)."""
    blocks: list[list[float]] = []  # value, weight, count
    for outcome, weight in zip(outcomes, weights, strict=True):
        blocks.append([float(outcome), float(weight), 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            value, mass, count = blocks.pop()
            last = blocks[-1]
            last[0] = (last[0] * last[1] + value * mass) / (last[1] + mass)
            last[1] += mass
            last[2] += count
    return np.concatenate([np.full(int(count), value) for value, _, count in blocks])


def brier(probabilities: Cosines, outcomes: Cosines, weights: Cosines) -> float:
    return float(np.sum(weights * (probabilities - outcomes) ** 2) / np.sum(weights))


def show_fit(directions: dict[str, Direction], calibration: Calibration) -> dict[str, float]:
    directions = understood(directions)
    cosines, outcomes, weights = weighted_pairs(directions)
    fitted = isotonic(outcomes, weights)
    given = np.array([calibration.relevance(cosine) for cosine in cosines])
    print(f"\ncosine, fitted probability ({', '.join(directions)}), relevance by the code")
    for cosine in GRID:
        # The fit around the cosine: one step of a staircase says little.
        near = np.abs(cosines - cosine) <= 0.025
        if near.any():
            around = np.average(fitted[near], weights=weights[near])
            print(f"{cosine:6.2f}{around:8.2f}{calibration.relevance(cosine):8.2f}")
    scores = {"fitted": brier(fitted, outcomes, weights), "code": brier(given, outcomes, weights)}
    for name in directions:
        own = weighted_pairs({name: directions[name]})
        values = np.array([calibration.relevance(cosine) for cosine in own[0]])
        scores[f"code {name}"] = brier(values, own[1], own[2])
    print("Brier score: " + ", ".join(f"{name} {score:.3f}" for name, score in scores.items()))
    return scores


def summary(embedder: Embedder, directions: dict[str, Direction]) -> dict[str, object]:
    kinds = ("unrelated_questions", "unrelated_statements", "related", "questions", "paraphrases")
    return {
        "model": embedder.model.identity,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "calibration": asdict(embedder.model.calibration),
        "directions": {
            name: {
                "recall_at_1": direction.recall_at_1,
                **{
                    kind: {
                        "n": len(getattr(direction, kind)),
                        "mean": round(float(getattr(direction, kind).mean()), 4),
                        **{
                            f"p{q * 100:g}": round(
                                float(np.quantile(getattr(direction, kind), q)), 4
                            )
                            for q in QUANTILES
                        },
                    }
                    for kind in kinds
                },
            }
            for name, direction in directions.items()
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("embedder", nargs="?", default="local")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    embedder = resolve_embedder(options.embedder)
    if embedder is None:
        parser.error("there is nothing to calibrate without an embedder")
    vectors = asyncio.run(vectors_of(embedder))
    directions = {f"{a}>{b}": measure(vectors, a, b) for a, b in LANGUAGES}
    print(embedder.model.identity)
    show_cosines(directions)
    show_thresholds(directions)
    scores = show_fit(directions, embedder.model.calibration)
    if options.json:
        result = {**summary(embedder, directions), "brier": scores}
        options.json.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
