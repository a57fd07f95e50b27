"""A wrong call is refused as what it is: with an error of ours, shortly, and changing nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import perdure
from perdure import InvalidInput
from tests.acceptance.home import decided_by_the_engine

LONGEST_MESSAGE = 400


class Unspeakable:
    """Something that cannot even describe itself."""

    def __repr__(self) -> str:
        raise RuntimeError("no description")


def _nested():
    value: list[object] = []
    for _ in range(5000):
        value = [value]
    return value


ODD = {
    "a number": 5,
    "a negative number": -1,
    "a number of 5,000 digits": 10**5000,
    "a fraction": 1.5,
    "no number": float("nan"),
    "an array": np.zeros(3),
    "bytes": b"bytes",
    "an object": object(),
    "what has no description": Unspeakable(),
    "a very long text": "x" * 1_000_000,
    "half a surrogate pair": "\ud800",
    "a deep list": _nested(),
}
CALLS = {
    "recall kinds": lambda bound, note, odd: bound.recall("kiln", kinds=odd),
    "recall include": lambda bound, note, odd: bound.recall("kiln", include=odd),
    "recall query": lambda bound, note, odd: bound.recall(odd, limit="no limit"),
    "list kinds": lambda bound, note, odd: bound.list(kinds=odd),
    "list order": lambda bound, note, odd: bound.list(order=odd),
    "get": lambda bound, note, odd: bound.get(odd),
    "get include": lambda bound, note, odd: bound.get(note, include=odd),
    "history": lambda bound, note, odd: bound.history(odd),
    "restore": lambda bound, note, odd: bound.restore(odd),
    "forget": lambda bound, note, odd: bound.forget(odd),
    "forget_all": lambda bound, note, odd: bound.forget_all(everything=odd),
    "count": lambda bound, note, odd: bound.count(everything=odd),
    "remember_many": lambda bound, note, odd: bound.remember_many(odd),
    "remember kind": lambda bound, note, odd: bound.remember("x", kind=odd),
    "remember pinned": lambda bound, note, odd: bound.remember("x", pinned=odd),
    "remember importance": lambda bound, note, odd: bound.remember("x", importance=odd),
    "update version": lambda bound, note, odd: bound.update(
        note, pinned=True, expected_version=odd
    ),
    "feedback used": lambda bound, note, odd: bound.feedback(note, used=odd),
    "feedback helpful": lambda bound, note, odd: bound.feedback(note, helpful=odd),
    "correct": lambda bound, note, odd: bound.correct(note, "x", retroactive=odd),
    "verify": lambda bound, note, odd: bound.verify(repair=odd),
    "reembed": lambda bound, note, odd: bound.reembed(odd),
}


@decided_by_the_engine
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_odd_value_is_refused(memory, call):
    bound = memory.scoped(user="ilka")
    note = bound.remember("The kiln is in Hall 2.").memory
    before = bound.changes()
    for name, odd in ODD.items():
        with pytest.raises(perdure.PerdureError) as refusal:
            call(bound, note.id, odd)
        message = str(refusal.value)
        assert len(message) < LONGEST_MESSAGE, name
        message.encode("utf-8")
    assert bound.changes() == before


@decided_by_the_engine
def test_a_refusal_does_not_tell_a_memorys_words(memory):
    secret = memory.remember("The spare key is under the blue pot.").memory
    for call in (
        lambda: memory.changes(since=secret),
        lambda: memory.recall("x", limit=secret),
        lambda: memory.remember("x", importance=secret),
    ):
        with pytest.raises(InvalidInput) as refusal:
            call()
        assert "blue pot" not in str(refusal.value)


@decided_by_the_engine
@pytest.mark.parametrize("odd", [0, False, [], {}, 7])
def test_a_user_that_is_no_text_does_not_make_an_unbound_view(memory, odd):
    with pytest.raises(InvalidInput, match="user must be text"):
        memory.scoped(user=odd)


@decided_by_the_engine
def test_more_than_there_can_be_is_no_limit(memory):
    note = memory.remember("The kiln is in Hall 2.").memory
    assert [item.id for item in memory.list(limit=10**30)] == [note.id]
    assert [hit.memory.id for hit in memory.recall("kiln", limit=10**400)] == [note.id]
    assert memory.changes(since=10**30) == []


@decided_by_the_engine
def test_one_text_is_no_list_of_message_ids(memory):
    with pytest.raises(InvalidInput, match="message_ids"):
        memory.remember("x", source={"message_ids": "m-17"})


@pytest.mark.parametrize(
    "url",
    [":memory:", "sqlite:///:memory:", "file::memory:?cache=shared", "memory:", 5, b"memory.db",
     ["memory.db"], "a\0b", "\ud800.db", "x" * 300],
)  # fmt: skip
def test_what_names_no_file_makes_none(tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput) as refusal:
        perdure.open(url, embedder="off")
    assert len(str(refusal.value)) < LONGEST_MESSAGE
    assert list(tmp_path.iterdir()) == []


def test_an_export_is_not_written_over_a_memory(tmp_path):
    path = tmp_path / "memory.db"
    with perdure.open(path, embedder="off") as memory:
        memory.remember("The kiln is in Hall 2.")
        (tmp_path / "link.jsonl").symlink_to(path)
        for target in (path, tmp_path / "link.jsonl"):
            with pytest.raises(InvalidInput, match="database"):
                memory.export(target)
    with perdure.open("memory://", embedder="off") as other:
        other.remember("The pass is open.")
        with pytest.raises(InvalidInput, match="database"):
            other.export(path)
    with perdure.open(path, embedder="off") as memory:
        assert memory.count() == 1


def test_an_export_does_not_replace_what_is_no_file(tmp_path):
    with perdure.open("memory://", embedder="off") as memory:
        memory.remember("The kiln is in Hall 2.")
        (tmp_path / "null").symlink_to("/dev/null")
        with pytest.raises(InvalidInput, match="no ordinary file"):
            memory.export(tmp_path / "null")
        with pytest.raises(InvalidInput, match="folder"):
            memory.export(tmp_path)
        with (tmp_path / "stream").open("w") as stream:
            (tmp_path / "opened").symlink_to(f"/proc/self/fd/{stream.fileno()}")
            with pytest.raises(InvalidInput, match="no ordinary file"):
                memory.export(tmp_path / "opened")
        for wrong in ("a\0b", "\ud800", "x" * 300):
            for call in (memory.export, memory.import_, memory.backup):
                with pytest.raises(InvalidInput):
                    call(wrong)
        (tmp_path / "real.jsonl").write_text("old")
        (tmp_path / "link.jsonl").symlink_to("real.jsonl")
        memory.export(tmp_path / "link.jsonl")
    assert (tmp_path / "link.jsonl").is_symlink()
    assert Path(tmp_path / "real.jsonl").read_text(encoding="utf-8").startswith("{")


def test_settings_are_numbers_where_they_are():
    with pytest.raises(perdure.Misconfigured):
        perdure.Settings(relevance_threshold=float("nan"))
