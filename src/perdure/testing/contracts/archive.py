"""The contract of the archive port.

    class TestMyArchive(ArchiveContract):
        @pytest.fixture
        def opening(self, tmp_path):
            return lambda: MyArchive(tmp_path)

`opening` is called again in the same test and must then give the same batches, unless the subclass
says `outlives_closing = False`. Each test must start with an empty place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np
import pytest

from perdure.domain.batches import Batch, Whole
from perdure.domain.changes import JournalEntry, Operation
from perdure.domain.codec import encode
from perdure.domain.journal import canonical, digest_of
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.errors import Conflict, InvalidInput, NotFound
from perdure.ports.archive import Archive
from perdure.testing.builders import NOON, a_memory, vectors_of
from perdure.testing.contracts._store_writing import EXACT_VALUES, ODD_TEXTS, a_full_memory

Result = TypeVar("Result")
Opening = Callable[[], Archive]
FIRST, SECOND = "01983fd0-0000-7000-8000-000000000001", "01983fd0-0000-7000-8000-000000000002"
EAST, NORTH = (1, 0, 0, 0), (0, 1, 0, 0)


class ArchiveStand:
    """The archive under test, each call run to its end."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._runner = asyncio.Runner()
        self.archive = opening()

    def another(self) -> Archive:
        """A second opening of the same place."""
        return self._opening()

    def run(self, call: Coroutine[Any, Any, Result]) -> Result:
        """The result of a call to the archive."""
        return self._runner.run(call)

    def put(self, name: str, *wholes: Whole) -> None:
        """Store a batch whose rows are numbered from 0."""
        self.run(self.archive.put(a_batch(name, *wholes)))

    def read(self, name: str, rows: list[int] | None = None) -> dict[int, Whole]:
        """Rows of a batch."""
        return self.run(self.archive.read(name, rows))

    def close(self) -> None:
        """Let go of the event loop."""
        self._runner.close()


def an_entry(memory: Memory, **fields: Any) -> JournalEntry:
    """A journal entry that begins a memory."""
    entry = JournalEntry(
        sequence=7,
        at=NOON,
        operation=Operation.CREATED,
        memory_id=memory.id,
        version=memory.version,
        scope=memory.scope,
        actor="somebody",
        request_id="r",
        config_hash="c",
        reason="because",
        change=encode(memory),
        previous="ab" * 16,
        digest="",
        salt="cd" * 16,
        seal="ef" * 16,
    )
    entry = replace(entry, **fields)
    return replace(entry, digest=digest_of(entry))


def a_whole(memory: Memory, **fields: Any) -> Whole:
    """A memory with one journal entry and no vectors."""
    return Whole(**{"memory": memory, "entries": (an_entry(memory),), **fields})


def a_batch(name: str, *wholes: Whole) -> Batch:
    """A batch whose rows are numbered from 0."""
    return Batch(name=name, made_at=NOON, rows=dict(enumerate(wholes)))


def told(whole: Whole) -> str:
    """Text that differs whenever two differ, also in the types of their values."""
    entries = [
        (replace(entry, change={}), canonical(dict(entry.change))) for entry in whole.entries
    ]
    return f"{canonical(encode(whole.memory))} {entries}"


