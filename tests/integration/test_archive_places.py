"""Archives and the world around them: other tools, missing libraries, services out of reach."""

from __future__ import annotations

import asyncio
import importlib.util
import socket
from datetime import UTC, datetime

import duckdb
import pytest

import perdure
from perdure import Misconfigured, Settings, Unavailable
from perdure.archives.opening import open_archive
from tests.services.buckets import Buckets

WHEN = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)
COLUMNS = {
    "row": "INTEGER",
    "id": "VARCHAR",
    "tenant": "VARCHAR",
    "user": "VARCHAR",
    "agent": "VARCHAR",
    "session": "VARCHAR",
    "kind": "VARCHAR",
    "state": "VARCHAR",
    "version": "BIGINT",
    "content": "VARCHAR",
    "importance": "DOUBLE",
    "confidence": "DOUBLE",
    "occurred_at": "TIMESTAMP WITH TIME ZONE",
    "recorded_at": "TIMESTAMP WITH TIME ZONE",
    "valid_from": "TIMESTAMP WITH TIME ZONE",
    "valid_to": "TIMESTAMP WITH TIME ZONE",
    "superseded_by": "VARCHAR",
    "role": "VARCHAR",
    "speaker": "VARCHAR",
    "subject": "VARCHAR",
    "predicate": "VARCHAR",
    "object": "VARCHAR",
    "metadata": "VARCHAR",
    "document": "VARCHAR",
    "journal": "VARCHAR",
    "vector_model": "VARCHAR",
    "vector_pieces": "INTEGER",
    "vectors": "BLOB",
}


@pytest.fixture
def archived(tmp_path):
    """Two notes in a batch of files; the pattern that names the files, as in the documentation."""
    with perdure.open(tmp_path / "memory.db", embedder="hashing") as memory:
        ilka = memory.scoped(user="ilka", agent="helper")
        notes = [
            ilka.remember(
                words, kind="episodic", occurred_at=WHEN, importance=0.25, metadata={"箱子": 3}
            ).memory
            for words in ("琴谱在阁楼 'attic'", "The lease ends in 2034.")
        ]
        assert ilka.archive([note.id for note in notes]).count == 2
        yield f"{tmp_path}/memory.db.archive/*/*/*.parquet", notes


def test_duckdb_sees_every_column_with_its_type(archived):
    pattern, _ = archived
    described = duckdb.sql(f"DESCRIBE SELECT * FROM '{pattern}'").fetchall()
    assert {name: kind for name, kind, *_ in described} == COLUMNS


def test_duckdb_reads_and_filters_what_was_archived(archived):
    pattern, notes = archived
    rows = duckdb.sql(f"""
        SELECT "row", id, "user", agent, kind, content, importance, epoch(occurred_at),
               json_extract(metadata, '$."箱子"')::INTEGER, octet_length(vectors) % 4
        FROM '{pattern}' WHERE kind = 'episodic' ORDER BY "row"
    """).fetchall()
    assert rows == [
        (row, note.id, "ilka", "helper", "episodic", note.content, 0.25, WHEN.timestamp(), 3, 0)
        for row, note in enumerate(notes)
    ]
    assert duckdb.sql(f"SELECT id FROM '{pattern}' WHERE content LIKE '%lease%'").fetchall() == [
        (notes[1].id,)
    ]


@pytest.fixture
def without(monkeypatch):
    """Hides libraries, as if they were not installed."""
    hidden: set[str] = set()
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "perdure.archives.opening.find_spec", lambda name: None if name in hidden else find(name)
    )
    return hidden.update


@pytest.mark.parametrize(
    ("missing", "url"),
    [
        ("pyarrow", "file:///cold"),
        ("obstore", "s3://bucket/prefix"),
        ("fsspec", "fsspec+memory:///cold"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(without, missing, url):
    without([missing])
    with pytest.raises(Misconfigured, match=rf"needs {missing}.*perdure\[archive\]"):
        open_archive(url, "me")


def test_what_another_kind_of_place_needs_may_be_missing(without):
    without(["fsspec"])
    open_archive("memory://", "me")


def test_a_store_without_the_libraries_opens_and_only_archiving_fails(without, tmp_path):
    without(["pyarrow", "obstore"])
    with perdure.open(tmp_path / "memory.db", embedder="hashing") as memory:
        ilka = memory.scoped(user="ilka")
        note = ilka.remember("The kettle is blue").memory
        with pytest.raises(Misconfigured, match=r"pyarrow and obstore.*perdure\[archive\]"):
            ilka.archive(note.id)
        assert ilka.get(note.id) == note
        assert memory.verify().ok


@pytest.fixture
def nowhere():
    """An endpoint where nobody listens: the port is taken, and refuses connections."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def told(error: BaseException | None) -> str:
    """All that a traceback of the error says."""
    said = []
    while error is not None:
        said.append(f"{error!r} {error}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return " ".join(said)


def test_a_service_out_of_reach_is_unavailable_and_tells_no_secret(nowhere):
    url = Buckets(endpoint=nowhere).url("bucket/prefix", session_token="not-for-the-log")
    with pytest.raises(Unavailable, match="s3://bucket/prefix") as raised:
        asyncio.run(open_archive(url, "me").batches())
    for secret in ("very-secret-key", "tester", "not-for-the-log"):
        assert secret not in told(raised.value)


def test_nothing_changes_while_the_service_is_out_of_reach(nowhere, tmp_path):
    settings = Settings(archive=Buckets(endpoint=nowhere).url("bucket/prefix"))
    path = tmp_path / "memory.db"
    with perdure.open(path, settings=settings, embedder="hashing") as memory:
        ilka = memory.scoped(user="ilka")
        note = ilka.remember("The kettle is blue").memory
        with pytest.raises(Unavailable) as raised:
            ilka.archive(note.id)
        assert "very-secret-key" not in told(raised.value)
        assert ilka.get(note.id) == note
        assert [step.operation for step in ilka.history(note.id)] == ["created"]
