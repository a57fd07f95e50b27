"""Export and import carry everything from any store to any other, and trust no file."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import count, product

import pytest

from perdure import Conflict, InvalidInput, NotFound, Scope, Settings, Unavailable
from tests.acceptance.embedders import CountingEmbedder
from tests.acceptance.home import Home, decided_by_the_engine
from tests.acceptance.reading import everything_in, texts

_numbers = count(1)
STORES = ("memory", "sqlite", "postgres")


@pytest.fixture
def make_home(request, tmp_path):
    """Makes as many homes as a test needs, each with a store of its own."""
    homes = []

    def make(store, form="sync"):
        path = tmp_path / f"{len(homes)}.db" if store == "sqlite" else None
        url = str(path) if path else "memory://"
        if store == "postgres":
            name = f"moving_{next(_numbers)}"
            url = f"{request.getfixturevalue('postgres_url')}?schema={name}"
        loop = request.getfixturevalue("acceptance_loop")
        homes.append(Home(store=store, form=form, url=url, path=path, loop=lambda: loop))
        return homes[-1]

    yield make
    for home in homes:
        home.close_all()


def live(memory, clock):
    """A little of everything that can happen to memories."""
    ilka = memory.scoped(user="ilka", agent="tutor", session="s1")
    ilka.remember(
        "茶叶放在第二层 with 'quotes', \"more\" and \\ — é",
        metadata={"n": 1, "x": 1.0, "列表": [None, True, {"a": []}]},
        attachments=[{"media_type": "a/b", "digest": "d", "location": "l", "caption": "图"}],
        source={"role": "user", "speaker": "O'Neil", "message_ids": ["m1"]},
        importance=0.123456789,
        idempotency_key="r1",
    )
    note = ilka.remember("First words", occurred_at="2031-01-01T00:00:00.000001Z").memory
    clock.advance(timedelta(hours=1))
    ilka.update(note.id, content="Second words", metadata={"tag": "b"}, actor="editor")
    clock.advance(timedelta(hours=1))
    new = ilka.correct(note.id, "Third words", reason="heard otherwise").memory
    ilka.correct(new.id, "Fourth words", valid_from="2031-03-10T11:30:00")
    wrong = ilka.remember("Born in Graz", valid_from="2030-01-01").memory
    clock.advance(timedelta(hours=1))
    ilka.correct(wrong.id, "Born in Linz", retroactive=True)
    for words, begins, ends in (
        ("Berth 1", "2030-01-01", None),
        ("Berth 2", "2030-06-01", None),
        ("Berth 9", "2030-08-01", "2030-09-01"),
        ("Berth 1", "2031-01-01", None),
        ("Berth 0", "2029-01-01", None),
    ):
        ilka.remember(words, key="berth", valid_from=begins, valid_to=ends)
    gone = ilka.remember("The vermilion secret").memory
    ilka.update(gone.id, content="The vermilion secret, changed")
    ilka.forget(gone.id, reason="asked to")
    back = ilka.remember("Here, gone, and here again").memory
    ilka.forget(back.id)
    clock.advance(timedelta(hours=1))
    ilka.restore(back.id)
    undone = ilka.remember("Tea at four").memory
    ilka.correct(undone.id, "Tea at five")
    ilka.restore(undone.id)
    ilka.remember("Until noon", expires_at=timedelta(minutes=5), pinned=True)
    for number in range(5):
        ilka.remember(f"Turn {number}", kind="short_term")
    ilka.recall("words", limit=3)
    ilka.feedback([hit.memory.id for hit in ilka.recall("berth")], helpful=True)
    memory.scoped(user="oto").remember("Of another user", kind="episodic")
    memory.remember("Of no user in particular")


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rows(path, what):
    return {line[what]["id"]: line for line in lines_of(path) if what in line}


@pytest.mark.parametrize(("source", "target"), list(product(STORES, STORES)))
def test_nothing_is_lost_between_any_two_stores(make_home, tmp_path, source, target):
    first, second = make_home(source), make_home(target, "async")
    settings = Settings(short_term_size=3)
    origin = first.open(settings=settings)
    live(origin, first.clock)
    second.clock.set(first.clock.now())
    told = origin.export(tmp_path / "one.jsonl", everything=True)
    copy = second.open(settings=settings)
    taken = copy.import_(tmp_path / "one.jsonl")
    assert taken.added == told.memories + told.tombstones
    assert (taken.skipped, taken.replaced, taken.withheld, taken.without_vector) == (0, 0, 0, 0)
    assert copy.export(tmp_path / "two.jsonl", everything=True) == told
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    assert copy.verify(repair=False).problems == ()
    compare(origin.scoped(user="ilka"), copy.scoped(user="ilka"))


def compare(origin, copy):
    """Both answer alike, whatever is asked."""
    everything = {"include": ("superseded", "former", "archived", "expired"), "limit": 500}
    before, after = everything_in(origin, **everything), everything_in(copy, **everything)
    assert sorted(before, key=lambda item: item.id) == sorted(after, key=lambda item: item.id)
    moments = ["2029-06-01", "2030-08-15", "2031-03-10T09:30", "2031-03-10T10:30", None]
    for as_of, known in product(moments, moments):
        asked = {"as_of": as_of, "known_as_of": known}
        assert sorted(texts(origin.list(**asked))) == sorted(texts(copy.list(**asked)))
        assert origin.count(**asked) == copy.count(**asked)
    for question in ("words", "berth", "茶叶", "born"):
        found = [{hit.memory.id: hit.score for hit in it.recall(question)} for it in (origin, copy)]
        assert found[0] == pytest.approx(found[1], abs=1e-6)
    for item in before:
        steps = [
            [(step.operation, step.at, step.actor, step.reason, step.memory)
             for step in each.history(item.id) if step.operation != "accessed"]
            for each in (origin, copy)
        ]  # fmt: skip
        assert sorted(steps[0], key=repr) == sorted(steps[1], key=repr)


def test_importing_again_changes_nothing(home, tmp_path):
    memory = home.open()
    live(memory, home.clock)
    told = memory.export(tmp_path / "one.jsonl", everything=True)
    before = len(memory.changes(everything=True))
    again = memory.import_(tmp_path / "one.jsonl")
    assert (again.added, again.replaced) == (0, 0)
    assert again.skipped + again.withheld == told.memories + told.tombstones
    assert len(memory.changes(everything=True)) == before


def test_an_export_holds_no_words_of_what_was_forgotten(home, tmp_path):
    memory = home.open()
    live(memory, home.clock)
    memory.export(tmp_path / "one.jsonl", everything=True)
    assert "vermilion" not in (tmp_path / "one.jsonl").read_text(encoding="utf-8")
    [tombstone] = rows(tmp_path / "one.jsonl", "tombstone").values()
    assert set(tombstone["tombstone"]) == {"id", "scope", "forgotten_at"}


def test_a_tombstone_keeps_an_older_export_out(home, tmp_path):
    source = home.open().scoped(user="ilka")
    note = source.remember("The spare fob hangs behind the clock").memory
    source.export(tmp_path / "old.jsonl")
    source.forget(note.id)
    source.export(tmp_path / "new.jsonl")
    fresh = Home(store="memory", form=home.form, url="memory://", loop=home.loop)
    target = fresh.open()
    assert target.import_(tmp_path / "new.jsonl").added == 1
    assert target.import_(tmp_path / "old.jsonl").withheld == 1
    assert target.count(everything=True, include=("former", "superseded")) == 0
    with pytest.raises(NotFound):
        target.scoped(user="ilka").get(note.id)
    fresh.close_all()


def test_a_scope_exports_only_itself(home, tmp_path):
    memory = home.open()
    live(memory, home.clock)
    memory.export(tmp_path / "oto.jsonl", scope=Scope(user="oto"))
    [kept] = rows(tmp_path / "oto.jsonl", "memory").values()
    assert kept["memory"]["content"] == "Of another user"


def test_an_export_of_nobody_where_others_have_memories_is_refused(memory, tmp_path):
    memory.scoped(user="ilka").remember("Ilka's")
    with pytest.raises(InvalidInput, match="everything=True"):
        memory.export(tmp_path / "x.jsonl")
    assert not (tmp_path / "x.jsonl").exists()


@decided_by_the_engine
def test_an_existing_file_is_replaced_only_by_a_whole_one(ilka, tmp_path):
    ilka.remember("Anything")
    target = tmp_path / "x.jsonl"
    target.write_text("what was there before")
    ilka.export(target)
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".db"].count("x.jsonl") == 1
    assert not list(tmp_path.glob("*.partial"))
    assert lines_of(target)[0]["perdure"] == "export"


@decided_by_the_engine
def test_an_export_to_a_place_that_is_none_is_an_error(ilka, tmp_path):
    ilka.remember("Anything")
    with pytest.raises(Unavailable):
        ilka.export(tmp_path / "no such folder" / "x.jsonl")
    for wrong in ("", None, 7):
        with pytest.raises(InvalidInput):
            ilka.export(wrong)


def test_an_import_makes_vectors_by_the_embedder_in_use(home, tmp_path):
    source = home.open(embedder="off")
    source.remember("The barge left at dawn")
    source.export(tmp_path / "x.jsonl")
    embedder = CountingEmbedder()
    fresh = Home(store="memory", form=home.form, url="memory://", loop=home.loop)
    target = fresh.open(embedder=embedder)
    assert target.import_(tmp_path / "x.jsonl").without_vector == 0
    assert embedder.texts == ["The barge left at dawn"]
    assert target.recall("barge dawn")[0].explanation.arms["vector"] > 0
    fresh.close_all()


# --- the same id, another state -------------------------------------------------------------------


@pytest.fixture
def conflicting(ilka, clock, tmp_path):
    """A memory that has changed since it was exported, and one more in the file."""
    note = ilka.remember("As exported").memory
    other = ilka.remember("Only in the file").memory
    ilka.export(tmp_path / "x.jsonl")
    clock.advance(timedelta(hours=1))
    ilka.update(note.id, content="As changed since")
    return ilka, note, other, tmp_path / "x.jsonl"


def test_skipping_leaves_what_is_stored(conflicting):
    memory, note, _, path = conflicting
    given = memory.import_(path)
    assert (given.skipped, given.replaced) == (2, 0)
    assert memory.get(note.id).content == "As changed since"


def test_replacing_makes_a_new_version_and_keeps_the_history(conflicting):
    memory, note, _, path = conflicting
    given = memory.import_(path, "replace", actor="importer")
    assert (given.skipped, given.replaced) == (1, 1)
    after = memory.get(note.id)
    assert (after.content, after.version) == ("As exported", 3)
    last = memory.history(note.id)[-1]
    assert (last.operation, last.actor) == ("imported", "importer")
    assert texts(memory.recall("exported changed")) == ["As exported"]


def test_replacing_gives_a_slot_no_second_value(ilka, clock, tmp_path):
    ilka.remember("Lives in Oslo", key="home")
    ilka.export(tmp_path / "x.jsonl")
    clock.advance(timedelta(hours=1))
    ilka.remember("Lives in Bergen", key="home")
    given = ilka.import_(tmp_path / "x.jsonl", "replace")
    assert (given.skipped, given.replaced) == (1, 0)
    assert texts(ilka.list()) == ["Lives in Bergen"]


@pytest.mark.parametrize("store", STORES)
def test_a_tombstone_that_replaces_forgets_and_can_be_undone(make_home, tmp_path, store):
    origin, copy = make_home("memory").open(), make_home(store).open()
    ilka = {"scope": Scope(user="ilka")}
    berth = origin.remember("The berth is number nine", **ilka).memory.id
    origin.export(tmp_path / "living.jsonl", **ilka)
    copy.import_(tmp_path / "living.jsonl")
    origin.forget(berth, **ilka)
    origin.export(tmp_path / "forgotten.jsonl", **ilka)
    assert copy.import_(tmp_path / "forgotten.jsonl", on_conflict="replace").replaced == 1
    assert not copy.recall("berth", **ilka)
    assert copy.restore(berth, **ilka).content == "The berth is number nine"
    assert texts(copy.recall("berth", **ilka)) == ["The berth is number nine"]
    assert copy.verify(repair=False).ok


def test_an_error_imports_nothing(conflicting, tmp_path, home):
    _, note, other, path = conflicting
    fresh = Home(store="memory", form=home.form, url="memory://", loop=home.loop)
    target = fresh.open().scoped(user="ilka")
    target.import_(path)
    target.update(note.id, importance=0.9)
    target.forget(other.id)
    before = len(target.changes())
    with pytest.raises(Conflict, match=note.id):
        target.import_(path, on_conflict="error")
    assert len(target.changes()) == before
    fresh.close_all()


@decided_by_the_engine
def test_an_unknown_policy_is_refused(conflicting):
    memory, _, _, path = conflicting
    with pytest.raises(InvalidInput, match="on_conflict"):
        memory.import_(path, "overwrite")


@pytest.fixture
def other_captain(ilka, clock, tmp_path, home):
    """A store whose slot has a value of its own, and a file with another value for it."""
    ilka.remember("Captain: Ada", key="captain")
    ilka.export(tmp_path / "x.jsonl")
    fresh = Home(store="memory", form=home.form, url="memory://", loop=home.loop, clock=clock)
    clock.advance(timedelta(hours=-1))
    target = fresh.open().scoped(user="ilka")
    target.remember("Captain: Bo", key="captain")
    yield target, tmp_path / "x.jsonl"
    fresh.close_all()


@pytest.mark.parametrize("on_conflict", ["skip", "replace"])
def test_an_import_never_gives_a_slot_two_current_values(other_captain, on_conflict):
    memory, path = other_captain
    assert memory.import_(path, on_conflict).skipped == 1
    assert texts(memory.list()) == ["Captain: Bo"]


def test_a_taken_slot_is_a_conflict_when_that_is_asked_for(other_captain):
    memory, path = other_captain
    with pytest.raises(Conflict, match="captain"):
        memory.import_(path, "error")
    assert len(memory.changes()) == 1


# --- damaged and hostile files --------------------------------------------------------------------


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The lines of a sound export with two memories."""
    import perdure
    from perdure.testing import FakeClock

    path = tmp_path_factory.mktemp("export") / "sound.jsonl"
    with perdure.open("memory://", embedder="off", clock=FakeClock()) as memory:
        note = memory.remember("A note", metadata={"a": 1}, key="k").memory
        memory.update(note.id, content="A note, changed")
        memory.remember("Another note")
        memory.export(path)
    return path.read_text(encoding="utf-8").splitlines()