class ArchiveContract:
    """Subclass this and give it the fixture `opening`."""

    outlives_closing: ClassVar[bool] = True
    """False for an archive whose batches end with the object that `opening` gave."""

    @pytest.fixture
    def opening(self) -> Opening:
        """A function that opens the archive of this test."""
        raise NotImplementedError("give your subclass a fixture `opening`")

    @pytest.fixture
    def stand(self, opening: Opening) -> Iterator[ArchiveStand]:
        """The opened archive."""
        stand = ArchiveStand(opening)
        yield stand
        stand.close()

    @pytest.fixture
    def shared(self, stand: ArchiveStand) -> ArchiveStand:
        """A stand that can open the same place again."""
        if not self.outlives_closing:
            pytest.skip("this archive's batches end with the object")
        return stand

    def test_it_is_an_archive(self, stand: ArchiveStand) -> None:
        assert isinstance(stand.archive, Archive)

    def test_a_batch_comes_back_as_it_was(self, stand: ArchiveStand) -> None:
        memories = [a_full_memory(), a_memory("壶是蓝色的。"), a_memory("kettle", importance=1)]
        wholes = [a_whole(memory) for memory in memories]
        manifest = stand.run(stand.archive.put(a_batch(FIRST, *wholes)))
        assert (manifest.name, manifest.rows, manifest.made_at) == (FIRST, (0, 1, 2), NOON)
        found = stand.read(FIRST)
        assert list(found) == [0, 1, 2]
        assert [told(whole) for whole in found.values()] == [told(whole) for whole in wholes]

    def test_vectors_come_back_bit_by_bit(self, stand: ArchiveStand) -> None:
        one, two = vectors_of((0.1, -2, 3, 1e-9)), vectors_of(EAST, NORTH, model="another@1/4")
        none = a_whole(a_memory())
        stand.put(FIRST, a_whole(a_memory(), vectors=one), none, a_whole(a_memory(), vectors=two))
        found = stand.read(FIRST)
        assert found[1].vectors is None
        for row, vectors in ((0, one), (2, two)):
            back = found[row].vectors
            assert back is not None
            assert back.model == vectors.model
            assert back.rows.dtype == np.float32
            assert np.array_equal(back.rows, vectors.rows)

    @pytest.mark.parametrize("text", ODD_TEXTS)
    def test_any_text_is_kept(self, stand: ArchiveStand, text: str) -> None:
        memory = a_memory(text, metadata={text: [text]}, key=text)
        stand.put(FIRST, a_whole(memory))
        assert told(stand.read(FIRST)[0]) == told(a_whole(memory))

    @pytest.mark.parametrize("value", EXACT_VALUES, ids=repr)
    def test_values_keep_their_type(self, stand: ArchiveStand, value: Any) -> None:
        whole = a_whole(a_memory(metadata={"value": value}))
        stand.put(FIRST, whole)
        assert told(stand.read(FIRST)[0]) == told(whole)

    def test_a_history_of_many_kinds_is_kept(self, stand: ArchiveStand) -> None:
        memory = a_memory("kettle", state=State.SUPERSEDED, superseded_by="x", version=3)
        emptied = an_entry(memory, change={}, salt="", seal="ef" * 16, reason=None, version=1)
        accessed = an_entry(
            memory, operation=Operation.ACCESSED, version=0, reason=None,
            change={"count": 2, "last_at": "2031-07-25T12:00:00+00:00"}, sequence=2**60,
        )  # fmt: skip
        whole = a_whole(memory, entries=(emptied, an_entry(memory), accessed))
        stand.put(FIRST, whole, a_whole(a_memory(), entries=()))
        found = stand.read(FIRST)
        assert found[0].entries == whole.entries
        assert found[1].entries == ()

    def test_single_rows_are_read(self, stand: ArchiveStand) -> None:
        wholes = [a_whole(a_memory(f"kettle {number}")) for number in range(5)]
        stand.put(FIRST, *wholes)
        found = stand.read(FIRST, [3, 1, 99])
        assert {row: whole.memory for row, whole in found.items()} == {
            1: wholes[1].memory,
            3: wholes[3].memory,
        }
        assert stand.read(FIRST, []) == {}

    def test_rows_keep_numbers_of_their_own(self, stand: ArchiveStand) -> None:
        rows = {4: a_whole(a_memory("four")), 70_000: a_whole(a_memory("more"))}
        stand.run(stand.archive.put(Batch(name=FIRST, made_at=NOON, rows=rows)))
        assert {row: item.memory.content for row, item in stand.read(FIRST).items()} == {
            4: "four",
            70_000: "more",
        }

    def test_a_batch_is_written_once(self, stand: ArchiveStand) -> None:
        whole = a_whole(a_memory("the first"))
        stand.put(FIRST, whole)
        with pytest.raises(Conflict, match=FIRST):
            stand.put(FIRST, a_whole(a_memory("the second")))
        assert stand.read(FIRST)[0].memory == whole.memory
        assert stand.run(stand.archive.check(FIRST)).rows == (0,)

    def test_a_batch_without_rows_is_refused(self, stand: ArchiveStand) -> None:
        with pytest.raises(InvalidInput, match="no rows"):
            stand.put(FIRST)
        assert stand.run(stand.archive.batches()) == []

    def test_checking_tells_what_was_put(self, stand: ArchiveStand) -> None:
        put = stand.run(stand.archive.put(a_batch(FIRST, a_whole(a_memory()))))
        assert stand.run(stand.archive.check(FIRST)) == put
        assert stand.run(stand.archive.manifest(FIRST)) == put
        assert len(put.checksum) == 64
        assert put.bytes > 0

    def test_batches_are_listed_by_name(self, stand: ArchiveStand) -> None:
        assert stand.run(stand.archive.batches()) == []
        stand.put(SECOND, a_whole(a_memory()))
        stand.put(FIRST, a_whole(a_memory()))
        assert stand.run(stand.archive.batches()) == [FIRST, SECOND]

    def test_a_batch_that_is_not_there(self, stand: ArchiveStand) -> None:
        archive = stand.archive
        for _ in range(2):
            assert stand.run(archive.manifest(FIRST)) is None
            with pytest.raises(NotFound, match=FIRST):
                stand.run(archive.read(FIRST))
            with pytest.raises(NotFound, match=FIRST):
                stand.run(archive.check(FIRST))
            assert stand.run(archive.drop(FIRST, [0])) == 0
            stand.run(archive.delete(FIRST))
            stand.put(SECOND, a_whole(a_memory()))
            stand.run(archive.delete(SECOND))

    def test_a_deleted_batch_is_gone_and_others_stay(self, stand: ArchiveStand) -> None:
        stand.put(FIRST, a_whole(a_memory()))
        stand.put(SECOND, a_whole(a_memory("stays")))
        stand.run(stand.archive.delete(FIRST))
        assert stand.run(stand.archive.batches()) == [SECOND]
        assert stand.read(SECOND)[0].memory.content == "stays"
        with pytest.raises(NotFound):
            stand.read(FIRST)

    def test_dropped_rows_are_gone_and_others_keep_their_numbers(self, stand: ArchiveStand) -> None:
        wholes = [a_whole(a_memory(f"n{number}"), vectors=vectors_of(EAST)) for number in range(6)]
        stand.put(FIRST, *wholes)
        assert stand.run(stand.archive.drop(FIRST, [1, 4, 99])) == 2
        found = stand.read(FIRST)
        assert [told(found[row]) for row in found] == [told(wholes[row]) for row in (0, 2, 3, 5)]
        assert list(found) == [0, 2, 3, 5]
        assert stand.run(stand.archive.check(FIRST)).rows == (0, 2, 3, 5)
        assert stand.run(stand.archive.drop(FIRST, [1, 4])) == 0
        assert stand.run(stand.archive.drop(FIRST, [0])) == 1
        assert stand.run(stand.archive.check(FIRST)).rows == (2, 3, 5)
        assert stand.run(stand.archive.batches()) == [FIRST]

    def test_a_batch_without_rows_left_is_deleted(self, stand: ArchiveStand) -> None:
        stand.put(FIRST, a_whole(a_memory()), a_whole(a_memory()))
        assert stand.run(stand.archive.drop(FIRST, [0])) == 1
        assert stand.run(stand.archive.drop(FIRST, [1, 0])) == 1
        assert stand.run(stand.archive.batches()) == []

    def test_whole_batches_leave_no_remnants_and_are_not_abandoned(
        self, stand: ArchiveStand
    ) -> None:
        archive = stand.archive
        assert stand.run(archive.abandon(FIRST))
        stand.put(FIRST, a_whole(a_memory()), a_whole(a_memory("stays")))
        assert not stand.run(archive.abandon(FIRST))
        stand.run(archive.drop(FIRST, [0]))
        assert not stand.run(archive.abandon(FIRST))
        assert stand.run(archive.drop(FIRST, [])) == 0
        assert stand.run(archive.remnants()) == []
        assert [whole.memory.content for whole in stand.read(FIRST).values()] == ["stays"]

    def test_another_opening_sees_the_same(self, shared: ArchiveStand) -> None:
        shared.put(FIRST, a_whole(a_memory("kettle")), a_whole(a_memory("pot")))
        other = shared.another()
        assert shared.run(other.batches()) == [FIRST]
        assert shared.run(other.read(FIRST, [1]))[1].memory.content == "pot"
        shared.run(other.drop(FIRST, [1]))
        assert list(shared.read(FIRST)) == [0]
        with pytest.raises(Conflict):
            shared.run(other.put(a_batch(FIRST, a_whole(a_memory()))))

    def test_many_rows_are_kept(self, stand: ArchiveStand) -> None:
        scope = Scope(tenant="t", user="u")
        wholes = [a_whole(a_memory(f"kettle {number}", scope=scope)) for number in range(3_000)]
        stand.put(FIRST, *wholes)
        found = stand.read(FIRST)
        assert [whole.memory.id for whole in found.values()] == [
            whole.memory.id for whole in wholes
        ]
