"""`check` finds what was altered behind the store's back, and mends what is derived."""

from __future__ import annotations

import asyncpg
import pytest

from perdure.domain.scope import Scope
from perdure.errors import CorruptStore, InvalidInput, Misconfigured
from perdure.stores.postgres import PostgresStore
from perdure.testing import ILKA, NOON, a_change, a_change_set, a_memory, successor, vectors_of


@pytest.fixture
async def filled(store: PostgresStore) -> PostgresStore:
    """A sound store of two memories, one of which was changed once."""
    first = a_memory("The kettle is blue.", metadata={"due": "2031-07-25T12:00:00Z"})
    await store.apply(a_change_set(a_change(first, vectors=vectors_of((1, 0, 0, 0)))))
    await store.apply(a_change_set(a_change(successor(first, importance=0.9), before=first)))
    await store.apply(a_change_set(a_memory("The cup is red.", scope=Scope(user="bo"))))
    assert await store.check(repair=True) == []
    return store


DERIVED = {
    "fingerprint": "UPDATE memories SET fingerprint = 1 WHERE user_id = 'bo'",
    "lexemes": "UPDATE memories SET lexemes = lexemes || 7::bigint WHERE user_id = 'bo'",
    "instants": "UPDATE memories SET instants = '{}' WHERE user_id = 'ilka'",
    "vectors": "UPDATE vectors SET model = 'other'",
    "memory_owners": "DELETE FROM memory_owners WHERE user_id = 'bo'",
    "memory_owners ": "UPDATE memory_owners SET user_id = 'ilka' WHERE user_id = 'bo'",
    "interval_days": "UPDATE memories SET interval_days = 9 WHERE user_id = 'bo'",
    "review_due_at": "UPDATE memories SET review_due_at = now() WHERE user_id = 'ilka'",
    "residents": "UPDATE residents SET memories = 7 WHERE user_id = 'bo'",
    "residents ": "DELETE FROM residents WHERE user_id = 'ilka'",
    "memory_owners  ": "INSERT INTO memory_owners VALUES ('x', 't', 'u')",
}


@pytest.mark.parametrize(("place", "sql"), DERIVED.items())
async def test_what_is_derived_is_found_and_mended(
    filled: PostgresStore, owner: asyncpg.Connection, place: str, sql: str
) -> None:
    await owner.execute(sql)
    found = await filled.check(repair=False)
    assert {finding.place for finding in found} == {place.strip()}
    assert not any(finding.repaired for finding in found)
    assert await filled.check(repair=False) == found
    mended = await filled.check(repair=True)
    assert {finding.place for finding in mended} == {place.strip()}
    assert all(finding.repaired for finding in mended)
    assert await filled.check(repair=False) == []


TRUTH = {
    "content": (
        "records",
        "UPDATE memories SET content = 'The cup is green.' WHERE user_id = 'bo'",
    ),
    "metadata": ("records", "UPDATE memories SET metadata = '{\"due\": 1}' WHERE user_id = 'ilka'"),
    "gone": ("records", "DELETE FROM memories WHERE user_id = 'bo'"),
    "successor": ("links", "UPDATE memories SET superseded_by = 'nobody' WHERE user_id = 'bo'"),
    "reason": ("journal", "UPDATE journal SET reason = 'why not' WHERE user_id = 'bo'"),
    "time": ("journal", "UPDATE journal SET at = at + interval '1 us' WHERE user_id = 'bo'"),
    "gap": ("journal", "DELETE FROM journal WHERE user_id = 'ilka' AND operation = 'created'"),
    "state": ("records", "UPDATE memories SET state = 'nonsense' WHERE user_id = 'bo'"),
}


@pytest.mark.parametrize(("place", "sql"), TRUTH.values(), ids=TRUTH)
async def test_records_and_journal_are_judged_but_never_altered(
    filled: PostgresStore, owner: asyncpg.Connection, place: str, sql: str
) -> None:
    await owner.execute(sql)
    found = await filled.check(repair=False)
    assert place in {finding.place for finding in found}
    await filled.check(repair=True)
    again = await filled.check(repair=False)
    assert [item for item in again if item.place == place] == [
        item for item in found if item.place == place
    ]


async def test_a_row_that_describes_no_memory_is_never_an_empty_answer(
    filled: PostgresStore, owner: asyncpg.Connection
) -> None:
    await owner.execute("UPDATE memories SET state = 'nonsense'")
    with pytest.raises(CorruptStore, match="verify"):
        await filled.lacking_vectors("scripted@1/4", limit=10)


@pytest.mark.parametrize("part", ["tenant", "user"])
async def test_parts_that_no_index_can_hold_are_refused_whole(
    store: PostgresStore, part: str
) -> None:
    too_long = Scope(**{part: "".join(chr(0x4E00 + n * 7) for n in range(1024))})
    fits = Scope(tenant="".join(chr(0x4E00 + n * 7) for n in range(333)), user="ü" * 500)
    with pytest.raises(InvalidInput, match="choose shorter"):
        await store.apply(a_change_set(a_memory(), a_memory(scope=too_long)))
    memory = a_memory(scope=fits, key="".join(chr(0x4E00 + n * 7) for n in range(1024)))
    await store.apply(a_change_set(memory))
    assert await store.slot(fits, memory.key or "") == [memory]


async def test_a_backup_names_the_servers_own_tool(
    store: PostgresStore, postgres_database: str, tmp_path
) -> None:
    with pytest.raises(Misconfigured, match="pg_dump") as raised:
        await store.backup(tmp_path / "copy")
    password = postgres_database.partition("@")[0].rpartition(":")[2]
    assert password not in str(raised.value)


async def test_a_value_the_database_cannot_keep_is_the_callers_to_mend(
    store: PostgresStore,
) -> None:
    with pytest.raises(InvalidInput):
        await store.apply(a_change_set(memory := a_memory(subject="a\x00b"), at=NOON))
    assert await store.get(ILKA, [memory.id]) == {}


async def test_nothing_has_a_name_that_cannot_be_stored(store: PostgresStore) -> None:
    for name in ("\x00", "\ud800"):
        assert await store.get(ILKA, [name]) == {}
        assert await store.history(ILKA, name) == []
        assert await store.slot(ILKA, name) == []
