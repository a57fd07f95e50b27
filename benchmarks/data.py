"""Deterministic synthetic memories with precomputed vectors.

What the data imitates: short personal statements of about 100 characters in English and, one in
seven, Chinese; word frequencies by Zipf's law over a vocabulary of realistic size; topics that
share words and lie together in vector space; many users; a year of time.

A memory depends on its number and the seed alone, so a store of 1,000 is a prefix of one of
100,000, and every system, process and run sees the same texts and vectors.
"""

from __future__ import annotations

import contextlib
import os
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import vocabulary

FloatArray = NDArray[np.float32]

SEED = 20_250_701
DIMENSION = 384
TOPICS = 400
CHANNELS = ("chat", "mail", "voice", "note", "import")
EPOCH = datetime(2025, 1, 1, tzinfo=UTC)
YEAR_S = 365 * 86_400
SPARE = 20_000
"""Memories generated beyond a store's size, for the adds that are measured on top of it."""

_BLOCK = 10_000
_CHINESE_SHARE = 0.15
_TOPIC_WORDS = 150
_CACHE = Path(__file__).parent / ".data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory to store. `vector` is unit length, float32, `DIMENSION` long."""

    number: int
    user: str
    text: str
    kind: str
    importance: float
    occurred_at: datetime
    metadata: dict[str, Any]
    vector: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question of one user: a few words of a stored memory and a vector near its vector."""

    user: str
    text: str
    vector: FloatArray
    target: str


class VectorTable:
    """Vectors by text: the encoder of every system, at the price of one dictionary look-up.

    A text that is not in the table counts as a miss, so that a system which embeds something else
    (pieces, entities) still runs and is found out. Its vector is drawn from its checksum around
    `elsewhere`, a direction no question points to, so that it is nobody's nearest neighbour.
    """

    def __init__(self, elsewhere: FloatArray | None = None) -> None:
        self._rows: dict[str, FloatArray] = {}
        self._elsewhere = np.zeros(DIMENSION, np.float32) if elsewhere is None else elsewhere
        self.misses = 0

    def put(self, text: str, vector: FloatArray) -> None:
        """Make `vector` the answer for `text`."""
        self._rows[text] = vector

    def of(self, text: str) -> FloatArray:
        """The vector of one text."""
        vector = self._rows.get(text)
        if vector is None:
            self.misses += 1
            noise = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(DIMENSION)
            vector = self._rows[text] = _unit(2.0 * self._elsewhere + _unit(noise))
        return vector

    def rows(self, texts: Sequence[str]) -> FloatArray:
        """One row per text, in order."""
        if len(texts) == 1:
            return self.of(texts[0])[np.newaxis]
        if not texts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        return np.stack([self.of(text) for text in texts])


class LookupEmbedder:
    """A `VectorTable` as an embedder in the sense of `perdure.ports.embedder`.

    `model` is the `EmbeddingModel` to claim; it is passed in so that this module needs no more
    than numpy.
    """

    is_blocking = True

    def __init__(self, vectors: VectorTable, model: Any) -> None:
        self._vectors = vectors
        self.model = model

    async def embed(self, texts: Sequence[str], *, purpose: str) -> FloatArray:
        """One row per text, in order: shape (len(texts), DIMENSION), unit length."""
        return self._vectors.rows(texts)


class Dataset:
    """The memories numbered from 0 to `size`, spread over `users` users."""

    def __init__(self, size: int, users: int) -> None:
        self.size = size
        self.users = users
        texts_path, vectors_path, columns_path = _generated(size + SPARE)
        self._texts = texts_path.read_text(encoding="utf-8").split("\n")
        self._vectors = np.load(vectors_path, mmap_mode="r")
        self._columns = np.load(columns_path)

    def item(self, number: int) -> Item:
        """The memory with that number."""
        _, user, kind, importance, seconds, topic, channel = self._columns[number].tolist()
        return Item(
            number=number,
            user=f"u{int(user) % self.users}",
            text=self._texts[number],
            kind="long_term" if kind < 0.3 else "episodic",
            importance=round(importance, 3),
            occurred_at=EPOCH + timedelta(seconds=int(seconds)),
            metadata={"topic": int(topic), "channel": CHANNELS[int(channel)], "turn": number % 50},
            vector=np.asarray(self._vectors[number]),
        )

    def items(self, first: int, last: int) -> Iterator[Item]:
        """The memories numbered from `first` up to but not including `last`."""
        return (self.item(number) for number in range(first, last))

    def table(self) -> VectorTable:
        """Vectors of every text, the spare ones included."""
        vectors = VectorTable(elsewhere=_unit(-self._vectors[:1_000].mean(axis=0)))
        for number in range(self.size + SPARE):
            vectors.put(self._texts[number], np.asarray(self._vectors[number]))
        return vectors

    def queries(self, count: int, *, seed: int = SEED) -> list[Query]:
        """Questions about memories of this data set, each of that memory's user.

        Three or four rare words and two frequent ones, as people ask; the vector has a cosine of
        about 0.8 with the memory's. No two questions are alike.
        """
        chance = random.Random(f"{seed}/{self.size}/{self.users}")
        noise = np.random.default_rng(seed)
        queries: dict[str, Query] = {}
        while len(queries) < count:
            target = self.item(chance.randrange(self.size))
            text = _question(target.text, chance)
            vector = _unit(target.vector + 0.75 * _unit(noise.standard_normal(DIMENSION)))
            queries.setdefault(
                text, Query(user=target.user, text=text, vector=vector, target=target.text)
            )
        return list(queries.values())

    def exact(self, query: Query, k: int) -> list[str]:
        """The texts of the user's `k` memories with the highest cosine: the truth for recall@k."""
        user = int(query.user[1:])
        mine = np.flatnonzero(self._columns[: self.size, 1].astype(np.int64) % self.users == user)
        similarity = np.asarray(self._vectors[mine]) @ query.vector
        best = np.argsort(-similarity, kind="stable")[:k]
        return [self._texts[mine[i]] for i in best]