def changed(lines, change):
    """The lines with the first memory's line changed."""
    document = json.loads(lines[1])
    change(document)
    return [lines[0], json.dumps(document), *lines[2:]]


def put(*path, value):
    def change(document):
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


def drop(*path):
    def change(document):
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return change


def both(field, value):
    """The field changed in the memory and in its history, so that they still agree."""

    def change(document):
        document["memory"][field] = value
        document["history"][0]["change"][field] = value

    return change


DAMAGE = {
    "no memory": drop("memory"),
    "no history": drop("history"),
    "empty history": put("history", value=[]),
    "history of another": put("history", 0, "change", "id", value="01983fd0-beef"),
    "history ends elsewhere": put("history", 1, "change", "content", value="Something else"),
    "unknown operation": put("history", 0, "operation", value="exploded"),
    "no time": drop("history", 0, "at"),
    "unreadable time": put("history", 0, "at", value="last week"),
    "unknown field": both("colour", "red"),
    "another id on the way": put("history", 1, "change", "id", value="01983fd0-dead"),
    "another scope on the way": put("history", 1, "change", "scope", value={"user": "oto"}),
    "version stands still": lambda d: [
        put("history", 1, "change", "version", value=1)(d),
        put("memory", "version", value=1)(d),
    ],
    "version leaps": lambda d: [
        put("history", 1, "change", "version", value=9)(d),
        put("memory", "version", value=9)(d),
    ],
    "no id": both("id", ""),
    "id no text": both("id", 7),
    "no content": lambda d: [
        put("history", 1, "change", "content", value="")(d),
        put("memory", "content", value="")(d),
    ],
    "content no text": lambda d: [
        put("history", 1, "change", "content", value=7)(d),
        put("memory", "content", value=7)(d),
    ],
    "half a character": both("key", "\ud83d"),
    "half a character in metadata": both("metadata", {"a": "\ud83d"}),
    "half a character in the actor": put("history", 0, "actor", value="\ud83d"),
    "nul in metadata": both("metadata", {"a\x00": 1}),
    "importance too large": both("importance", 7),
    "importance no number": both("importance", "high"),
    "importance true": both("importance", True),
    "confidence negative": both("confidence", -1),
    "unknown kind": both("kind", "xyz"),
    "unknown state": both("state", "xyz"),
    "metadata a list": both("metadata", [1]),
    "metadata a huge number": both("metadata", {"a": 2**70}),
    "scope a text": both("scope", "ilka"),
    "scope with a number": both("scope", {"user": 7}),
    "pinned a text": both("pinned", "yes"),
    "key a number": both("key", 7),
    "supersedes a text": both("supersedes", "abc"),
    "accesses negative": both("accessed_count", -3),
    "ends before it begins": both("valid_to", "1999-01-01T00:00:00+00:00"),
    "polarity unknown": both("polarity", "?"),
    "strength a text": both("strength", "strong"),
    "source a list": both("source", []),
    "attachment without a place": both("attachments", [{"media_type": "a/b"}]),
    "actor a number": put("history", 0, "actor", value=7),
    "reason a number": put("history", 0, "reason", value=7),
    "change a list": put("history", 0, "change", value=[]),
}


