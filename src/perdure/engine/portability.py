"""Export and import: every memory with its whole history, one JSON line each.

The first line says what the file is. A memory's line holds how it stands and the journal entries
that led there, so validity, versions and what was known when survive the journey; steps whose
contents were removed are left out. A forgotten memory is exported as a tombstone without its words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from perdure.domain.changes import Accesses, Change, JournalEntry, Operation, Refused
from perdure.domain.codec import Document, encode
from perdure.domain.journal import canonical
from perdure.domain.records import Memory, State
from perdure.domain.replay import replay
from perdure.domain.results import Exported, Imported
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.domain.times import as_utc, iso
from perdure.domain.visibility import View
from perdure.engine.core import Core
from perdure.engine.soundness import (
    is_plainly_storable,
    require_storable,
    require_words,
    sound_history,
    sound_memory,
)
from perdure.engine.writing import write
from perdure.errors import Conflict, InvalidInput

FORMAT = 1
BATCH = 500
Walls = tuple[str, str]
OnConflict = Literal["skip", "replace", "error"]
IN_THE_FILE = "imported over another version"
TOMBSTONE = "tombstone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imports:
    """One line of an export, read: the memory, and the changes that made it."""

    memory: Memory
    changes: tuple[Change, ...]


async def export_lines(core: Core, view: View) -> tuple[list[str], Exported]:
    """The lines of an export of everything in the view's scope, and what they hold."""
    entries: dict[str, list[JournalEntry]] = {}
    for entry in await core.store.changes_since(view, 0):
        entries.setdefault(entry.memory_id, []).append(entry)
    _refuse_silent_nothing(entries, view)
    lines = [canonical({"perdure": "export", "format": FORMAT, "exported_at": iso(view.now)})]
    tombstones = 0
    for memory_id, history in entries.items():
        memory = core.accesses.overlay(replay(history)[memory_id])
        if memory.state is State.FORGOTTEN:
            tombstones += 1
            lines.append(canonical({"tombstone": _tombstone(memory)}))
        else:
            lines.append(canonical({"memory": encode(memory), "history": _steps(history)}))
    return lines, Exported(memories=len(entries) - tombstones, tombstones=tombstones)


def _refuse_silent_nothing(entries: Mapping[str, object], view: View) -> None:
    if not entries and view.scope.is_blank and not view.everything:
        raise InvalidInput(
            "nothing is stored of no particular user; name a scope to export its memories, "
            "or pass everything=True to export all users"
        )


def _tombstone(memory: Memory) -> Document:
    scope = encode(memory).get("scope", {})
    return {
        "id": memory.id,
        "scope": scope,
        "forgotten_at": iso(memory.retired_at or memory.recorded_at),
    }


def _steps(history: Sequence[JournalEntry]) -> list[Document]:
    return [
        {
            "operation": entry.operation.value,
            "at": iso(entry.at),
            "actor": entry.actor,
            "reason": entry.reason,
            "change": dict(entry.change),
        }
        for entry in history
        if entry.operation is not Operation.ACCESSED and not entry.is_emptied
    ]


def read_lines(lines: Iterable[str], bound: Scope) -> Iterator[Imports]:
    """The memories of an export file, each checked; `InvalidInput` names a line that is wrong.

    A bound manager refuses memories from outside its scope; a tenant is never crossed.
    """
    numbered = enumerate(lines, start=1)
    _require_header(next(numbered, (1, ""))[1])
    seen: set[str] = set()
    for number, line in numbered:
        if line.strip():
            imports = _read_line(number, line, bound)
            if imports.memory.id in seen:
                raise InvalidInput(f"line {number} of the export repeats an earlier memory")
            seen.add(imports.memory.id)
            yield imports


def _require_header(line: str) -> None:
    try:
        header = json.loads(line)
        made = header["perdure"] == "export" and int(header["format"])
    except (ValueError, KeyError, TypeError, RecursionError):
        made = False
    if not made:
        raise InvalidInput("the file is not an export: its first line does not say so")
    if made > FORMAT:
        raise InvalidInput(
            f"the export has format {made}; this version reads up to {FORMAT}. Upgrade perdure"
        )


