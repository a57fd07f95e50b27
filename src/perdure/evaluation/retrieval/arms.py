"""Ways of asking the same memories, all through the public calls: the default, and what it must beat.

| Arm | What it is |
|---|---|
| default | `recall` as it ships |
| words | `recall` of a store opened with `embedder="off"`: BM25 |
| vectors | `recall` by the question's vector, ranked by similarity alone |
| reciprocal rank | the two before, joined with equal weights |
| newest | the listing, newest first |
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from perdure import sync
from perdure.config import Settings
from perdure.domain.fusion import reciprocal_rank
from perdure.domain.ranking import Preset
from perdure.domain.results import Recall, RecalledText
from perdure.embedders.registry import resolve_embedder
from perdure.evaluation.clock import SetClock
from perdure.evaluation.retrieval.costs import Stopwatch
from perdure.evaluation.retrieval.guard import require_public, require_shipped, shipped_hash
from perdure.evaluation.retrieval.units import START, Document, Question, Unit
from perdure.evaluation.running import Setting
from perdure.ports.embedder import Embedder
from perdure.sync import MemoryManager

DEFAULT, WORDS, VECTORS, JOINED, NEWEST = "default", "words", "vectors", "reciprocal rank", "newest"
DEPTH = 100
"""How many are asked for; the mean reciprocal rank looks so deep."""
CONTEXT_DEPTH = 50
"""How many may go into a context, so that its budget decides and not their number."""
_SIMILARITY = Preset(name="similarity", similarity=1.0, importance=0.0, recency=0.0, frequency=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The documents an arm gave, best first, how sure it was that anything answers, and the score of
    the best, both in [0, 1]."""

    ids: tuple[str, ...]
    confidence: float = 0.0
    best: float = 0.0


@dataclass(slots=True)
class Bench:
    """The memories of all arms, filled with the same documents. A context manager.

    `recalls` are what the recalls of each arm took, `writes` what storing took in the default one.
    Raises `Misconfigured` when the default arm is not the package as it ships.
    """

    setting: Setting
    with_baselines: bool
    recalls: dict[str, Stopwatch] = field(default_factory=dict)
    writes: Stopwatch = field(default_factory=Stopwatch)
    _stack: ExitStack = field(default_factory=ExitStack)
    _memories: dict[str, tuple[MemoryManager, SetClock]] = field(default_factory=dict)
    _ids: dict[str, dict[str, str]] = field(default_factory=dict)
    _embedder: Embedder | None = None
    _config_hash: str = ""

    def __enter__(self) -> Bench:
        self._memories[DEFAULT] = self._stack.enter_context(self.setting.opened(START))
        require_public(self._memories[DEFAULT][0])
        self._config_hash = shipped_hash(self.setting)
        if self.with_baselines:
            self._embedder = resolve_embedder(self.setting.embedder)
            self._open(WORDS, "off", Settings())
            if self._embedder is not None:
                self._open(VECTORS, self.setting.embedder, Settings(ranking=_SIMILARITY))
        self._ids = {arm: {} for arm in self._memories}
        self.recalls = {arm: Stopwatch() for arm in self._memories}
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _open(self, arm: str, embedder: Embedder | str | None, settings: Settings) -> None:
        clock = SetClock(START)
        memory = sync.open("memory://", embedder=embedder, settings=settings, clock=clock)
        self._memories[arm] = self._stack.enter_context(memory), clock

    @property
    def bytes(self) -> int:
        """The size of the default arm's store."""
        return self._memories[DEFAULT][0].stats().bytes

    def fill(self, unit: Unit) -> Iterator[None]:
        """Store the unit's documents in every arm, in order; yields after each."""
        for document in unit.documents:
            for arm in self._memories:
                self._ids[arm][self._stored(arm, unit, document)] = document.id
            yield

    def _stored(self, arm: str, unit: Unit, item: Document) -> str:
        """The id of the memory that the document is. Baselines only search; they read nothing."""
        memory, clock = self._memories[arm]
        clock.set(max(item.moment, clock.now()))
        mine = memory.scoped(user=self.setting.user(unit.name), session=item.session)
        with self.writes if arm == DEFAULT else Stopwatch():
            stored = mine.remember(
                item.text,
                occurred_at=item.moment if item.is_dated else None,
                source={"speaker": item.speaker} if item.speaker else None,
                understand=arm == DEFAULT,
            )
        return stored.memory.id

    def rankings(self, unit: Unit, question: Question) -> dict[str, Ranked]:
        """What each arm gives."""
        found = {arm: self._ranked(arm, unit, question) for arm in self._memories}
        if not self.with_baselines:
            return found
        if VECTORS in found:
            joined = reciprocal_rank([found[WORDS].ids, found[VECTORS].ids])
            found[JOINED] = Ranked(ids=tuple(sorted(joined, key=lambda id_: (-joined[id_], id_))))
        newest = sorted(unit.documents, key=lambda item: item.moment, reverse=True)
        found[NEWEST] = Ranked(ids=tuple(item.id for item in newest[:DEPTH]))
        return found

    def _ranked(self, arm: str, unit: Unit, question: Question) -> Ranked:
        memory = self._of(arm, unit)
        query = self._vector(question.text) if arm == VECTORS else question.text
        with self.recalls[arm]:
            found = memory.recall(query, limit=DEPTH)
        if arm == DEFAULT:
            require_shipped(found, self._config_hash)
        known = self._ids[arm]
        came = (
            known[id_]
            for hit in found
            for id_ in (hit.memory.id, *hit.memory.provenance)
            if id_ in known
        )
        return Ranked(
            ids=tuple(dict.fromkeys(came)), confidence=_confidence(found), best=_best(found)
        )

    def confidence(self, unit: Unit, question: Question) -> float:
        """How sure the default arm is that something in this unit answers the question."""
        found = self._of(DEFAULT, unit).recall(question.text)
        require_shipped(found, self._config_hash)
        return _confidence(found)

    def context(self, unit: Unit, question: Question, budget: int) -> RecalledText:
        """What goes into a prompt of that many tokens, in the default arm."""
        memory = self._of(DEFAULT, unit)
        return memory.recall_context(question.text, max_tokens=budget, limit=CONTEXT_DEPTH)

    def _of(self, arm: str, unit: Unit) -> MemoryManager:
        return self._memories[arm][0].scoped(user=self.setting.user(unit.name))

    def _vector(self, text: str) -> Sequence[float]:
        assert self._embedder is not None
        rows = asyncio.run(self._embedder.embed([text], purpose="query"))
        vector: Sequence[float] = rows[0].tolist()
        return vector


def _confidence(found: Recall) -> float:
    """The probability that anything answers, or the highest score where nobody knows it; 0 when
    nothing was found relevant."""
    if not len(found):
        return 0.0
    return found.likelihood if found.likelihood is not None else _best(found)


def _best(found: Recall) -> float:
    """The highest score; 0 when nothing was found relevant."""
    return max((hit.score for hit in found), default=0.0)
