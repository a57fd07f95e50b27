"""What `check` looks at in the in-memory store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.domain.text import fingerprint
from perdure.ports.store import Finding
from perdure.stores._memory_rests import Rests
from perdure.stores._memory_tables import Tables, is_slot_member
from perdure.stores._reference import Indexed, indexed
from perdure.stores._verification import chain_findings, link_findings, replay_findings


def check(tables: Tables, *, repair: bool) -> list[Finding]:
    """Everything that is wrong; terms, vectors and indexes are made anew when `repair`."""
    findings: list[Finding] = []
    for walls, chain in tables.journal.items():
        stored = {
            memory_id: item.memory for memory_id, item in tables.records.get(walls, {}).items()
        }
        findings.extend(chain_findings(chain))
        findings.extend(replay_findings(chain, stored))
        findings.extend(link_findings(stored))
    derived = [*_record_findings(tables, repair=repair), *_index_findings(tables, repair=repair)]
    if derived and repair:
        _rebuild(tables)
    return [*findings, *derived]


def _record_findings(tables: Tables, *, repair: bool) -> Iterator[Finding]:
    for item in _items(tables):
        fresh = indexed(item.memory)
        if (item.terms, item.length) != (fresh.terms, fresh.length):
            yield Finding(
                place="terms",
                problem="the counted terms are not those of the text",
                memory_id=item.memory.id,
                repaired=repair,
            )
        if item.vectors is not None and item.vectors.model != tables.model:
            yield Finding(
                place="vectors",
                problem="made by another model than the store's",
                memory_id=item.memory.id,
                repaired=repair,
            )


def _index_findings(tables: Tables, *, repair: bool) -> Iterator[Finding]:
    alike, slots = _indexes(item.memory for item in _items(tables))
    if alike != tables.alike:
        yield Finding(place="fingerprints", problem="out of step with the records", repaired=repair)
    if slots != tables.slots:
        yield Finding(place="slots", problem="out of step with the records", repaired=repair)
    if not tables.rests.agree_with(item.memory for item in _items(tables)):
        yield Finding(place="rests", problem="out of step with the records", repaired=repair)


def _items(tables: Tables) -> Iterator[Indexed]:
    for records in tables.records.values():
        yield from records.values()


_Alike = dict[tuple[tuple[str, str], int], set[str]]
_Slots = dict[tuple[Scope, str], set[str]]


def _indexes(memories: Iterator[Memory]) -> tuple[_Alike, _Slots]:
    alike: _Alike = defaultdict(set)
    slots: _Slots = defaultdict(set)
    for memory in memories:
        alike[memory.scope.walls, fingerprint(memory.content)].add(memory.id)
        if is_slot_member(memory):
            slots[memory.scope, memory.key or ""].add(memory.id)
    return alike, slots


def _rebuild(tables: Tables) -> None:
    items = list(_items(tables))
    tables.alike.clear()
    tables.slots.clear()
    tables.rests = Rests()
    for item in items:
        vectors = item.vectors
        is_usable = vectors is not None and vectors.model == tables.model
        tables.records[item.memory.scope.walls].pop(item.memory.id)
        tables.put(indexed(item.memory, vectors if is_usable else None))