@decided_by_the_engine
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_line_is_named_and_nothing_is_imported(memory, sound, tmp_path, damage):
    path = tmp_path / "damaged.jsonl"
    path.write_text("\n".join(changed(sound, damage)) + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="line 2"):
        memory.import_(path)
    assert memory.changes(everything=True) == []


FILES = {
    "empty": lambda lines: [],
    "no header": lambda lines: lines[1:],
    "another header": lambda lines: ['{"perdure": "backup"}', *lines[1:]],
    "header no object": lambda lines: ["7", *lines[1:]],
    "a later format": lambda lines: ['{"perdure":"export","format":99}', *lines[1:]],
    "not json": lambda lines: [lines[0], "hello", *lines[1:]],
    "a list": lambda lines: [lines[0], "[]", *lines[1:]],
    "null": lambda lines: [lines[0], "null", *lines[1:]],
    "cut off": lambda lines: [lines[0], lines[1][: len(lines[1]) // 2]],
    "nan": lambda lines: [lines[0], lines[1].replace('"a":1', '"a":NaN')],
    "tombstone without id": lambda lines: [lines[0], '{"tombstone":{"scope":{}}}'],
    "tombstone a list": lambda lines: [lines[0], '{"tombstone":[]}'],
    "nested too deep": lambda lines: [lines[0], "[" * 100_000],
    "the same memory twice": lambda lines: [*lines, lines[1]],
}


@decided_by_the_engine
@pytest.mark.parametrize("damage", FILES.values(), ids=FILES)
def test_a_file_that_is_no_whole_export_is_refused(memory, sound, tmp_path, damage):
    path = tmp_path / "damaged.jsonl"
    path.write_text("\n".join(damage(sound)) + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput):
        memory.import_(path)
    assert memory.changes(everything=True) == []


@decided_by_the_engine
def test_a_file_that_is_no_text_or_not_there_is_refused(memory, tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x01" * 50)
    for path in (tmp_path / "binary", tmp_path / "absent.jsonl"):
        with pytest.raises(InvalidInput):
            memory.import_(path)
    with pytest.raises((InvalidInput, Unavailable)):
        memory.import_(tmp_path)


@decided_by_the_engine
def test_blank_lines_and_windows_line_ends_do_no_harm(memory, sound, tmp_path):
    path = tmp_path / "sound.jsonl"
    path.write_bytes(("\r\n".join([*sound, "", "  "]) + "\r\n").encode())
    assert memory.import_(path).added == 2


@decided_by_the_engine
def test_words_with_line_separators_survive(ilka, tmp_path, home):
    words = "one\u2028two\u2029three\x85four\x0bfive\x1cend"
    ilka.remember(words)
    ilka.export(tmp_path / "x.jsonl")
    fresh = Home(store="memory", form=home.form, url="memory://", loop=home.loop)
    target = fresh.open()
    target.import_(tmp_path / "x.jsonl")
    assert texts(target.scoped(user="ilka").list()) == [words]
    fresh.close_all()


@decided_by_the_engine
def test_an_import_of_another_tenant_is_refused(memory, tmp_path):
    north = memory.scoped(tenant="north")
    north.remember("North's")
    north.export(tmp_path / "north.jsonl")
    with pytest.raises(InvalidInput, match="tenant"):
        memory.import_(tmp_path / "north.jsonl")
