"""Reading without a question: one memory, pages, counts, histories, the journal."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from hashlib import blake2b

from perdure.domain.changes import JournalEntry
from perdure.domain.erasure import is_erased
from perdure.domain.query import Condition, Order, Position, Query, sort_value
from perdure.domain.records import Memory, State
from perdure.domain.replay import replay
from perdure.domain.results import Page, PastChange
from perdure.domain.scope import Scope
from perdure.domain.text import shown, truncate
from perdure.domain.visibility import View, is_visible
from perdure.engine.archive_reading import filled_history
from perdure.engine.core import Core
from perdure.errors import InvalidInput, NotFound

CHECK_BYTES = 6


def not_found(memory_id: str) -> NotFound:
    """The error for an id that names nothing the scope may see."""
    return NotFound(f"no memory {truncate(memory_id, 80)} is visible in this scope")


def out_of_sight(memory: Memory) -> NotFound:
    """The error for an id of something that was forgotten or erased, with the way back to it."""
    if is_erased(memory):
        return NotFound(
            f"memory {memory.id} was erased, or imported without its words, and nothing brings it "
            f"back; history({memory.id!r}) tells when"
        )
    held = (
        f"; it is under a legal hold, which update({memory.id!r}, held=False) ends after that"
        if memory.held
        else ""
    )
    return NotFound(
        f"memory {memory.id} was forgotten; restore({memory.id!r}) brings it back{held}"
    )


async def stored(core: Core, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]:
    """The memories with these ids that are not forgotten; `NotFound` if one is missing."""
    for memory_id in ids:
        if not isinstance(memory_id, str) or not memory_id:
            raise InvalidInput(f"an id is text, not {shown(memory_id)}")
    found = await core.store.get(scope, list(dict.fromkeys(ids)))
    for memory_id in ids:
        memory = found.get(memory_id)
        if memory is None:
            raise not_found(memory_id)
        if memory.state is State.FORGOTTEN:
            raise out_of_sight(memory)
    return found


async def get(core: Core, memory_id: str, view: View) -> Memory:
    """One memory by id.

    Superseded and former memories are readable by id; an expired one only when the view includes
    it. Raises `NotFound` when nothing visible has the id.
    """
    memory = (await stored(core, view.scope, [memory_id]))[memory_id]
    lenient = View(
        scope=Scope(tenant=view.scope.tenant, user=view.scope.user),
        now=view.now,
        include=view.include | {"superseded", "former", "archived"},
    )
    if not is_visible(memory, lenient):
        raise not_found(memory_id)
    return core.accesses.overlay(memory)


async def list_page(
    core: Core,
    condition: Condition,
    *,
    order: str,
    limit: int,
    cursor: str | None,
) -> Page:
    """One page and the cursor of the next. Every memory that stays is seen exactly once."""
    chosen, descending = order_of(order)
    check = _check(condition, order)
    after = None if cursor is None else _read_cursor(cursor, check)
    # One more than asked tells whether there is a next page.
    items = await core.store.query(
        Query(
            condition=condition, order=chosen, descending=descending, limit=limit + 1, after=after
        )
    )
    page = items[:limit]
    more = len(items) > limit
    return Page(
        items=tuple(map(core.accesses.overlay, page)),
        next_cursor=_write_cursor(page[-1], chosen, check) if more else None,
    )


def order_of(order: str) -> tuple[Order, bool]:
    """The order and whether it is descending, from `recorded_at`, `-occurred_at`, …"""
    if isinstance(order, str) and order.removeprefix("-") in tuple(Order):
        return Order(order.removeprefix("-")), order.startswith("-")
    raise InvalidInput(
        f"unknown order {shown(order)}; use {', '.join(Order)}, with '-' in front for descending"
    )


def _check(condition: Condition, order: str) -> str:
    """What a cursor must agree with: it belongs to one question."""
    view = condition.view
    asked = repr(
        (view.scope, view.as_of, view.known_as_of, sorted(view.include), view.everything,
         condition.filter, sorted(condition.kinds or ()), condition.between, order)
    )  # fmt: skip
    return blake2b(asked.encode("utf-8"), digest_size=CHECK_BYTES).hexdigest()


def _write_cursor(last: Memory, order: Order, check: str) -> str:
    raw = json.dumps([check, sort_value(last, order), last.id], separators=(",", ":"))
    return base64.urlsafe_b64encode(raw.encode("utf-8")).decode("ascii").rstrip("=")


def _read_cursor(cursor: object, check: str) -> Position:
    bad = "the cursor is not one that list() gave"
    if not isinstance(cursor, str):
        raise InvalidInput(bad)
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        raw = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        made_for, value, memory_id = raw
    except (ValueError, binascii.Error, TypeError, UnicodeDecodeError) as error:
        raise InvalidInput(bad) from error
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not isinstance(memory_id, str)
    ):
        raise InvalidInput(bad)
    if made_for != check:
        raise InvalidInput(
            "the cursor belongs to another listing; go on with the scope, filters and order it "
            "was given for, or start again without it"
        )
    return Position(value, memory_id)


async def history(core: Core, scope: Scope, memory_id: str) -> list[PastChange]:
    """Every change of the memory and of those it took the place of, oldest first."""
    chains: list[tuple[int, PastChange]] = []
    todo, seen = [memory_id], set()
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        told = await core.store.history(scope, current)
        entries = await filled_history(core, scope, current, told)
        if not entries and current == memory_id:
            raise not_found(memory_id)
        chains.extend(_steps(entries))
        if chains and entries:
            todo.extend(_as_told(entries, entries[-1]).supersedes)
    return [step for _, step in sorted(chains, key=lambda item: item[0])]


def _as_told(entries: Sequence[JournalEntry], last: JournalEntry) -> Memory:
    """How the memory stood after its entry `last`; a stub where the contents were removed."""
    if last.is_emptied:
        return Memory(
            id=last.memory_id,
            content="",
            scope=last.scope,
            version=last.version,
            occurred_at=last.at,
            recorded_at=last.at,
            valid_from=last.at,
        )
    return replay(entries)[last.memory_id]


def _steps(entries: Sequence[JournalEntry]) -> list[tuple[int, PastChange]]:
    return [
        (
            entry.sequence,
            PastChange(
                at=entry.at,
                actor=entry.actor,
                operation=entry.operation,
                memory=_as_told(entries[: position + 1], entry),
                reason=entry.reason,
                contents_removed=entry.is_emptied,
            ),
        )
        for position, entry in enumerate(entries)
    ]
