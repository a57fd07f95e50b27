"""From a transcript to episodic memories, in batches, each message once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from perdure.domain.records import Kind, Source, State
from perdure.domain.results import Outcome, Remembered
from perdure.domain.scope import Scope
from perdure.domain.times import iso
from perdure.errors import Conflict, InvalidInput
from perdure.importers.documents import Document, documents_of
from perdure.importers.entries import entries_of
from perdure.importers.formats import AUTO, OWN, Shape, reader_of, require_format, shape_of
from perdure.importers.turns import Finding, LeftOut, PassedOver, Turn
from perdure.importers.watching import Progress
from perdure.sync import MemoryManager

BATCH = 200
ACTOR = "import"
CHANGED = "its words or its time changed since it was imported; what is stored stays as it is"

Watcher = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptReport:
    """What became of a transcript's messages.

    `stored` are new. `known` were imported before, or say what is stored already. `withheld` were
    imported before and forgotten since; they stay forgotten. `passed_over` are no part of the
    conversation (system, tools, hidden, without words). `problems` could not be imported.
    `without_vector` of the stored ones wait for the embedder.
    """

    format: str
    conversations: int
    stored: int
    known: int
    withheld: int
    passed_over: int
    without_vector: int
    problems: tuple[LeftOut, ...]


@dataclass(slots=True)
class _Tally:
    conversations: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[LeftOut] = field(default_factory=list)

    def add(self, answer: Remembered | LeftOut) -> None:
        if isinstance(answer, LeftOut):
            self.problems.append(answer)
        elif answer.repeated and answer.memory.state is State.FORGOTTEN:
            self.counts["withheld"] += 1
        elif answer.repeated or answer.outcome is Outcome.ALREADY_KNOWN:
            self.counts["known"] += 1
        else:
            self.counts["stored"] += 1
            self.counts["without_vector"] += answer.outcome is Outcome.DEFERRED

    def report(self, format_name: str) -> TranscriptReport:
        names = ("stored", "known", "withheld", "passed_over", "without_vector")
        return TranscriptReport(
            format=format_name,
            conversations=len(self.conversations),
            problems=tuple(self.problems),
            **{name: self.counts[name] for name in names},
        )


def import_transcript(
    memory: MemoryManager,
    path: str | Path,
    *,
    format: str = AUTO,  # noqa: A002 - the word a caller looks for
    strict: bool = False,
    watch: Watcher | None = None,
) -> TranscriptReport:
    """Store every message of a transcript as an episodic memory in the manager's scope.

    The session is the conversation's id, unless the manager is bound to a session. Each message
    has an idempotency key made of its conversation and its id, so reading the file again, or a
    longer one later, stores only what is new, and what was forgotten stays forgotten. A message
    without id is known by its words, speaker and time.

    Entries that cannot be read are reported in `problems` and the others imported. With `strict`
    the first one raises `InvalidInput` before anything is stored. Can be interrupted and run
    again. `watch` is told how far it has come, after every batch.
    """
    documents = documents_of(path)
    require_format(format)
    shapes = [_shape(document, format) for document in documents]
    if strict:
        _require_sound(documents, shapes)
    total = sum(document.size for document in documents)
    tally, read = _Tally(), 0

    def counted(count: int) -> None:
        nonlocal read
        read += count

    loader = _Loader(memory, tally)
    for finding in _findings(documents, shapes, counted):
        loader.take(finding)
        if watch is not None and not loader.waiting:
            watch(Progress(read_bytes=read, total_bytes=total, turns=loader.dealt_with))
    loader.flush()
    if strict and tally.problems:
        first = tally.problems[0]
        raise InvalidInput(
            f"{first.place}: {first.problem}; the {tally.counts['stored']} other new messages "
            "are stored"
        )
    if watch is not None:
        watch(Progress(read_bytes=total, total_bytes=total, turns=loader.dealt_with))
    return tally.report(shapes[0].format)


def _shape(document: Document, wanted: str) -> Shape:
    shape = shape_of(document, wanted)
    if shape.format == OWN:
        raise InvalidInput(f"{document.name} is an export of Perdure; import_ reads those")
    return shape


def _require_sound(documents: Sequence[Document], shapes: Sequence[Shape]) -> None:
    for finding in _findings(documents, shapes, lambda count: None):
        if isinstance(finding, LeftOut):
            raise InvalidInput(f"{finding.place}: {finding.problem}; nothing was imported")


def _findings(
    documents: Sequence[Document], shapes: Sequence[Shape], counted: Callable[[int], None]
) -> Iterator[Finding]:
    for document, shape in zip(documents, shapes, strict=True):
        read = reader_of(shape.format, document.stem)
        with document.opened(counted) as file:
            for entry in entries_of(file, shape.layout):
                if len(documents) > 1:
                    entry = replace(entry, place=f"{document.name}, {entry.place}")
                if isinstance(entry, LeftOut):
                    yield entry
                else:
                    yield from read(entry)


class _Loader:
    """Collects turns to a batch and stores it."""

    def __init__(self, memory: MemoryManager, tally: _Tally) -> None:
        self._memory = memory
        self._tally = tally
        self._batch: list[tuple[Turn, dict[str, Any]]] = []
        self._nameless: Counter[bytes] = Counter()
        self.dealt_with = 0

    @property
    def waiting(self) -> bool:
        """Whether turns are collected that are not stored yet."""
        return bool(self._batch)

    def take(self, finding: Finding) -> None:
        match finding:
            case LeftOut():
                self._tally.problems.append(finding)
            case PassedOver():
                self._tally.counts["passed_over"] += 1
            case Turn():
                self._tally.conversations.add(finding.conversation)
                try:
                    self._batch.append((finding, self._item(finding)))
                except InvalidInput as error:
                    self._tally.problems.append(LeftOut(finding.place, str(error)))
        if len(self._batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Store what was collected."""
        for answer in self._stored(self._batch):
            self._tally.add(answer)
        self.dealt_with += len(self._batch)
        self._batch = []

    def _stored(self, batch: list[tuple[Turn, dict[str, Any]]]) -> list[Remembered | LeftOut]:
        """One answer per turn. A batch that is refused is halved until the culprit is alone."""
        if not batch:
            return []
        try:
            if len(batch) == 1:
                return [self._memory.remember(**batch[0][1], actor=ACTOR)]
            return [*self._memory.remember_many([item for _, item in batch], actor=ACTOR)]
        except InvalidInput as error:
            if len(batch) == 1:
                return [LeftOut(batch[0][0].place, str(error))]
        except Conflict:
            if len(batch) == 1:
                return [LeftOut(batch[0][0].place, CHANGED)]
        middle = len(batch) // 2
        return [*self._stored(batch[:middle]), *self._stored(batch[middle:])]

    def _item(self, turn: Turn) -> dict[str, Any]:
        bound = self._memory.scope.session
        metadata: dict[str, Any] = {"conversation": turn.conversation}
        if turn.message_id is not None:
            metadata["message_id"] = turn.message_id
        return {
            "content": turn.words,
            "kind": Kind.EPISODIC,
            "scope": None if bound else Scope(session=turn.conversation),
            "occurred_at": turn.at,
            "metadata": metadata,
            "attachments": turn.attachments,
            "source": Source(
                role=turn.role,
                speaker=turn.speaker,
                message_ids=() if turn.message_id is None else (turn.message_id,),
            ),
            "idempotency_key": self._key(turn),
        }

    def _key(self, turn: Turn) -> str:
        """The same for the same message of a conversation, in the same agent and session."""
        scope = self._memory.scope
        identity: list[Any] = [scope.agent, scope.session, turn.conversation]
        if turn.message_id is not None:
            return "import:" + _digest([*identity, turn.message_id]).hex()
        at = None if turn.at is None else iso(turn.at)
        digest = _digest([*identity, turn.role, turn.speaker, at, turn.words])
        # Somebody may say the same twice: the second "yes" is another message.
        self._nameless[digest] += 1
        return f"import:{digest.hex()}:{self._nameless[digest]}"


def _digest(parts: list[Any]) -> bytes:
    text = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return blake2b(text.encode("ascii"), digest_size=16).digest()
