"""What an archiving that was cut off leaves behind: an erasure finds the words there too."""

from __future__ import annotations

import contextlib
import shutil
from datetime import timedelta

import pyarrow.parquet as pq
import pytest

import perdure
from perdure import Settings, Unavailable
from perdure.archives._obstore import FileObjects
from perdure.archives.parquet import ParquetArchive
from perdure.bootstrap import open_over
from perdure.engine.archiving import archive
from perdure.ports.blocking import run_now
from perdure.testing import HashingEmbedder
from perdure.testing.faults import Crash, How
from perdure.testing.simulator import on_sqlite
from perdure.testing.simulator.world import World
from tests.acceptance.reading import texts

SECRETS = ("quokka", "blancmange", "蓝鲸", "薄荷糖")
MINE = ("The quokka ate the blancmange.", "蓝鲸喜欢薄荷糖。")
HERS = "Oto keeps bees in the garden."
MOST_CALLS = 60


class Life:
    """Two users of a store in a folder, whose memories are archived together."""

    def __init__(self, stage):
        self.stage = stage
        self.world = World(stage, 0)

    def of(self, name):
        return self.world.memory.scoped(user=name)

    async def begin(self):
        await self.world.open()
        for text in MINE:
            await self.of("ilka").remember(text, understand=False)
        await self.of("oto").remember(HERS, understand=False)

    async def archive_all(self):
        await archive_all(self.world.memory)

    async def hers(self):
        """What Oto has, once it is back from wherever it is."""
        await self.of("oto").restore_archived()
        return texts((await self.of("oto").list()).items)

    def files(self):
        return [path for path in self.stage.folder.rglob("*") if path.is_file()]

    def secrets(self):
        """Erased words that any file of the store or the archive still has."""
        return {
            (secret, path.name)
            for path in self.files()
            for secret in SECRETS
            if secret.encode() in raw(path)
        }


async def archive_all(memory):
    """Memories of both users in one call, so that they share a batch, as upkeep does it."""
    of_both = [memory.scoped(user=name) for name in ("ilka", "oto")]
    found = [item for of_one in of_both for item in (await of_one.list()).items]
    core = memory._core
    return await archive(core, found, now=core.now(), actor=None)


def raw(path):
    """The bytes of a file; of a Parquet file also what is behind the compression."""
    data = path.read_bytes()
    if ".parquet" not in path.name:
        return data
    try:
        return data + str(pq.read_table(path).to_pylist()).encode()
    except OSError:
        return data


class Meanwhile:
    """Objects of an archive, of which one call does something else after its work."""

    def __init__(self, inner, call, nth, meanwhile):
        self._inner, self._call, self._left = inner, call, nth
        self._meanwhile = meanwhile

    def __getattr__(self, name):
        work = getattr(self._inner, name)
        if not callable(work):
            return work

        def called(*args, **kwargs):
            result = work(*args, **kwargs)
            self._left -= name == self._call
            if name == self._call and self._left == 0:
                self._meanwhile()
            return result

        return called


def the_files(life):
    return FileObjects(life.stage.folder / "archive")


async def archiving_through(life, objects):
    """Another process with the same store, and these objects for its archive."""
    return await open_over(
        life.world.store, archive=ParquetArchive(objects), embedder=HashingEmbedder(64),
        clock=life.world.clock, settings=life.stage.settings,
    )  # fmt: skip


async def cut_off(life, nth, work):
    """Do the work as a process that dies at its `nth` call; which call that was, None if none."""
    life.world.faults.arm(nth, How.CRASH)
    try:
        await work()
    except Crash:
        failed = life.world.faults.failed
        life.world.faults.disarm()
        await life.world.lose()
        return failed
    life.world.faults.disarm()
    return None


async def archive_dies_then_erase(nth):
    async with on_sqlite() as stage:
        life = Life(stage)
        await life.begin()
        failed = await cut_off(life, nth, life.archive_all)
        certificate = await life.of("ilka").erase()
        assert certificate.complete, f"died at {failed}"
        assert life.secrets() == set(), f"died at {failed}"
        assert len(certificate.ids) == len(MINE)
        assert await life.hers() == [HERS]
        assert (await life.world.memory.verify()).ok
        await life.world.close()
        return failed


def test_an_archiving_that_died_anywhere_leaves_nothing_to_the_erased():
    died = []
    for nth in range(1, MOST_CALLS):
        failed = run_now(archive_dies_then_erase(nth))
        if failed is None:
            break
        died.append(failed)
    assert failed is None
    assert "store.apply" in died
    assert died.count("file.put_new") == 2  # between the rows and their manifest


