"""Memories leave the store for the archive, and come back whole."""

from __future__ import annotations

from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from perdure import CorruptArchive, Misconfigured, NotFound, Settings, State
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import ids, texts

ANYTHING = ("superseded", "former", "archived", "expired")
LONG = (
    "The workshop moved to the old harbour in March because the rent in town had doubled. "
    "Everybody said that it was a bad idea at first. "
    "The new landlord is Mr Okafor and his number is 555-0142. "
    "The rooms are bright and there is a crane that still works. "
    "People came to look at it for weeks. "
    "The lease runs until 2034 and it may not be ended earlier. "
    "It was warm on the day of the move and everybody was in good spirits. "
    "Some of the boxes were never opened again."
)
LONG_ZH = (
    "工作室三月份搬到了老港口，因为市区的房租翻了一倍。"
    "大家起初都觉得这是个坏主意，议论了很久也没有结果。"
    "新房东是奥卡福先生，他的电话是555-0142。"
    "房间很明亮，还有一台仍然能用的起重机。"
    "很多人好几个星期都跑来看热闹，拍了不少照片。"
    "租约签到2034年，期间不能提前解约。"
    "搬家那天天气很暖和，大家的心情都不错。"
    "有些箱子后来再也没有打开过。"
)


@pytest.fixture
def memory(home, tmp_path):
    return home.open(settings=Settings(archive=f"file://{tmp_path}/cold"))


@pytest.fixture
def cold(tmp_path):
    """The folder of the archive."""
    return tmp_path / "cold"