def _read_line(number: int, line: str, bound: Scope) -> Imports:
    try:
        raw = json.loads(line)
        if not is_plainly_storable(line):
            require_storable(raw)
        imports = _from_tombstone(raw["tombstone"]) if "tombstone" in raw else _from_memory(raw)
    except KeyError as error:
        raise InvalidInput(f"line {number} of the export is damaged: no {error}") from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"line {number} of the export is damaged: {error}") from error
    scope = imports.memory.scope
    if scope.tenant != bound.tenant or any(
        getattr(bound, part) not in ("", getattr(scope, part))
        for part in ("user", "agent", "session")
    ):
        raise InvalidInput(
            f"line {number} of the export belongs to another tenant, user, agent or session; "
            "import it with a manager that is bound to none of them"
        )
    return imports


def _from_tombstone(raw: Document) -> Imports:
    at = raw["forgotten_at"]
    document = {
        "id": raw["id"], "content": "", "scope": raw["scope"], "state": State.FORGOTTEN.value,
        "occurred_at": at, "recorded_at": at, "valid_from": at, "retired_at": at,
    }  # fmt: skip
    memory = sound_memory(document)
    change = Change(
        operation=Operation.FORGOTTEN, after=memory, at=memory.recorded_at, reason=TOMBSTONE
    )
    return Imports(memory=memory, changes=(change,))


def _from_memory(raw: Document) -> Imports:
    memory = sound_memory(raw["memory"])
    require_words(memory)
    before: Memory | None = None
    changes: list[Change] = []
    for step, after in sound_history(raw["history"], memory, raw["memory"]):
        changes.append(
            Change(
                operation=Operation(step["operation"]),
                before=before,
                after=after,
                reason=step["reason"],
                at=as_utc(step["at"]),
                actor=step["actor"],
            )
        )
        before = after
    assert before is not None
    if before is not memory:
        counts = (memory.accessed_count, memory.last_accessed_at)
        counted = replace(before, accessed_count=counts[0], last_accessed_at=counts[1])
        if counted != memory:
            raise ValueError("its history does not lead to the memory")
    return Imports(memory=memory, changes=tuple(changes))


async def import_memories(
    core: Core,
    imports: Sequence[Imports],
    *,
    on_conflict: OnConflict,
    now: datetime,
    actor: str | None,
) -> Imported:
    """Bring memories in, in transactions of 500, each with its history.

    What was forgotten here stays forgotten. A memory whose id is stored with another state is
    left alone (`skip`), becomes a new version (`replace`), or stops the import before anything
    is written (`error`). What would be a second value of a slot at one time is left alone too.
    Interrupted, it can be run again.
    """
    if on_conflict not in ("skip", "replace", "error"):
        raise InvalidInput(f"on_conflict must be skip, replace or error, not {shown(on_conflict)}")
    if on_conflict == "error":
        for batch in _batches(imports):
            await _refuse_conflicts(core, batch)
    total = Imported()
    for batch in _batches(imports):
        total = _sum(total, await _import_batch(core, batch, on_conflict, now, actor))
    return total


def _batches(imports: Sequence[Imports]) -> Iterator[Sequence[Imports]]:
    for start in range(0, len(imports), BATCH):
        yield imports[start : start + BATCH]


def _sum(one: Imported, other: Imported) -> Imported:
    names = ("added", "skipped", "replaced", "withheld", "without_vector")
    return Imported(**{name: getattr(one, name) + getattr(other, name) for name in names})


async def _existing(core: Core, batch: Sequence[Imports]) -> dict[str, Memory]:
    ids_of: dict[tuple[str, str], list[str]] = {}
    for item in batch:
        ids_of.setdefault(item.memory.scope.walls, []).append(item.memory.id)
    found: dict[str, Memory] = {}
    for (tenant, user), ids in ids_of.items():
        found |= await core.store.get(Scope(tenant=tenant, user=user), ids)
    return found


async def _erased(core: Core, batch: Sequence[Imports]) -> set[str]:
    """Ids of memories that say, or once said, what was erased here behind the same walls."""
    said: dict[Walls, list[tuple[str, str]]] = {}
    for item in batch:
        words = {change.after.content for change in item.changes} - {""}
        said.setdefault(item.memory.scope.walls, []).extend(
            (item.memory.id, text) for text in words
        )
    found: set[str] = set()
    for (tenant, user), pairs in said.items():
        texts = [text for _, text in pairs]
        places = await core.store.withheld(Scope(tenant=tenant, user=user), texts)
        found.update(pairs[place][0] for place in places)
    return found