async def erase_dies_then_verify(nth):
    """An unclaimed batch, and an erasure that dies; whoever comes next makes up for it."""
    async with on_sqlite() as stage:
        life = Life(stage)
        await life.begin()
        await die_at_the_change(life)
        failed = await cut_off(life, nth, life.of("ilka").erase)
        life.world.clock.advance(timedelta(minutes=30))  # a dead process's lease runs out
        if failed is not None:
            assert (await life.world.memory.verify()).ok
        if await life.of("ilka").count(include=("archived",)):
            certificate = await life.of("ilka").erase()
            assert certificate.complete, f"died at {failed}"
        assert life.secrets() == set(), f"died at {failed}"
        assert await life.hers() == [HERS]
        await life.world.close()
        return failed


async def die_at_the_change(life):
    """Leave a batch that was written and verified, and that no memory points to."""

    def die():
        raise Crash

    other = await archiving_through(life, Meanwhile(the_files(life), "get", 2, die))
    with pytest.raises(Crash):
        await archive_all(other)
    assert len(life.secrets()) > 4  # in the store and in the archive


def test_an_erasure_that_died_on_the_way_is_made_up_for():
    died = []
    for nth in range(1, MOST_CALLS):
        failed = run_now(erase_dies_then_verify(nth))
        if failed is None:
            break
        died.append(failed)
    assert failed is None
    assert "archive.drop" in died


@pytest.fixture
def cold(tmp_path):
    return tmp_path / "cold"


@pytest.fixture
def memory(home, cold):
    return home.open(settings=Settings(archive=f"file://{cold}"))


def secrets_below(folder):
    return {
        secret
        for path in folder.rglob("*") if path.is_file()
        for secret in SECRETS if secret.encode() in raw(path)
    }  # fmt: skip


def copied(cold):
    return {path: path.read_bytes() for path in cold.rglob("*") if path.is_file()}


def put_back(files):
    """Archived objects again where they were, as if they had never been removed."""
    for path, data in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


def test_by_ids_the_others_of_an_unclaimed_batch_stay(memory, cold):
    ilka = memory.scoped(user="ilka")
    first, second = (ilka.remember(text).memory for text in MINE)
    ilka.archive([first.id, second.id])
    earlier = copied(cold)
    ilka.restore(first.id)
    ilka.restore(second.id)
    ilka.archive([first.id, second.id])
    put_back(earlier)  # now nothing points to it, as if its archiving had been cut off
    certificate = ilka.erase(first.id)
    assert certificate.complete
    assert certificate.counts["archived copies"] == 2
    assert secrets_below(cold) == {"蓝鲸", "薄荷糖"}
    assert ilka.restore(second.id).content == MINE[1]
    assert memory.verify().ok


def test_rows_of_a_former_version_in_a_batch_that_is_needed_go_too(memory, cold):
    ilka = memory.scoped(user="ilka")
    first, other = ilka.remember(MINE[0]).memory, ilka.remember("The lease ends in 2034.").memory
    ilka.archive([first.id, other.id])
    earlier = copied(cold)
    ilka.restore(first.id)
    ilka.archive(first.id)
    [shared] = {path.parent for path in earlier}
    shutil.rmtree(shared)
    put_back(earlier)  # the row that the second archiving replaced was not removed
    assert ilka.erase(first.id).complete
    assert secrets_below(cold) == set()
    assert ilka.restore(other.id).content == "The lease ends in 2034."


def test_what_a_forgotten_memory_has_in_the_archive_stays(memory, cold):
    ilka = memory.scoped(user="ilka")
    kept, gone = (ilka.remember(text).memory for text in MINE)
    ilka.archive([kept.id, gone.id])
    ilka.forget(kept.id)
    assert ilka.erase(gone.id).complete
    assert ilka.restore(kept.id).content == MINE[0]


def test_a_file_that_was_written_in_part_goes(memory, cold):
    ilka = memory.scoped(user="ilka")
    note, other = (ilka.remember(text).memory for text in MINE)
    ilka.archive(other.id)
    [rows] = cold.rglob("*.parquet")
    begun = rows.parent.with_name("0198ffff-0000-7000-8000-000000000000")
    begun.mkdir()
    (begun / "0.parquet#1").write_bytes(b"the quokka was")
    (rows.parent / "0.parquet#2").write_bytes(b"half a blancmange")
    assert ilka.erase(note.id).complete
    assert secrets_below(cold) == {"蓝鲸", "薄荷糖"}
    assert not begun.exists()
    assert ilka.restore(other.id).content == MINE[1]


