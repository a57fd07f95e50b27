"""Ways of asking the same memories, all through the public calls: the default, and what it must beat.

| Arm | What it is |
|---|---|
| default | `recall` as it ships |
| words | `recall` of a store opened with `embedder="off"` |
| vectors | `recall` by the question's vector, ranked by similarity alone |
| reciprocal rank | the two before, joined with equal weights |
| newest | the listing, newest first |
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from time import process_time

from perdure import sync
from perdure.config import Settings
from perdure.domain.fusion import reciprocal_rank
from perdure.domain.ranking import Preset
from perdure.embedders.registry import resolve_embedder
from perdure.evaluation.clock import SetClock
from perdure.evaluation.retrieval.units import START, Document, Question, Unit
from perdure.evaluation.running import Setting
from perdure.ports.embedder import Embedder
from perdure.sync import MemoryManager

DEFAULT, WORDS, VECTORS, JOINED, NEWEST = "default", "words", "vectors", "reciprocal rank", "newest"
DEPTH = 100
"""How many are asked for; the mean reciprocal rank looks so deep."""
_SIMILARITY = Preset(name="similarity", similarity=1.0, importance=0.0, recency=0.0, frequency=0.0)


@dataclass(slots=True)
class Bench:
    """The memories of all arms, filled with the same documents. A context manager.

    `cpu_s` adds up what the arms' recalls took, of `recalls` questions.
    """

    setting: Setting
    with_baselines: bool
    cpu_s: dict[str, float] = field(default_factory=dict)
    recalls: int = 0
    _stack: ExitStack = field(default_factory=ExitStack)
    _memories: dict[str, tuple[MemoryManager, SetClock]] = field(default_factory=dict)
    _ids: dict[str, dict[str, str]] = field(default_factory=dict)
    _embedder: Embedder | None = None

    def __enter__(self) -> Bench:
        self._memories[DEFAULT] = self._stack.enter_context(self.setting.opened(START))
        if self.with_baselines:
            self._embedder = resolve_embedder(self.setting.embedder)
            self._open(WORDS, "off", Settings())
            if self._embedder is not None:
                self._open(VECTORS, self.setting.embedder, Settings(ranking=_SIMILARITY))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _open(self, arm: str, embedder: Embedder | str | None, settings: Settings) -> None:
        clock = SetClock(START)
        memory = sync.open("memory://", embedder=embedder, settings=settings, clock=clock)
        self._memories[arm] = self._stack.enter_context(memory), clock

    def fill(self, unit: Unit) -> Iterator[None]:
        """Store the unit's documents in every arm, in order; yields after each."""
        self._ids = {arm: {} for arm in self._memories}
        for document in unit.documents:
            for arm in self._memories:
                self._ids[arm][self._stored(arm, unit, document)] = document.id
            yield

    def _stored(self, arm: str, unit: Unit, item: Document) -> str:
        """The id of the memory that the document is. Baselines only search; they read nothing."""
        memory, clock = self._memories[arm]
        clock.set(max(item.moment, clock.now()))
        mine = memory.scoped(user=self.setting.user(unit.name), session=item.session)
        stored = mine.remember(
            item.text,
            occurred_at=item.moment if item.is_dated else None,
            source={"speaker": item.speaker} if item.speaker else None,
            understand=arm == DEFAULT,
        )
        return stored.memory.id

    def rankings(self, unit: Unit, question: Question) -> dict[str, list[str]]:
        """The documents each arm gives, best first."""
        found = {arm: self._ranked(arm, unit, question) for arm in self._memories}
        self.recalls += 1
        if not self.with_baselines:
            return found
        if VECTORS in found:
            joined = reciprocal_rank([found[WORDS], found[VECTORS]])
            found[JOINED] = sorted(joined, key=lambda item: (-joined[item], item))
        newest = sorted(unit.documents, key=lambda item: item.moment, reverse=True)
        found[NEWEST] = [item.id for item in newest[:DEPTH]]
        return found

    def _ranked(self, arm: str, unit: Unit, question: Question) -> list[str]:
        memory = self._memories[arm][0].scoped(user=self.setting.user(unit.name))
        query = self._vector(question.text) if arm == VECTORS else question.text
        begun = process_time()
        hits = memory.recall(query, limit=DEPTH)
        self.cpu_s[arm] = self.cpu_s.get(arm, 0.0) + process_time() - begun
        known = self._ids[arm]
        came = (
            known[id_]
            for hit in hits
            for id_ in (hit.memory.id, *hit.memory.provenance)
            if id_ in known
        )
        return list(dict.fromkeys(came))

    def _vector(self, text: str) -> Sequence[float]:
        assert self._embedder is not None
        rows = asyncio.run(self._embedder.embed([text], purpose="query"))
        vector: Sequence[float] = rows[0].tolist()
        return vector
