"""What a call accepts, what it refuses, and that refusing and reading change nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest

import perdure
from perdure import InvalidInput, Misconfigured, NotFound, PerdureError, Scope, Settings
from perdure.testing import HashingEmbedder
from tests.acceptance.embedders import CountingEmbedder, StrictEmbedder
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import ids, texts


def nested(levels):
    """A mapping in a mapping in a mapping…"""
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.fixture
def counted(home):
    """A memory with one note, and its embedder."""
    embedder = CountingEmbedder()
    memory = home.open(embedder=embedder)
    note = memory.remember("The only note").memory
    embedder.calls = 0
    return memory, note, embedder


def unchanged(memory, note, embedder):
    assert embedder.calls == 0
    assert ids(memory.list()) == [note.id]
    assert memory.get(note.id) == note
    assert len(memory.changes()) == 1


BLANKS = ["", "   ", "\n\t\r", "\u3000", "\u200b\u200d", "\x00", "\ufeff"]


@decided_by_the_engine
@pytest.mark.parametrize("content", [*BLANKS, None, 7, b"bytes", ["words"], True], ids=repr)
def test_content_that_says_nothing_is_refused_before_any_embedding(counted, content):
    memory, note, embedder = counted
    for call in (
        lambda: memory.remember(content),
        lambda: memory.remember_many([{"content": "Fine"}, {"content": content}]),
    ):
        with pytest.raises(InvalidInput, match="content"):
            call()
    unchanged(memory, note, embedder)


@decided_by_the_engine
def test_content_that_is_missing_is_refused_before_any_embedding(counted):
    memory, note, embedder = counted
    for call in (memory.remember, lambda: memory.remember_many([{}])):
        with pytest.raises(InvalidInput, match="content"):
            call()
    unchanged(memory, note, embedder)


@decided_by_the_engine
@pytest.mark.parametrize("query", [*BLANKS[:5], None, 7, True, {}], ids=repr)
def test_a_question_that_asks_nothing_is_refused_before_any_embedding(counted, query):
    memory, note, embedder = counted
    for call in (memory.recall, memory.recall_context):
        with pytest.raises(InvalidInput):
            call(query)
    unchanged(memory, note, embedder)


@decided_by_the_engine
def test_a_question_that_is_missing_is_refused(counted):
    memory, note, embedder = counted
    for call in (memory.recall, memory.recall_context):
        with pytest.raises(InvalidInput, match="query"):
            call()
    unchanged(memory, note, embedder)


@decided_by_the_engine
@pytest.mark.parametrize("content", [*BLANKS[:5], 7], ids=repr)
def test_updating_to_nothing_is_refused_before_any_embedding(counted, content):
    memory, note, embedder = counted
    with pytest.raises(InvalidInput, match="content"):
        memory.update(note.id, content=content)
    unchanged(memory, note, embedder)


WRONG = [
    {"kind": "xyz"},
    {"kind": 3},
    {"importance": 1.5},
    {"importance": -0.1},
    {"importance": "high"},
    {"importance": True},
    {"importance": float("nan")},
    {"metadata": ["a"]},
    {"metadata": {"a": object()}},
    {"metadata": {1: "a"}},
    {"metadata": {"a": float("inf")}},
    {"metadata": {"a": 2**64}},
    {"metadata": {"a": "x" * 70_000}},
    {"metadata": nested(1_000)},
    {"key": ""},
    {"key": "  "},
    {"key": 7},
    {"key": "k" * 1025},
    {"idempotency_key": ""},
    {"idempotency_key": 7},
    {"pinned": "yes"},
    {"pinned": 1},
    {"attachments": [{"digest": "x"}]},
    {"attachments": [7]},
    {"attachments": 7},
    {"source": {"author": "x"}},
    {"source": {"role": 7}},
    {"source": "user"},
]


@decided_by_the_engine
@pytest.mark.parametrize(
    "wrong", WRONG, ids=[f"{next(iter(wrong))} {number}" for number, wrong in enumerate(WRONG)]
)
def test_an_argument_that_makes_no_sense_is_refused_before_any_embedding(counted, wrong):
    memory, note, embedder = counted
    [name] = wrong
    with pytest.raises(InvalidInput, match=name.rstrip("s")):
        memory.remember("Fine words", **wrong)
    with pytest.raises(InvalidInput, match="item 1"):
        memory.remember_many([{"content": "Fine"}, {"content": "Fine words", **wrong}])
    unchanged(memory, note, embedder)


@decided_by_the_engine
@pytest.mark.parametrize("items", [["words"], [None], [{"content": "x", "colour": "red"}]])
def test_an_item_that_remember_would_not_take_is_refused(counted, items):
    memory, note, embedder = counted
    with pytest.raises(InvalidInput, match="item 0"):
        memory.remember_many(items)
    unchanged(memory, note, embedder)


@decided_by_the_engine
@pytest.mark.parametrize("memory_id", ["", None, 7, [], {}])
def test_an_id_that_is_no_id_is_refused(counted, memory_id):
    memory, note, embedder = counted
    for call in (
        memory.get,
        memory.history,
        memory.restore,
        memory.update,
        lambda target: memory.correct(target, "Words"),
    ):
        with pytest.raises(InvalidInput):
            call(memory_id)
    unchanged(memory, note, embedder)


@pytest.mark.parametrize(
    "memory_id", ["nothing-like-an-id", "%", "' or 1=1 --", "\ud83d", "a\x00b"]
)
def test_an_id_that_names_nothing_is_not_found(counted, memory_id):
    memory, note, embedder = counted
    for call in (memory.get, memory.history, memory.restore, memory.forget, memory.update):
        with pytest.raises(NotFound):
            call(memory_id)
    unchanged(memory, note, embedder)


@decided_by_the_engine
def test_every_error_has_one_root(memory):
    for call in (
        lambda: memory.remember(""),
        lambda: memory.get("01983fd0-0000-7000-8000-00000000dead"),
        lambda: memory.list(filters={"a": {"about": 1}}),
    ):
        with pytest.raises(PerdureError):
            call()


@decided_by_the_engine
def test_an_error_does_not_repeat_what_is_remembered(ilka):
    secret = "the passphrase is vermilion"
    note = ilka.remember(secret, idempotency_key="k").memory
    for call in (
        lambda: ilka.remember("something else", idempotency_key="k"),
        lambda: ilka.update(note.id, content="x", expected_version=7),
        lambda: ilka.update(note.id, content=secret * 100_000),
        lambda: ilka.remember(secret, importance=7),
    ):
        with pytest.raises(PerdureError) as raised:
            call()
        assert "vermilion" not in str(raised.value)


# --- large input -------------------------------------------------------------------------------


def test_a_long_text_among_short_ones_is_stored_and_its_end_is_found(home):
    memory = home.open(embedder=StrictEmbedder())
    filler = "Row after row of barley was counted and noted down. " * 4_000
    given = memory.remember_many(
        [
            {"content": "A short note"},
            {"content": filler + "The surveyor's cabin has a slate roof."},
            {"content": "另一条短笔记"},
        ]
    )
    assert [item.outcome for item in given] == ["stored"] * 3
    hit = memory.recall("surveyor's cabin slate roof", limit=1)[0]
    assert hit.memory.id == given[1].memory.id
    assert hit.explanation.arms["vector"] > 0.5
    assert memory.get(given[1].memory.id).content.endswith("slate roof.")


@decided_by_the_engine
def test_a_text_beyond_the_limit_is_refused_whole_with_the_limit_named(home):
    embedder = StrictEmbedder()
    memory = home.open(embedder=embedder)
    huge = "x" * 5_000_000
    with pytest.raises(InvalidInput, match="1,000,000"):
        memory.remember(huge)
    with pytest.raises(InvalidInput, match="item 1"):
        memory.remember_many([{"content": "short"}, {"content": huge}, {"content": "短"}])
    assert (memory.count(), embedder.calls) == (0, 0)


@decided_by_the_engine
def test_the_limit_can_be_set(home):
    memory = home.open(settings=Settings(max_content_chars=10))
    memory.remember("0123456789")
    with pytest.raises(InvalidInput, match="max_content_chars"):
        memory.remember("0123456789a")


@decided_by_the_engine
def test_a_long_question_is_shortened_with_a_note(home):
    memory = home.open(embedder=StrictEmbedder(limit_tokens=2_000))
    memory.remember("The surveyor's cabin has a slate roof")
    found = memory.recall("slate roof cabin " * 6_000)
    assert texts(found) == ["The surveyor's cabin has a slate roof"]
    assert "shortened" in found.notes[0]


# --- reading does not write ---------------------------------------------------------------------


def test_reading_for_users_that_do_not_exist_writes_nothing(home):
    memory = home.open()
    memory.remember("The one note", scope=Scope(user="real"))
    before = memory.stats(everything=True)
    size = home.path.stat().st_size if home.path else None
    for number in range(150):
        nobody = memory.scoped(user=f"nobody-{number}", session=f"s{number}")
        nobody.recall("the one note")
        nobody.recall_context("the one note")
        nobody.list()
        nobody.count()
        nobody.stats()
        with pytest.raises(NotFound):
            nobody.get("01983fd0-0000-7000-8000-00000000dead")
        with pytest.raises(NotFound):
            nobody.forget("01983fd0-0000-7000-8000-00000000dead")
        assert len(nobody.forget_all()) == 0
    assert len(memory.changes(everything=True)) == 1
    after = memory.stats(everything=True)
    assert (after.memories, after.bytes) == (before.memories, before.bytes)
    assert (home.path.stat().st_size if home.path else None) == size


def test_a_recalled_memory_is_the_callers_own(ilka):
    note = ilka.remember("Shelf plan", metadata={"rows": [1, 2]}).memory
    for read in (ilka.get(note.id), ilka.list().items[0], ilka.recall("shelf plan")[0].memory):
        read.metadata["rows"].append(3)
    assert ilka.get(note.id).metadata == {"rows": [1, 2]}


def test_what_was_passed_in_may_be_changed_afterwards(ilka):
    rows = [1, 2]
    note = ilka.remember("Shelf plan", metadata={"rows": rows}).memory
    rows.append(3)
    assert ilka.get(note.id).metadata == {"rows": [1, 2]}


# --- what is told is kept ------------------------------------------------------------------------


def test_everything_told_comes_back_exactly(lasting_home):
    told = {
        "kind": "episodic",
        "importance": 0.123456789,
        "occurred_at": "2031-01-02T03:04:05.678901Z",
        "occurred_until": "2031-01-02T04:00:00Z",
        "valid_from": "2031-01-01",
        "valid_to": "2032-01-01",
        "metadata": {
            "int": 1, "float": 1.0, "big": 2**62, "text": "x'\"%_", "none": None, "yes": True,
            "nested": {"列表": [1, 2.5, "三", None, {"a": []}]}, "": "empty key",
        },
        "key": "a key/with 'quotes'",
        "pinned": True,
        "attachments": [
            {"media_type": "image/png", "digest": "00ff", "location": "s3://b/k", "caption": "图"}
        ],
        "source": {"role": "user", "speaker": "O'Neil 欧尼尔", "message_ids": ["m1", "m2"]},
    }  # fmt: skip
    with lasting_home.open() as memory:
        stored = memory.remember("Exactly 这样", **told).memory
    read = lasting_home.open().get(stored.id)
    assert read == stored
    assert type(read.metadata["int"]) is int
    assert type(read.metadata["float"]) is float
    assert dict(read.metadata) == told["metadata"]
    assert (read.kind, read.importance, read.key) == ("episodic", 0.123456789, told["key"])
    assert read.source.message_ids == ("m1", "m2")


# --- opening -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("mongodb://somewhere/db", Misconfigured),
        ("sqlite://", InvalidInput),
        ("sqlite:///", InvalidInput),
        ("", InvalidInput),
    ],
)
def test_a_url_that_names_no_store_is_refused(url, error):
    with pytest.raises(error):
        perdure.open(url, embedder="off")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"embedder": "nothing-like-it"}, Misconfigured),
        ({"embedder": 7}, Misconfigured),
        ({"embedder": "hashing:zero"}, Misconfigured),
        ({"settings": {"retrieval_limit": 3}}, InvalidInput),
        ({"language_model": object()}, Misconfigured),
    ],
    ids=repr,
)
def test_an_option_that_makes_no_sense_is_refused(options, error):
    with pytest.raises(error):
        perdure.open("memory://", **{"embedder": "off", **options})


@pytest.mark.parametrize(
    "settings",
    [
        {"short_term_size": 0},
        {"retrieval_limit": 0},
        {"relevance_threshold": 1.5},
        {"ranking": "best"},
        {"durability": "maybe"},
        {"vector_format": "float64"},
        {"half_life_days": 0},
        {"max_content_chars": True},
        {"conflict_retries": -1},
    ],
    ids=repr,
)
def test_a_setting_out_of_range_is_refused_by_name(settings):
    with pytest.raises(Misconfigured, match=next(iter(settings))):
        Settings(**settings)


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}", "path"])
def test_a_file_can_be_named_in_three_ways(tmp_path, form):
    path = tmp_path / "a folder with ünïcode 和空格" / "memory.db"
    path.parent.mkdir()
    url = path if form == "path" else form.format(path)
    with perdure.open(url, embedder=HashingEmbedder()) as memory:
        memory.remember("Kept in the named file")
    assert path.exists()
    with perdure.open(path, embedder=HashingEmbedder()) as memory:
        assert texts(memory.list()) == ["Kept in the named file"]


def test_feedback_moves_importance_within_bounds_and_is_reported(ilka, clock):
    liked = ilka.remember("Take the coast road", importance=0.5).memory
    disliked = ilka.remember("Take the hill road", importance=0.5).memory
    for _ in range(40):
        clock.advance(timedelta(hours=1))
        ilka.recall("road")
        ilka.feedback(liked.id, helpful=True)
        ilka.feedback([disliked.id], used=False, helpful=False)
    assert 0.5 < ilka.get(liked.id).importance < 1
    assert 0 < ilka.get(disliked.id).importance < 0.5
    stats = ilka.stats()
    assert (stats.recalled, stats.used, stats.utility_ratio) == (80, 40, 0.5)


def test_feedback_on_one_unknown_memory_changes_nothing(ilka):
    note = ilka.remember("Take the coast road").memory
    with pytest.raises(NotFound):
        ilka.feedback([note.id, "01983fd0-0000-7000-8000-00000000dead"], helpful=True)
    assert ilka.get(note.id) == note
