"""What `check` finds, and what it mends."""

import sqlite3
from contextlib import closing

import pytest

from perdure.domain.changes import Accesses
from perdure.testing.builders import ILKA, MODEL, NOON, a_change_set, a_memory, vectors_of
from perdure.testing.contracts._store_stand import looking

EAST = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture
def lived(stand):
    """A store in which something happened; its first memory has vectors, its third has not."""
    first = stand.keep(a_memory("a kettle", key="kettle"), vectors=vectors_of(EAST))
    stand.keep(a_memory("a teapot"), vectors=vectors_of(EAST, (0, 1, 0, 0)))
    stand.keep(a_memory("a cup"))
    stand.change(first, importance=0.9)
    accesses = (Accesses(memory_id=first.id, scope=ILKA, count=1, last_at=NOON),)
    stand.write(a_change_set(accesses=accesses))
    assert check(stand) == []
    return stand


def check(stand, *, repair=False):
    return stand.run(stand.store.check(repair=repair))


DERIVED = {
    "terms": "UPDATE memories SET lexemes = x'01020304' WHERE seq = 1",
    "fingerprints": "UPDATE memories SET fingerprint = 1 WHERE seq = 1",
    "vectors: short": "UPDATE vectors SET data = x'0102' WHERE place = 65536",
    "vectors: of nothing": "UPDATE vectors SET place = 77 * 65536 WHERE place = 65536",
    "vectors: by another": "UPDATE vectors SET model = 77 WHERE place = 65536",
    "vectors: a row too many": "INSERT INTO vectors SELECT place + 1, model, encoding, pieces, 0, data FROM vectors WHERE place = 65536",
    "vectors: a row too few": "UPDATE vectors SET more = 1 WHERE place = 65536",
    "vectors: encoding": "UPDATE vectors SET encoding = 9 WHERE place = 65536",
    "awaiting_vectors: missing": "DELETE FROM awaiting_vectors",
    "awaiting_vectors: needless": "INSERT INTO awaiting_vectors SELECT id FROM memories WHERE seq = 1",
    "awaiting_vectors: unknown": "INSERT INTO awaiting_vectors VALUES ('nobody')",
    "rests: interval": "UPDATE memories SET interval_days = 9 WHERE seq = 1",
    "rests: review": "UPDATE memories SET review_due_at = 9 WHERE seq = 2",
    "residents: wrong": "UPDATE residents SET memories = 7",
    "residents: none": "DELETE FROM residents",
    "entries: last": "UPDATE memories SET last_entry = 1 WHERE seq = 1",
    "entries: before": "UPDATE journal SET before = 0 WHERE before > 0",
}  # fmt: skip


@pytest.mark.parametrize("case", DERIVED)
def test_what_is_derived_is_found_and_mended(lived, damage, case):
    damage(DERIVED[case])
    found = check(lived)
    assert {finding.place for finding in found} >= {case.split(":")[0]}
    assert not any(finding.repaired for finding in found)
    mended = check(lived, repair=True)
    assert all(finding.repaired for finding in mended)
    assert check(lived) == []


def test_after_a_repair_searches_are_right(lived, damage):
    assert lived.search(words="kettle").candidates
    damage(DERIVED["terms"])
    damage(DERIVED["vectors: short"])
    check(lived, repair=True)
    answer = lived.search(words="kettle", near=EAST, model=MODEL)
    assert answer.without_vector == 2
    assert any(candidate.lexical for candidate in answer.candidates)


RECORDS = {
    "records: unreadable": "UPDATE memories SET metadata = '{broken' WHERE seq = 1",
    "records: unknown kind": "UPDATE memories SET kind = 'dream' WHERE seq = 1",
    "records: altered": "UPDATE memories SET content = 'a lie' WHERE seq = 1",
    "records: gone": "DELETE FROM memories WHERE seq = 2",
    "journal: altered": "UPDATE journal SET reason = 'a lie' WHERE sequence = 1",
    "journal: unreadable": "UPDATE journal SET change = '{broken' WHERE sequence = 1",
    "journal: gone": "DELETE FROM journal WHERE sequence = 2",
    "journal: digest": "UPDATE journal SET digest = x'00' WHERE sequence = 2",
    "links": "UPDATE memories SET superseded_by = 'nobody' WHERE seq = 1",
}


@pytest.mark.parametrize("case", RECORDS)
def test_records_and_journal_are_found_and_left_alone(lived, damage, case):
    damage(RECORDS[case])
    expected = "journal" if case == "records: gone" else case.split(":")[0]
    before = damage("SELECT * FROM journal"), damage("SELECT * FROM memories")
    found = check(lived, repair=True)
    assert any(finding.place == expected and not finding.repaired for finding in found), found
    after = damage("SELECT * FROM journal"), damage("SELECT * FROM memories")
    if case != "records: altered":  # its terms and fingerprint follow the text that is there
        assert after == before


def test_a_damaged_row_hides_nothing_else(lived, damage, caplog):
    damage(RECORDS["records: unreadable"])
    seen = lived.query(looking())
    assert [memory.content for memory in seen] == ["a teapot", "a cup"]
    assert "store.unreadable_row" in caplog.messages


def test_a_broken_index_is_found_and_rebuilt(lived, path):
    lived.run(lived.store.close())
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = 1")
        # The index is now said to be over another column than the one whose values it holds.
        sql = "CREATE INDEX memories_alike ON memories (partition, version)"
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'memories_alike'", (sql,))
    lived.reopen()
    found = check(lived)
    assert {finding.place for finding in found} == {"file"}
    assert all(finding.repaired for finding in check(lived, repair=True))
    assert check(lived) == []
