"""What was acknowledged stays, whatever happens to the process, its neighbours or a row."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import perdure
from perdure.testing import HashingEmbedder
from tests.acceptance.processes import Worker, run_together
from tests.acceptance.reading import everything_in, ids, texts

ROUNDS = 50


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_killed_writers_lose_nothing_and_leave_nothing_half_done(tmp_path):
    program = [sys.executable, "-m", "tests.acceptance.killing"]
    ran = subprocess.run(
        [*program, str(tmp_path / "memory.db"), str(ROUNDS), "seed 7"],
        capture_output=True,
        text=True,
        timeout=380,
        cwd=Path(__file__).parents[2],
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout.splitlines()[-1])
    assert report["wrong"] == []
    assert report["rounds"] == ROUNDS
    # The run meant something: every kind of write was acknowledged and every kind was under way.
    assert {"add", "batch", "slot", "update", "supersede", "forget"} <= set(report["acts"])
    assert report["acknowledged"] > 10 * ROUNDS


@pytest.mark.slow
def test_threads_and_processes_read_and_write_one_store_together(shared_home):
    shared_home.open().close()
    amount = 12
    workers = [Worker("traffic", shared_home.url, str(amount), str(n)) for n in range(3)]
    memory = shared_home.open(clock=None)

    def write(thread):
        for number in range(amount):
            note = memory.remember(f"Crate t{thread}n{number} stands in bay one").memory
            memory.update(note.id, content=f"Crate t{thread}n{number} stands in bay two")
            memory.recall(f"t{thread}n{number}", limit=3)
            assert len(memory.history(note.id)) == 2
            yield note.id

    for worker in workers:
        worker.go()
    with ThreadPoolExecutor(8) as pool:
        mine = [item for made in pool.map(lambda t: list(write(t)), range(8)) for item in made]
    theirs = [line for worker in workers for line in worker.finish()]
    assert len(mine) + len(theirs) == 8 * amount + 3 * 2 * amount
    found = everything_in(memory, limit=100)
    assert set(ids(found)) == {*mine, *theirs}
    assert all(item.content.endswith("bay two") and item.version == 2 for item in found)
    assert texts(memory.recall("p1t0n5"))[:1] == ["Crate p1t0n5 stands in bay two"]
    assert memory.verify(repair=False).problems == ()


@pytest.mark.slow
def test_four_processes_add_side_by_side(shared_home):
    shared_home.open().close()
    made = run_together("add_many", shared_home.url, "60", processes=4)
    assert [len(lines) for lines in made] == [60] * 4
    memory = shared_home.open()
    assert set(ids(everything_in(memory, limit=100))) == {item for lines in made for item in lines}
    assert memory.verify(repair=False).problems == ()


def test_what_another_process_writes_is_found_at_once(shared_home):
    memory = shared_home.open(clock=None)
    memory.remember("Said before the other came")
    assert len(memory.recall("said came")) == 1
    worker = Worker("add_one", shared_home.url, "Said by the other that came", "0")
    worker.go()
    [made] = worker.finish()
    assert made in ids(memory.recall("said other came"))
    assert memory.count() == 2


# --- damage ---------------------------------------------------------------------------------------


@pytest.fixture
def notes(file_home):
    """A closed file with a hundred notes, and their ids."""
    with file_home.open() as memory:
        given = memory.remember_many(
            [{"content": f"Note {n} on the ledger", "understand": False} for n in range(100)]
        )
    return [item.memory.id for item in given]


def change_file(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement, values in statements:
            assert connection.execute(statement, values).rowcount > 0, statement


DAMAGED_ROWS = {
    "metadata": "UPDATE memories SET metadata = '{broken' WHERE id = ?",
    "rare fields": "UPDATE memories SET extra = '{broken' WHERE id = ?",
    "kind": "UPDATE memories SET kind = 'nonsense' WHERE id = ?",
    "time": "UPDATE memories SET occurred_at = 'yesterday' WHERE id = ?",
}


@pytest.mark.parametrize("statement", DAMAGED_ROWS.values(), ids=DAMAGED_ROWS)
def test_one_damaged_row_leaves_the_other_ninety_nine(file_home, notes, statement):
    change_file(file_home.path, (statement, (notes[41],)))
    memory = file_home.open()
    assert len(everything_in(memory, limit=30)) == 99
    assert texts(memory.recall("note 40 ledger"))[0] == "Note 40 on the ledger"
    assert notes[41] not in ids(memory.recall("note 41 ledger", limit=100))
    with pytest.raises(perdure.PerdureError):
        memory.get(notes[41])
    memory.remember("Note 100 on the ledger")
    memory.update(notes[40], importance=0.9)
    report = memory.verify()
    assert not report.ok
    assert {problem.memory_id for problem in report.problems if not problem.repaired} == {notes[41]}


ITS_VECTORS = "WHERE place / 65536 = (SELECT seq FROM memories WHERE id = ?)"
DAMAGED_DERIVED = {
    "vector too short": f"UPDATE vectors SET data = x'0011' {ITS_VECTORS}",
    "vector missing": f"DELETE FROM vectors {ITS_VECTORS}",
    "vector too long": "UPDATE vectors SET data = CAST(replace(hex(zeroblob(length(data) / 8)),"
    f" '0', x'1f7a1f7a') AS BLOB) {ITS_VECTORS}",
    "vector of no numbers": "UPDATE vectors SET data = CAST(replace(hex(zeroblob(length(data) / 2)),"
    f" '0', x'ff') AS BLOB) {ITS_VECTORS}",
    "no terms": "UPDATE memories SET lexemes = x'' WHERE id = ?",
    "odd terms": "UPDATE memories SET lexemes = x'010203' WHERE id = ?",
    "wrong terms": "UPDATE memories SET lexemes = x'0102030405060708' WHERE id = ?",
    "wrong interval": "UPDATE memories SET interval_days = 99 WHERE id = ?",
    "wrong day of review": "UPDATE memories SET review_due_at = 99 WHERE id = ?",
    "wrong fingerprint": "UPDATE memories SET fingerprint = 7 WHERE id = ?",
}


@pytest.mark.parametrize("statement", DAMAGED_DERIVED.values(), ids=DAMAGED_DERIVED)
def test_damage_to_what_is_derived_is_survived_and_mended(file_home, notes, statement):
    change_file(file_home.path, (statement, (notes[41],)))
    memory = file_home.open()
    assert memory.get(notes[41]).content == "Note 41 on the ledger"
    assert len(everything_in(memory, limit=30)) == 100
    assert len(memory.recall("note ledger", limit=100)) >= 99
    found = memory.recall("Note 40 on the ledger", limit=100)
    assert found[0].memory.id == notes[40]
    assert all(0 <= hit.score <= 1 for hit in found)
    report = memory.verify()
    assert {problem.memory_id for problem in report.problems} == {notes[41]}
    assert report.ok
    assert memory.verify().problems == ()
    assert memory.stats().without_vector == 0
    [hit] = [h for h in memory.recall("Note 41 on the ledger") if h.memory.id == notes[41]]
    assert hit.explanation.arms["vector"] == pytest.approx(1.0, abs=1e-3)
    assert hit.explanation.arms["lexical"] > 0
    assert memory.remember("Note 41 on the ledger").outcome == "already_known"


def test_looking_without_repairing_changes_nothing(file_home, notes):
    change_file(
        file_home.path,
        ("UPDATE memories SET lexemes = x'' WHERE id = ?", (notes[7],)),
        (f"DELETE FROM vectors {ITS_VECTORS}", (notes[8],)),
    )
    memory = file_home.open()
    first = memory.verify(repair=False)
    assert {problem.memory_id for problem in first.problems} == {notes[7], notes[8]}
    assert not first.ok
    assert memory.verify(repair=False) == first


def test_terms_of_an_older_analysis_are_renewed_at_opening_despite_a_damaged_row(file_home, notes):
    change_file(
        file_home.path,
        ("UPDATE meta SET value = 'older' WHERE name = ?", ("analysis_version",)),
        ("UPDATE memories SET lexemes = x'01020304' WHERE id <> ?", ("",)),
        ("UPDATE memories SET metadata = '{broken' WHERE id = ?", (notes[41],)),
    )
    memory = file_home.open(embedder="off")
    assert ids(memory.recall("note 40"))[0] == notes[40]
    assert len(memory.recall("ledger", limit=200)) == 99


TAMPERING = {
    "words in the row": "UPDATE memories SET content = 'Note 41 on another ledger' WHERE id = ?",
    "words in the journal": "UPDATE journal SET change = replace(change, 'ledger', 'letter') "
    "WHERE memory = (SELECT seq FROM memories WHERE id = ?)",
    "the actor": "UPDATE journal SET actor = 'somebody else' "
    "WHERE memory = (SELECT seq FROM memories WHERE id = ?)",
    "an entry taken out": "DELETE FROM journal "
    "WHERE memory = (SELECT seq FROM memories WHERE id = ?)",
}


@pytest.mark.parametrize("statement", TAMPERING.values(), ids=TAMPERING)
def test_tampering_with_records_or_journal_is_reported_and_not_covered_up(
    file_home, notes, statement
):
    change_file(file_home.path, (statement, (notes[41],)))
    memory = file_home.open()
    report = memory.verify()
    assert not report.ok
    assert memory.verify().problems
    assert len(everything_in(memory, limit=100)) == 100


def test_a_log_that_was_left_behind_is_read(tmp_path):
    """The file of a process that was killed has its newest writes in the log beside it."""
    path = tmp_path / "memory.db"
    worker = Worker("add_many", str(path), "20", "0")
    worker.go()
    seen = [worker.output.readline().strip() for _ in range(5)]
    seen += worker.kill()
    with perdure.open(path, embedder=HashingEmbedder()) as memory:
        assert set(seen) <= set(ids(memory.list(limit=100)))
        assert memory.verify(repair=False).problems == ()


def test_a_backup_is_whole_while_others_write(file_home, tmp_path):
    memory = file_home.open(clock=None)
    memory.remember_many(
        [{"content": f"Before {number}", "understand": False} for number in range(50)]
    )
    copy = tmp_path / "copy.db"

    def write(number):
        memory.remember_many(
            [{"content": f"During {number} {part}", "understand": False} for part in range(4)]
        )

    with ThreadPoolExecutor(3) as pool:
        writing = [pool.submit(write, number) for number in range(20)]
        memory.backup(copy)
        for task in writing:
            task.result()
    with perdure.open(copy, embedder=HashingEmbedder()) as restored:
        kept = texts(everything_in(restored, limit=500))
        assert sum(text.startswith("Before") for text in kept) == 50
        assert sum(text.startswith("During") for text in kept) % 4 == 0
        assert restored.verify(repair=False).problems == ()
    with pytest.raises(perdure.InvalidInput, match="exists"):
        memory.backup(copy)