def _question(text: str, chance: random.Random) -> str:
    if text.endswith("。"):
        start = chance.randrange(max(1, len(text) - 9))
        return f"我之前说过{text[start : start + 8].strip('。')}吗"
    words = text.rstrip(".").lower().split()
    rare = [word for word in words if word not in vocabulary.FUNCTION_WORDS] or words
    picked = chance.sample(rare, min(len(rare), chance.choice((3, 4))))
    return f"what about {' '.join(picked)}"


def _unit(vector: NDArray[np.floating[Any]]) -> FloatArray:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _generated(size: int) -> tuple[Path, Path, Path]:
    """Paths of texts, vectors and columns of at least `size` memories, made once and kept."""
    for held in sorted(_CACHE.glob(f"{SEED}-*"), key=lambda path: int(path.name.split("-")[1])):
        if int(held.name.split("-")[1]) >= size and (held / "columns.npy").exists():
            break
    else:
        held = _CACHE / f"{SEED}-{size}"
        _generate(size, held.with_name(f"making-{os.getpid()}"))
        with contextlib.suppress(OSError):  # somebody else made the same meanwhile
            held.with_name(f"making-{os.getpid()}").rename(held)
    return held / "texts.txt", held / "vectors.npy", held / "columns.npy"


def _generate(size: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    blocks = -(-size // _BLOCK)
    write = _Writer()
    texts: dict[str, None] = {}
    vectors = np.lib.format.open_memmap(
        folder / "vectors.npy", mode="w+", dtype=np.float32, shape=(blocks * _BLOCK, DIMENSION)
    )
    columns = np.empty((blocks * _BLOCK, 7))
    for block in range(blocks):
        rng = np.random.default_rng((SEED, block))
        rows = slice(block * _BLOCK, (block + 1) * _BLOCK)
        columns[rows, 0] = np.arange(rows.start, rows.stop)
        columns[rows, 1] = rng.integers(0, 1 << 40, _BLOCK)
        columns[rows, 2] = rng.random(_BLOCK)
        columns[rows, 3] = rng.uniform(0.1, 0.9, _BLOCK)
        columns[rows, 4] = rng.integers(0, YEAR_S, _BLOCK)
        columns[rows, 5] = topics = rng.integers(0, TOPICS, _BLOCK)
        columns[rows, 6] = rng.integers(0, len(CHANNELS), _BLOCK)
        vectors[rows] = write.vectors(topics, rng)
        for number, text in enumerate(write.texts(topics, rng), start=rows.start):
            texts[text if text not in texts else f"{text[:-1]} {number}{text[-1]}"] = None
    vectors.flush()
    if len(texts) != blocks * _BLOCK:
        raise AssertionError("two memories have the same text")
    (folder / "texts.txt").write_text("\n".join(texts), encoding="utf-8")
    np.save(folder / "columns.npy", columns)


class _Writer:
    """Draws texts and vectors; everything fixed by the seed is drawn once, here."""

    def __init__(self) -> None:
        chance = random.Random(SEED)
        rng = np.random.default_rng(SEED)
        self._english = _Language(
            vocabulary.FUNCTION_WORDS, vocabulary.english_content_words(chance), rng
        )
        self._chinese = _Language(
            vocabulary.CHINESE_FUNCTION_WORDS, vocabulary.chinese_content_words(chance), rng
        )
        self._centroids = _rows_of_unit_length(rng.standard_normal((TOPICS, DIMENSION)))
        self._common = _unit(rng.standard_normal(DIMENSION))
        self._mixing = rng.standard_normal((48, DIMENSION)) / np.sqrt(48 * DIMENSION)

    def vectors(self, topics: NDArray[np.int64], rng: np.random.Generator) -> FloatArray:
        """A shared direction, the topic's direction, a low-rank part and some noise.

        Random pairs have a cosine near 0.1 and pairs of one topic near 0.5, like sentence encoders.
        """
        count = len(topics)
        low_rank = rng.standard_normal((count, 48)) @ self._mixing
        noise = rng.standard_normal((count, DIMENSION)) / np.sqrt(DIMENSION)
        mixed = 0.35 * self._common + 0.7 * self._centroids[topics] + 0.6 * low_rank + 0.35 * noise
        return _rows_of_unit_length(mixed).astype(np.float32)

    def texts(self, topics: NDArray[np.int64], rng: np.random.Generator) -> Iterator[str]:
        """One sentence per topic given."""
        is_chinese = rng.random(len(topics)) < _CHINESE_SHARE
        lengths = np.clip(rng.normal(100, 25, len(topics)), 40, 200)
        english = self._english.words(topics, 44, rng)
        chinese = self._chinese.words(topics, 44, rng)
        for i in range(len(topics)):
            if is_chinese[i]:
                yield _until(lengths[i] * 0.6, chinese[i], "".join) + "。"
            else:
                yield _until(lengths[i], english[i], " ".join).capitalize() + "."


class _Language:
    def __init__(self, function: list[str], content: list[str], rng: np.random.Generator) -> None:
        self._words = np.array(function + content, dtype=object)
        self._function_at = _cumulative_zipf(len(function))
        self._content_at = _cumulative_zipf(len(content))
        self._topic_at = _cumulative_zipf(_TOPIC_WORDS)
        self._first = len(function)
        self._topics = np.stack(
            [rng.choice(len(content), _TOPIC_WORDS, replace=False) for _ in range(TOPICS)]
        )

    def words(self, topics: NDArray[np.int64], width: int, rng: np.random.Generator) -> Any:
        """Rows of words: two in five grammatical, two in five of the topic, one of anything."""
        shape = (len(topics), width)
        which = rng.random(shape)
        function = np.searchsorted(self._function_at, rng.random(shape))
        anything = np.searchsorted(self._content_at, rng.random(shape))
        topical = self._topics[topics[:, None], np.searchsorted(self._topic_at, rng.random(shape))]
        content = np.where(which < 0.6, anything, topical) + self._first
        return self._words[np.where(which < 0.4, function, content)]


def _cumulative_zipf(size: int) -> NDArray[np.float64]:
    weights = 1.0 / (np.arange(size) + 2.7)
    cumulative = np.cumsum(weights / weights.sum())
    cumulative[-1] = 1.0
    return cumulative


def _rows_of_unit_length(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / lengths


def _until(length: float, words: Sequence[str], join: Callable[[Sequence[str]], str]) -> str:
    total, taken = 0.0, 0
    while taken < len(words) and total < length:
        total += len(words[taken]) + 1
        taken += 1
    return join(list(words[:taken]))
