"""What does finding better cost? The shipped recall beside the plain core, among 10,000 memories.

Usage: python -m benchmarks.quality_cost [--memories N] [--questions N]

Two stores hold the same memories of one user, and every question is put to both in turn:

| | plain | as it ships |
|---|---|---|
| words in common and sentence vectors, fused | yes | yes |
| speakers and sessions, so that neighbouring turns lend | no | yes |
| the second look, word by word, at the best sixty | no | yes |
| scores read as probabilities | no | yes |

The encoder is apart: sentence vectors come from a table, those of words from one vector for each
word, and what making them takes is subtracted on both sides. Prints CPU milliseconds per recall and
the difference, question by question, and keeps them in `benchmarks/results/quality_cost.json`.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

import numpy as np

import perdure
from benchmarks.data import Dataset, FloatArray, Query, VectorTable
from benchmarks.harness import environment
from perdure.domain.calibration import Calibration
from perdure.domain.ranking import BALANCED
from perdure.ports.embedder import EmbeddingModel, Purpose, TokenModel, TokenRows

RESULTS = Path(__file__).parent / "results" / "quality_cost.json"
TARGET_MS = 3.0
WARM_UP = 20
TURNS = 20
"""Of a session."""
NAMES = ("Ann", "Oto", "Mei", "Lars")
WORDS = TokenModel(name="words-of-benchmark", dimension=64)
_WORD = re.compile(r"[A-Za-z0-9]+")


class TableEmbedder:
    """Vectors from tables. `spent_s` is the CPU time they took."""

    is_blocking = True

    def __init__(self, table: VectorTable, dimension: int, tokens: TokenModel | None) -> None:
        self._table = table
        self._words: dict[str, FloatArray] = {}
        self.model = EmbeddingModel(
            name="table", dimension=dimension, calibration=_calibration(), tokens=tokens
        )
        self.spent_s = 0.0

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """One row per text, in order."""
        start = time.process_time()
        rows = self._table.rows(texts)
        self.spent_s += time.process_time() - start
        return rows

    async def embed_tokens(self, texts: Sequence[str], *, purpose: Purpose) -> list[TokenRows]:
        """The same vector for the same word, everywhere."""
        start = time.process_time()
        made = []
        for text in texts:
            words = tuple(word.lower() for word in _WORD.findall(text))
            rows = [self._of(word) for word in words]
            table = np.stack(rows) if rows else np.empty((0, WORDS.dimension), np.float32)
            made.append(TokenRows(words=words, rows=table))
        self.spent_s += time.process_time() - start
        return made

    def _of(self, word: str) -> FloatArray:
        row = self._words.get(word)
        if row is None:
            drawn = np.random.default_rng(zlib.crc32(word.encode())).standard_normal(64)
            row = self._words[word] = (drawn / np.linalg.norm(drawn)).astype(np.float32)
        return row


def _calibration() -> Calibration:
    from perdure.embedders.local import CALIBRATION
    from perdure.engine.certainty import shipped

    return replace(CALIBRATION, certainty=next(iter(shipped().values()), None))


def filled(
    path: Path, dataset: Dataset, embedder: TableEmbedder, *, is_plain: bool
) -> perdure.MemoryManager:
    """A store of the dataset's memories, all of one user."""
    preset = replace(BALANCED, name="plain", is_probability=False)
    settings = perdure.Settings(durability="normal", ranking=preset if is_plain else "balanced")
    memory = perdure.open(path, embedder=embedder, settings=settings).scoped(user="u")
    for start in range(0, dataset.size, 500):
        memory.remember_many(
            [
                {
                    "content": item.text,
                    "occurred_at": item.occurred_at,
                    "understand": False,
                    **({} if is_plain else _spoken(item.number)),
                }
                for item in map(dataset.item, range(start, min(start + 500, dataset.size)))
            ]
        )
    return memory


def _spoken(number: int) -> dict[str, object]:
    scope = perdure.Scope(user="u", session=f"s{number // TURNS}")
    return {"scope": scope, "source": {"speaker": NAMES[number % len(NAMES)]}}


def cpu_ms(memory: perdure.MemoryManager, embedder: TableEmbedder, query: Query) -> float:
    """CPU time of one recall, less the encoder's."""
    before, encoding = time.process_time(), embedder.spent_s
    memory.recall(query.text)
    return (time.process_time() - before - (embedder.spent_s - encoding)) * 1000


def measured(memories: int, questions: int) -> dict[str, object]:
    """The figures."""
    dataset = Dataset(memories, 1)
    queries = dataset.queries(questions + WARM_UP)
    table = VectorTable()
    for number in range(memories):
        item = dataset.item(number)
        table.put(item.text, item.vector)
    for query in queries:
        table.put(query.text, query.vector)
    dimension = len(queries[0].vector)
    spent: dict[bool, list[float]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        sides = {}
        for is_plain in (True, False):
            embedder = TableEmbedder(table, dimension, None if is_plain else WORDS)
            path = Path(folder) / f"{'plain' if is_plain else 'shipped'}.db"
            sides[is_plain] = filled(path, dataset, embedder, is_plain=is_plain), embedder
        for number, query in enumerate(queries):
            for is_plain in (True, False) if number % 2 else (False, True):
                taken = cpu_ms(*sides[is_plain], query)
                if number >= WARM_UP:
                    spent[is_plain].append(taken)
        for memory, _ in sides.values():
            memory.close()
    return {
        "plain_cpu_ms": round(median(spent[True]), 3),
        "shipped_cpu_ms": round(median(spent[False]), 3),
        "difference_cpu_ms": _spread(
            [mine - plain for mine, plain in zip(spent[False], spent[True], strict=True)]
        ),
        "ratio": round(
            median(mine / plain for mine, plain in zip(spent[False], spent[True], strict=True)), 2
        ),
        "target_ms": TARGET_MS,
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    tenths = quantiles(values, n=10)
    return {
        "median": round(median(values), 3),
        "mean": round(sum(values) / len(values), 3),
        "p10": round(tenths[0], 3),
        "p90": round(tenths[-1], 3),
    }


def main() -> None:
    """Measure, print, and keep the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=300)
    given = parser.parse_args()
    figures = measured(given.memories, given.questions)
    print(json.dumps(figures, indent=1))
    with tempfile.TemporaryDirectory() as folder:
        result = {
            "environment": environment(Path(folder)),
            "asked": {"memories": given.memories, "questions": given.questions},
            "figures": figures,
        }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