def test_while_the_archive_is_out_of_reach_the_certificate_says_so(memory, cold):
    ilka = memory.scoped(user="ilka")
    note = ilka.remember(MINE[0]).memory
    ilka.archive(note.id)
    earlier = copied(cold)
    ilka.restore(note.id)
    ilka.archive(note.id)
    put_back(earlier)
    away = cold.with_name("elsewhere")
    cold.rename(away)
    cold.write_text("no folder any more")
    certificate = ilka.erase(note.id)
    assert certificate.remaining == ("copies in the archive",)
    cold.unlink()
    away.rename(cold)
    assert memory.verify().ok
    assert secrets_below(cold) == set()
    assert ilka.erase(note.id).complete


def test_where_nothing_was_ever_archived_no_library_is_needed(tmp_path, monkeypatch):
    for archives in (False, True):
        monkeypatch.undo()
        with perdure.open(tmp_path / "memory.db", embedder="off") as memory:
            note, other = (memory.remember(text).memory for text in MINE)
            if archives:
                memory.archive(other.id)
        monkeypatch.setattr("perdure.archives.opening.find_spec", lambda _: None)
        with perdure.open(tmp_path / "memory.db", embedder="off") as memory:
            remaining = memory.erase(note.id).remaining
        assert remaining == (("copies in the archive",) if archives else ())


def test_in_memory_nothing_can_be_left_over(monkeypatch):
    monkeypatch.setattr("perdure.archives.opening.find_spec", lambda _: None)
    with perdure.open("memory://", embedder="off") as memory:
        assert memory.erase(memory.remember(MINE[0]).memory.id).complete


WHEN = {"between the rows and their manifest": ("put_new", 1), "when it is written": ("put_new", 2),
        "in the middle of reading it back": ("get", 1), "when it is verified": ("get", 2)}  # fmt: skip


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("hers", [True, False], ids=["shared", "whole"])
def test_an_erasure_beside_an_archiving_that_goes_on(when, hers):
    run_now(erase_meanwhile(*WHEN[when], hers=hers))


async def erase_meanwhile(call, nth, *, hers):
    """Another process erases one of two users whose memories are just being archived."""
    async with on_sqlite() as stage:
        life = Life(stage)
        await life.begin()
        if not hers:
            await life.of("oto").erase()
        erased = []
        objects = Meanwhile(
            the_files(life), call, nth, lambda: erased.append(run_now(life.of("ilka").erase()))
        )
        archived = await archive_all(await archiving_through(life, objects))
        [certificate] = erased
        assert certificate.complete
        assert len(archived) == hers
        assert life.secrets() == set()
        assert await life.hers() == [HERS] * hers
        assert (await life.world.memory.verify(repair=False)).ok
        await life.world.close()


@pytest.mark.parametrize("how", [How.BEFORE, How.AFTER])
def test_an_archiving_that_fails_removes_its_batch_at_once(how):
    failures = []
    for nth in range(1, MOST_CALLS):
        failed, left = run_now(archive_fails(nth, how))
        if failed is None:
            break
        failures.append(failed)
        # What became of the change is not known then, nor is there a way to remove anything.
        if failed not in ("store.apply", "archive.delete"):
            assert left == [], f"{failed} failed"
    assert failed is None
    assert {"archive.check", "file.put_new"} < set(failures)


async def archive_fails(nth, how):
    """Which call of an archiving failed, and what of it lies in the archive although unneeded."""
    async with on_sqlite() as stage:
        life = Life(stage)
        await life.begin()
        life.world.faults.arm(nth, how)
        with contextlib.suppress(Unavailable):
            await life.archive_all()
        failed = life.world.faults.failed
        life.world.faults.disarm()
        needed = await life.world.store.archived_batches()
        left = [name for name in await life.world.archive.batches() if name not in needed]
        assert await life.hers() == [HERS]
        await life.world.close()
        return failed, left


def test_reading_goes_on_while_rows_are_dropped(tmp_path):
    async def work():
        async with on_sqlite() as stage:
            life = Life(stage)
            await life.begin()
            await life.archive_all()
            [name] = await life.world.archive.batches()
            objects = Meanwhile(the_files(life), "get", 1, lambda: run_now(life.of("ilka").erase()))
            [whole] = (await ParquetArchive(objects).read(name)).values()
            assert whole.memory.content == HERS
            await life.world.close()

    run_now(work())
