"""What a message is about to change, before it is written: decisions see one another's effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from perdure.domain.changes import Change, Operation, SlotState, Vectors
from perdure.domain.records import Json, Memory, Metadata
from perdure.domain.scope import Scope
from perdure.domain.slots import Succession, succeed
from perdure.engine.core import Core
from perdure.engine.writing import collapsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A message that is stored word for word already and is decided upon now.

    `metadata` is what the memory of its first part keeps of the mark it carried.
    """

    memory: Memory
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class Working:
    """Changes in the making over the stored state."""

    core: Core
    now: datetime
    current: dict[str, Memory] = field(default_factory=dict)
    vectors: dict[str, Vectors] = field(default_factory=dict)
    made: dict[str, None] = field(default_factory=dict)
    slot_states: dict[tuple[Scope, str], SlotState] = field(default_factory=dict)
    kept: Kept | None = None
    _is_kept_used: bool = False
    _changes: list[Change] = field(default_factory=list)
    _versions: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kept is not None:
            self.note(self.kept.memory)

    def new_id(self) -> str:
        """An id for something made now."""
        return self.core.new_id(self.now)

    def part_id(self) -> str:
        """An id for a part of the message: the first takes the place of the words kept whole."""
        if self.kept is None or self._is_kept_used:
            return self.new_id()
        self._is_kept_used = True
        return self.kept.memory.id

    def seen(self, memories: Iterable[Memory]) -> list[Memory]:
        """The memories as the changes so far leave them."""
        return [self.current.get(memory.id, memory) for memory in memories]

    def create(self, memory: Memory, vectors: Vectors | None, reason: str | None = None) -> None:
        """Add a new memory, or what becomes of the words kept whole."""
        if self.kept is not None and memory.id == self.kept.memory.id:
            self._replace_kept(self.kept, memory, vectors, reason)
            return
        self.add(Change(operation=Operation.CREATED, after=memory, vectors=vectors, reason=reason))

    def _replace_kept(
        self, kept: Kept, memory: Memory, vectors: Vectors | None, reason: str | None
    ) -> None:
        before = kept.memory
        after = replace(
            memory,
            version=before.version,
            recorded_at=before.recorded_at,
            accessed_count=before.accessed_count,
            used_count=before.used_count,
            last_accessed_at=before.last_accessed_at,
            metadata=Metadata({**memory.metadata, **kept.metadata}),
        )
        self.add(
            Change(
                operation=Operation.UPDATED,
                before=before,
                after=after,
                vectors=vectors,
                reason=reason,
            )
        )
        self.made[after.id] = None
        if vectors is not None:
            self.vectors[after.id] = vectors

    def change(
        self, after: Memory, operation: Operation = Operation.UPDATED, reason: str | None = None
    ) -> None:
        """Change a memory that was noted or made; the version is seen to."""
        before = self.current[after.id]
        self.add(Change(operation=operation, before=before, after=after, reason=reason))

    def note(self, memory: Memory) -> Memory:
        """Remember what a memory was read as; gives what the changes so far made of it."""
        return self.current.setdefault(memory.id, memory)

    def add(self, change: Change) -> None:
        """Take a change in. However often a memory changes, it becomes one version further."""
        before = change.before
        if before is not None:
            is_new = before.id in self.made and before.id not in self._versions
            first = 0 if is_new else self._versions.setdefault(before.id, before.version)
            change = replace(change, after=replace(change.after, version=first + 1))
        self._changes.append(change)
        self.current[change.after.id] = change.after
        if change.before is None:
            self.made[change.after.id] = None
        if change.vectors is not None:
            self.vectors[change.after.id] = change.vectors

    async def slot(self, scope: Scope, key: str) -> list[Memory]:
        """The unretired members of a slot, as the changes so far leave them."""
        stored = await self.core.store.slot(scope, key)
        if (scope, key) not in self.slot_states:
            self.slot_states[scope, key] = SlotState(
                scope=scope,
                key=key,
                members=frozenset((item.id, item.version) for item in stored),
            )
        made = [
            memory
            for memory_id in self.made
            if (memory := self.current[memory_id]).key == key and memory.scope == scope
        ]
        members = [self.note(item) for item in stored]
        known = {item.id for item in members}
        members += [item for item in made if item.id not in known]
        return [item for item in members if item.retired_at is None]

    async def succeed(self, memory: Memory, vectors: Vectors | None) -> Succession:
        """Put a new value into its slot, in its place among the others."""
        assert memory.key is not None
        members = await self.slot(memory.scope, memory.key)
        succession = succeed(members, memory, now=self.now, new_id=self.new_id)
        for change in succession.changes:
            is_new = change.after.id == memory.id
            self.add(replace(change, vectors=vectors) if is_new else change)
        return succession

    @property
    def changes(self) -> list[Change]:
        """What is to be written, at most one change per memory."""
        return collapsed(self._changes)