async def _refuse_conflicts(core: Core, batch: Sequence[Imports]) -> None:
    existing = await _existing(core, batch)
    for item in batch:
        present = existing.get(item.memory.id)
        if present is not None and present.state is not State.FORGOTTEN and _differs(present, item):
            raise Conflict(
                f"memory {item.memory.id} is stored already and differs from the file; nothing "
                "was imported. Pass on_conflict='skip' or 'replace'"
            )
        if present is None and await _slot_taken(core, item.memory, batch):
            raise Conflict(
                f"slot {item.memory.key!r} already has a value for the time of memory "
                f"{item.memory.id}; nothing was imported"
            )


def _differs(present: Memory, item: Imports) -> bool:
    same_counts = replace(
        item.memory,
        accessed_count=present.accessed_count,
        last_accessed_at=present.last_accessed_at,
    )
    return present != same_counts


async def _slot_taken(core: Core, memory: Memory, batch: Sequence[Imports]) -> bool:
    """Whether a current value that is not in the file already holds at the same time."""
    if memory.key is None or memory.retired_at is not None:
        return False
    coming = {item.memory.id for item in batch}
    members = await core.store.slot(memory.scope, memory.key)
    return any(
        other.id not in coming
        and (memory.valid_to is None or other.valid_from < memory.valid_to)
        and (other.valid_to is None or memory.valid_from < other.valid_to)
        for other in members
    )


async def _import_batch(
    core: Core,
    batch: Sequence[Imports],
    on_conflict: OnConflict,
    now: datetime,
    actor: str | None,
) -> Imported:
    existing = await _existing(core, batch)
    erased = await _erased(core, batch)
    added: list[Imports] = []
    replaced: list[Change] = []
    skipped = withheld = 0
    for item in batch:
        present = existing.get(item.memory.id)
        if present is None and item.memory.id in erased:
            withheld += 1
        elif present is None and not await _slot_taken(core, item.memory, batch):
            added.append(item)
        elif present is None or not _differs(present, item):
            skipped += 1
        elif present.state is State.FORGOTTEN:
            withheld += 1
        elif on_conflict == "replace" and not await _slot_taken(core, item.memory, batch):
            replaced.append(_replacement(present, item.memory))
        else:
            skipped += 1
    fresh = [change for item in added for change in item.changes]
    changes, waiting = await _with_vectors(core, fresh, replaced)
    counts = tuple(_accesses(item.memory) for item in added if item.memory.accessed_count)
    written = await write(core, changes, at=now, actor=actor, accesses=counts) if changes else None
    if isinstance(written, Refused):
        raise Conflict(
            "others wrote the same memories while they were imported; run the import again, "
            "what is in is skipped"
        )
    for scope in {change.after.scope for change in changes}:
        core.short_term.reread(scope)
    return Imported(
        added=len(added),
        skipped=skipped,
        replaced=len(replaced),
        withheld=withheld,
        without_vector=waiting,
    )


def _accesses(memory: Memory) -> Accesses:
    return Accesses(
        memory_id=memory.id,
        scope=memory.scope,
        count=memory.accessed_count,
        last_at=memory.last_accessed_at or memory.recorded_at,
    )


def _replacement(present: Memory, memory: Memory) -> Change:
    if memory.state is State.FORGOTTEN:
        # A tombstone carries no words: forget ours, and keep them where `restore` finds them.
        gone = replace(
            present,
            state=State.FORGOTTEN,
            retired_at=memory.retired_at,
            version=present.version + 1,
        )
        return Change(operation=Operation.FORGOTTEN, before=present, after=gone, reason=IN_THE_FILE)
    after = replace(memory, version=present.version + 1)
    return Change(operation=Operation.IMPORTED, before=present, after=after, reason=IN_THE_FILE)


async def _with_vectors(
    core: Core, fresh: Sequence[Change], replaced: Sequence[Change]
) -> tuple[list[Change], int]:
    """The changes with vectors on the last of each memory, and how many must do without."""
    changes = [*fresh, *replaced]
    last = {change.after.id: position for position, change in enumerate(changes)}
    findable = [
        position
        for position in last.values()
        if changes[position].after.state is not State.FORGOTTEN
    ]
    texts = [changes[position].after.searchable_text for position in findable]
    made = await core.embedding.vectors(
        texts, speakers=[changes[position].after.source.speaker for position in findable]
    )
    for position, vectors in zip(findable, made, strict=True):
        changes[position] = replace(changes[position], vectors=vectors)
    return changes, sum(item is None for item in made)