def objects(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def told(history):
    return [(step.operation, step.memory.content, step.reason) for step in history]


ON_THE_WAY = ("version", "archive", "last_accessed_at")


def everything_of(note):
    """What must be the same after a journey into the archive and back, which touches a memory."""
    kept = {name: getattr(note, name) for name in note.__slots__}
    return {name: value for name, value in kept.items() if name not in ON_THE_WAY}


def a_note(ilka, **fields):
    return ilka.remember(
        "琴谱放在阁楼的箱子里 (attic trunk)", metadata={"箱子": 3, "n": 1.0}, importance=0.25,
        source={"role": "user", "speaker": "依卡", "message_ids": ["m1"]}, kind="episodic",
        attachments=[{"media_type": "image/png", "digest": "ab", "location": "x", "caption": "谱"}],
        **fields,
    ).memory  # fmt: skip


def test_an_archived_memory_is_a_stub_that_no_search_finds(ilka):
    note = a_note(ilka)
    assert ilka.archive(note.id, reason="idle").ids == (note.id,)
    stub = ilka.get(note.id)
    assert (stub.content, stub.metadata, stub.attachments) == ("", {}, ())
    assert (stub.state, stub.version) == (State.ARCHIVED, 2)
    assert stub.occurred_at == note.occurred_at
    assert ids(ilka.recall("attic trunk")) == []
    assert ids(ilka.recall("attic trunk", include=ANYTHING)) == []
    assert ids(ilka.list()) == []
    assert ids(ilka.list(include="archived")) == [note.id]
    assert ilka.count(include="archived") == 1
    assert ilka.stats().memories == {"archived": 1}
    assert ilka.stats().without_vector == 0


def test_an_archived_memory_comes_back_as_it_was(memory, ilka, clock):
    note = a_note(ilka)
    [found] = ilka.recall("attic trunk")
    clock.advance(timedelta(days=100))
    before = ilka.get(note.id)
    ilka.archive(note.id)
    clock.advance(timedelta(days=9))
    back = ilka.restore(note.id, actor="gardener")
    assert everything_of(back) == everything_of(before)
    assert ilka.get(note.id) == back
    [hit] = ilka.recall("attic trunk")
    assert hit.explanation.arms["vector"] == found.explanation.arms["vector"] > 0
    assert memory.verify().ok


def test_its_history_is_told_while_it_is_away_and_after(ilka, clock):
    note = ilka.remember("The kettle is blue").memory
    clock.advance(timedelta(days=1))
    ilka.update(note.id, content="The kettle is red", actor="painter")
    before = ilka.history(note.id)
    ilka.archive(note.id, reason="nobody asked")
    away = ilka.history(note.id)
    assert away[:2] == before
    assert told(away)[2:] == [("archived", "", "nobody asked")]
    ilka.restore(note.id)
    after = ilka.history(note.id)
    assert after[:3] == away
    assert told(after)[3:] == [("restored", "The kettle is red", None)]


def test_what_was_known_earlier_is_known_again(ilka, clock):
    note = ilka.remember("The kettle is blue").memory
    earlier = clock.now()
    clock.advance(timedelta(days=1))
    ilka.update(note.id, content="The kettle is red")
    ilka.archive(note.id)
    assert texts(ilka.list(known_as_of=earlier)) == []
    ilka.restore(note.id)
    assert texts(ilka.list(known_as_of=earlier)) == ["The kettle is blue"]
    assert texts(ilka.recall("kettle", known_as_of=earlier)) == ["The kettle is blue"]


def test_it_may_go_and_come_back_again_and_again(memory, ilka, cold):
    note = a_note(ilka)
    for round_ in range(3):
        assert len(ilka.archive(note.id)) == 1
        assert len(ilka.archive(note.id)) == 0
        assert len(objects(cold)) == 2
        back = ilka.restore(note.id)
        assert everything_of(back) == everything_of(note)
        assert back.version == 3 + 2 * round_
        assert ilka.restore(note.id) == back
    steps = [step.operation for step in ilka.history(note.id)]
    assert steps == ["created", *["archived", "restored"] * 3]
    assert memory.verify().problems == ()


def test_words_and_history_are_gone_from_the_file(home, memory, ilka):
    if home.path is None:
        pytest.skip("nothing of it is a file here")
    note = ilka.remember("Xylophonquartett", metadata={"geheim": "Zwiebelturm"}).memory
    ilka.update(note.id, content="Yakmilchpudding")
    ilka.archive(note.id)
    steps = [step for step in ilka.changes() if step.memory_id == note.id]
    assert [step.is_emptied for step in steps] == [True, True, False]
    said = repr([ilka.get(note.id), steps])
    assert not any(word in said for word in ("Xylophon", "Zwiebel", "Yakmilch"))


def test_many_are_archived_and_brought_back_by_time(memory, ilka, clock, cold):
    stored = []
    for day in range(30):
        stored.append(ilka.remember(f"note number {day}", kind="episodic").memory)
        clock.advance(timedelta(days=1))
    ben = memory.scoped(user="ben")
    bens = ben.remember("of somebody else").memory
    ben.archive(bens.id)
    assert len(ilka.archive([note.id for note in stored])) == 30
    assert len(objects(cold)) == 4
    week = (stored[7].occurred_at, stored[14].occurred_at)
    back = ilka.restore_archived(between=week)
    assert back.ids == tuple(note.id for note in stored[7:14])
    assert texts(ilka.list()) == [note.content for note in stored[7:14]]
    assert ilka.restore_archived().count == 23
    assert ilka.restore_archived().count == 0
    assert texts(ilka.list()) == [note.content for note in stored]
    assert ben.get(bens.id).state is State.ARCHIVED
    assert memory.restore_archived(everything=True).ids == (bens.id,)


def test_users_share_batches_and_nobody_reads_another_s(memory, ilka, cold):
    ben = memory.scoped(user="ben")
    mine, bens = ilka.remember("mine").memory, ben.remember("his").memory
    with pytest.raises(NotFound):
        ilka.archive([mine.id, bens.id])
    with pytest.raises(NotFound):
        ilka.restore(bens.id)
    assert not cold.exists()


def test_a_superseded_memory_comes_back_superseded(ilka):
    old = ilka.remember("The kettle is blue", key="kettle").memory
    new = ilka.remember("The kettle is red", key="kettle").memory
    ilka.archive(old.id)
    back = ilka.restore(old.id)
    assert (back.state, back.superseded_by, back.content) == (
        State.SUPERSEDED, new.id, "The kettle is blue",
    )  # fmt: skip
    assert texts(ilka.list()) == ["The kettle is red"]


def test_what_happened_while_it_was_away_stays(ilka):
    old = ilka.remember("The kettle is blue", key="kettle").memory
    ilka.archive(old.id)
    new = ilka.remember("The kettle is red", key="kettle").memory
    assert ilka.get(old.id).superseded_by == new.id
    back = ilka.restore(old.id)
    assert (back.superseded_by, back.content) == (new.id, "The kettle is blue")
    assert texts(ilka.list()) == ["The kettle is red"]


def test_a_forgotten_one_comes_back_with_its_words(ilka):
    note = a_note(ilka)
    ilka.archive(note.id)
    ilka.forget(note.id)
    assert ids(ilka.list(include=ANYTHING)) == []
    assert ilka.restore(note.id).content == note.content


def test_checking_leaves_a_forgotten_one_restorable(memory, ilka):
    note = a_note(ilka)
    ilka.archive(note.id)
    ilka.forget(note.id)
    assert memory.verify().problems == ()
    assert ilka.restore(note.id).content == note.content


def test_an_erased_memory_is_in_no_object(memory, ilka, cold):
    first, second, third = (ilka.remember(words).memory for words in ("one", "Zwölf", "three"))
    ilka.archive([first.id, second.id, third.id])
    ilka.restore(third.id)
    certificate = ilka.erase([second.id, third.id])
    assert certificate.remaining == ()
    assert [path.name for path in objects(cold)] == ["1.json", "1.parquet"]
    rows = pq.read_table(objects(cold)[1], columns=["content"])
    assert rows.to_pylist() == [{"content": "one"}]
    assert ilka.restore(first.id).content == "one"
    assert memory.verify().problems == ()


def test_erasing_while_the_archive_is_lost_is_made_up_for(home, memory, ilka, cold):
    if not home.outlives_closing:
        pytest.skip("it cannot be opened twice")
    note = ilka.remember("Zwölf").memory
    ilka.archive(note.id)
    without = home.open(settings=Settings(archive="off")).scoped(user="ilka")
    assert without.erase([note.id]).remaining == ("copies in the archive",)
    [problem] = memory.verify().problems
    assert problem.repaired
    assert objects(cold) == []
    assert memory.verify().problems == ()


def test_changing_one_brings_it_back(ilka):
    note = a_note(ilka)
    ilka.archive(note.id)
    changed = ilka.update(note.id, metadata={"more": True})
    assert changed.metadata == {"箱子": 3, "n": 1.0, "more": True}
    assert (changed.content, changed.state) == (note.content, State.ACTIVE)
    ilka.archive(note.id)
    corrected = ilka.correct(note.id, "The trunk is in the cellar").memory
    assert ids(ilka.list()) == [corrected.id]
    assert ilka.restore(note.id).superseded_by == corrected.id


@pytest.mark.parametrize("words", [LONG, LONG_ZH], ids=["en", "zh"])
def test_a_compressed_memory_has_a_summary_and_its_original_comes_back(memory, ilka, words):
    note = ilka.remember(words, metadata={"a": 1}, understand=False).memory
    assert ilka.compress(note.id).ids == (note.id,)
    short = ilka.get(note.id)
    assert short.state is State.COMPRESSED
    assert 0 < len(short.content) < 0.5 * len(words)
    assert "555-0142" in short.content
    assert short.metadata == {"a": 1}
    assert ids(ilka.recall("old harbour workshop 工作室 老港口")) == [note.id]
    assert len(ilka.compress(note.id)) == 0
    assert told(ilka.history(note.id)) == [
        ("created", words, None), ("compressed", short.content, None),
    ]  # fmt: skip
    before = everything_of(ilka.get(note.id))
    back = ilka.restore(note.id)
    assert everything_of(back) == {**before, "content": words, "state": State.ACTIVE}
    assert memory.verify().problems == ()


def test_a_compressed_memory_is_archived_with_its_original(memory, ilka, cold):
    note = ilka.remember(LONG, understand=False).memory
    ilka.compress(note.id)
    ilka.update(note.id, importance=0.9)
    ilka.archive(note.id)
    assert ilka.get(note.id).is_stub
    assert len(objects(cold)) == 2
    steps = told(ilka.history(note.id))
    assert [step[0] for step in steps] == ["created", "compressed", "updated", "archived"]
    assert steps[0][1] == LONG
    back = ilka.restore(note.id)
    assert (back.content, back.importance, back.state) == (LONG, 0.9, State.ACTIVE)
    assert memory.verify().problems == ()


def test_while_the_archive_is_off_a_compressed_memory_is_not_set_aside(home, memory, ilka):
    if not home.outlives_closing:
        pytest.skip("it cannot be opened twice")
    note = ilka.remember(LONG, understand=False, importance=0.1).memory
    ilka.compress(note.id)
    other = ilka.remember("The kettle is blue", understand=False, importance=0.1).memory
    without = home.open(settings=Settings(archive="off", quota=1)).scoped(user="ilka")
    assert [action.memory_id for action in without.evict().actions] == [other.id]
    assert without.evict().actions == ()
    assert ilka.restore(note.id).content == LONG


def test_short_texts_are_not_compressed(ilka, cold):
    note = ilka.remember("The kettle is blue. It whistles.", understand=False).memory
    assert len(ilka.compress(note.id)) == 0
    assert not cold.exists()


def test_forgotten_memories_are_not_archived(ilka):
    note = ilka.remember("The kettle is blue").memory
    ilka.forget(note.id)
    with pytest.raises(NotFound):
        ilka.archive(note.id)


def test_a_batch_that_was_altered_is_not_taken_for_the_memory(memory, ilka, cold):
    note = a_note(ilka)
    ilka.archive(note.id)
    [rows] = [path for path in objects(cold) if path.suffix == ".parquet"]
    data = bytearray(rows.read_bytes())
    data[len(data) // 2] ^= 1
    rows.write_bytes(data)
    with pytest.raises(CorruptArchive, match="not those that were archived"):
        ilka.restore(note.id)
    [problem] = memory.verify().problems
    assert (problem.place, problem.memory_id, problem.repaired) == ("archive", note.id, False)
    assert ilka.get(note.id).is_stub
    assert [step.operation for step in ilka.history(note.id)] == ["created", "archived"]


def test_a_batch_that_is_lost_is_found(memory, ilka, cold):
    note, hot = a_note(ilka), ilka.remember("stays").memory
    ilka.archive(note.id)
    for path in objects(cold):
        path.unlink()
    with pytest.raises(CorruptArchive, match="not in the archive"):
        ilka.restore(note.id)
    [problem] = memory.verify().problems
    assert problem.memory_id == note.id
    assert ids(ilka.list()) == [hot.id]


def test_batches_that_nothing_points_to_are_removed_after_a_day(memory, ilka, clock, cold):
    note = a_note(ilka)
    ilka.archive(note.id)
    copy = {path: path.read_bytes() for path in objects(cold)}
    ilka.restore(note.id)
    ilka.archive(note.id)
    for path, data in copy.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    assert memory.verify().problems == ()
    clock.advance(timedelta(days=2))
    [found] = memory.verify(repair=False).problems
    assert ("nothing points" in found.problem, found.repaired) == (True, False)
    assert len(objects(cold)) == 4
    [mended] = memory.verify().problems
    assert mended.repaired
    assert len(objects(cold)) == 2
    assert memory.verify().problems == ()
    assert ilka.restore(note.id).content == note.content


def test_a_store_without_an_archive_says_so(home):
    ilka = home.open(settings=Settings(archive="off")).scoped(user="ilka")
    note = ilka.remember("The kettle is blue").memory
    for call in (ilka.archive, ilka.compress):
        with pytest.raises(Misconfigured, match="no archive is configured"):
            call(note.id)
    assert ilka.verify().problems == ()


@decided_by_the_engine
def test_without_a_setting_the_archive_lies_beside_the_store(home):
    memory = home.open()
    ilka = memory.scoped(user="ilka")
    note = a_note(ilka)
    ilka.archive(note.id)
    if home.path is not None:
        assert objects(home.path.with_name("memory.db.archive"))
    assert ilka.restore(note.id).content == note.content


@decided_by_the_engine
@pytest.mark.parametrize("url", ["gopher://x", "file://host/x", "", 7])
def test_an_archive_nobody_understands_is_refused_at_once(home, url):
    with pytest.raises(Misconfigured, match=r"settings\.archive"):
        home.open(settings=Settings(archive=url))
