"""What a question finds, in which order, and why."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

import perdure
from perdure import InvalidInput, Preset, Scope, Settings
from perdure.testing import ScriptedEmbedder
from tests.acceptance.embedders import FlakyEmbedder
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import ids, texts

QUESTION = "glühwürmchen"
"""Shares no word with any memory here, so that only vectors speak."""


def test_a_selective_condition_still_fills_the_limit(home):
    wanted = [f"Wanted {number}" for number in range(12)]
    embedder = ScriptedEmbedder(
        {QUESTION: [1, 0, 0, 0], **{text: [0.3, 0.9, 0, 0] for text in wanted}},
        default=[1, 0.02, 0, 0],
    )
    memory = home.open(embedder=embedder)
    ilka, oto = Scope(user="ilka"), Scope(user="oto")
    nearer = [
        {"content": f"Nearer {number}", "scope": scope, "metadata": {"tag": "common"},
         "occurred_at": "2031-02-05"}
        for scope in (ilka, oto)
        for number in range(600)
    ]  # fmt: skip
    asked_for = [
        {"content": content, "scope": scope, "metadata": {"tag": "rare"},
         "occurred_at": "2031-01-20"}
        for scope in (ilka, Scope(user="ann"))
        for content in wanted
    ]  # fmt: skip
    memory.remember_many([*nearer, *asked_for])

    user = {"scope": Scope(user="ann")}
    tag = {"scope": ilka, "filters": {"tag": "rare"}}
    date = {"scope": ilka, "between": ("2031-01-01", "2031-01-31")}
    for condition in (user, tag, date, {**tag, **date}):
        for limit, expected in ((5, 5), (10, 10), (50, 12)):
            hits = memory.recall(QUESTION, limit=limit, **condition)
            assert len(hits) == expected
            assert all(text.startswith("Wanted") for text in texts(hits))


def test_another_condition_never_adds_hits(ilka):
    ilka.remember_many(
        [
            {"content": f"Plank {number}", "metadata": {"a": number % 2, "b": number % 3}}
            for number in range(30)
        ]
    )
    conditions = [{}, {"a": 0}, {"a": 0, "b": 0}, {"a": 0, "b": 0, "memory.pinned": True}]
    counts = [len(ilka.recall("plank", limit=50, filters=item)) for item in conditions]
    assert counts == [30, 15, 5, 0]


@pytest.fixture
def measured(home):
    """Four memories at known cosines from the question."""
    cosines = {"Close": 0.99, "Near": 0.7, "Far": 0.4, "Beyond": 0.05}
    table = {text: [cos, (1 - cos**2) ** 0.5, 0] for text, cos in cosines.items()}
    memory = home.open(embedder=ScriptedEmbedder({QUESTION: [1, 0, 0], **table}))
    memory.remember_many([{"content": text} for text in ("Far", "Beyond", "Close", "Near")])
    return memory


def test_a_higher_score_is_a_better_hit(measured):
    hits = measured.recall(QUESTION)
    assert texts(hits) == ["Close", "Near", "Far", "Beyond"]
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(("floor", "left"), [(0.0, 4), (0.3, 3), (0.6, 2), (0.95, 1), (1.0, 0)])
def test_min_score_drops_what_scores_below(measured, floor, left):
    hits = measured.recall(QUESTION, min_score=floor)
    assert texts(hits) == ["Close", "Near", "Far", "Beyond"][:left]
    assert hits.abstained is (left == 0)


@pytest.fixture
def kettle(home):
    """Words alone, of which it is known how they read."""
    memory = home.open(embedder="off")
    memory.remember_many(
        [{"content": text} for text in ("The kettle is in the kitchen", "The cat is in the garden")]
    )
    return memory


def test_a_score_is_a_probability_that_grows_with_what_is_in_common(kettle):
    near, far = (
        kettle.recall("where is the kettle"),
        kettle.recall("was the kettle repaired lately"),
    )
    assert near.likelihood > far.likelihood > 0.0
    assert near[0].score > far[0].score
    assert near[0].score <= near.likelihood
    assert near[0].explanation.certainty == "words"


def test_of_an_unknown_embedder_the_strength_is_the_score(measured):
    found = measured.recall(QUESTION)
    assert found.likelihood is None
    assert [hit.explanation.strength for hit in found] == [hit.score for hit in found]


def test_a_floor_drops_what_is_less_likely_and_nothing_else(kettle):
    hits = kettle.recall("kettle in the kitchen or the garden")
    assert len(hits) == 2
    assert len(kettle.recall("kettle in the kitchen or the garden", min_score=hits[0].score)) == 1
    assert len(kettle.recall("kettle in the kitchen or the garden", min_score=hits[1].score)) == 2


def test_being_read_makes_a_memory_no_likelier(kettle):
    question = "kettle in the kitchen or the garden"
    before = [hit.score for hit in kettle.recall(question)]
    for _ in range(5):
        kettle.recall("kettle in the kitchen", limit=1)
    found = kettle.recall(question)
    assert [hit.score for hit in found] == pytest.approx(before, abs=1e-9)


@decided_by_the_engine
def test_below_the_answer_threshold_nothing_is_said(home):
    memory = home.open(embedder="off", settings=Settings(answer_threshold=0.6))
    memory.remember("The kettle is in the kitchen")
    unsure, sure = "has the kettle been repaired by the plumber lately", "where is the kettle"
    assert memory.recall(unsure).abstained
    assert memory.recall_context(unsure) == ""
    assert len(memory.recall(unsure, min_score=0.0)) == 1
    assert not memory.recall(sure).abstained


def test_a_score_means_the_same_in_every_store(measured):
    found = {
        hit.memory.content: hit.explanation.arms["vector"] for hit in measured.recall(QUESTION)
    }
    assert found == pytest.approx(
        {"Close": 0.99, "Near": 0.7, "Far": 0.4, "Beyond": 0.05}, abs=1e-5
    )


@decided_by_the_engine
@pytest.mark.parametrize("min_score", [-0.1, 1.1, "0.5", True, float("nan")])
def test_a_min_score_outside_its_range_is_refused(measured, min_score):
    with pytest.raises(InvalidInput, match="min_score"):
        measured.recall(QUESTION, min_score=min_score)


def test_an_exact_identifier_comes_first(ilka):
    ilka.remember_many(
        [{"content": f"Alarm VT-3H{number:03}-QE at lift {number}"} for number in range(200)]
    )
    for question in ("VT-3H041-QE", "3H041", "vt-3h041-qe", "lift 41 alarm", "alarm at LIFT 41"):
        assert texts(ilka.recall(question))[0] == "Alarm VT-3H041-QE at lift 41", question


def test_an_exact_number_comes_first_in_chinese(ilka):
    ilka.remember_many(
        [{"content": f"{number}号电梯报警，编号KD{number}"} for number in range(200)]
    )
    for question in ("41号电梯", "电梯41报警", "编号KD41"):
        assert texts(ilka.recall(question))[0] == "41号电梯报警，编号KD41", question


@pytest.mark.slow
@pytest.mark.parametrize("question", ["VT-3H041-QE", "3h041", "lift 41 alarm", "41号电梯的报警"])
def test_an_exact_identifier_comes_first_with_the_bundled_model_too(tmp_path, question):
    with perdure.open(tmp_path / "memory.db", embedder="local") as memory:
        memory.remember_many(
            [{"content": f"Alarm VT-3H{number:03}-QE at lift {number}"} for number in range(20, 80)]
        )
        memory.remember_many([{"content": f"{number}号电梯报警"} for number in range(20, 80)])
        found = texts(memory.recall(question))[0]
        assert "VT-3H041" in found or found.startswith("41号")


SCRIPTS = {
    "zh": "前天园丁把池塘边的柳树移到了后院",
    "zh-trad": "圖書館的鑰匙交給了管理員",
    "ja": "明日は港でたこ揚げ大会がある",
    "ko": "지난주에 옥탑방 창문을 고쳤다",
    "th": "เมื่อวานฉันปลูกมะม่วงหลังบ้าน",
    "mixed": "季报 sync 任务又超时了",
    "en": "The gasket arrived on Thursday",
}
SEARCHES = [
    ("柳树", "zh"),
    ("池塘", "zh"),
    ("柳", "zh"),
    ("塘", "zh"),
    ("后院的柳树", "zh"),
    ("後院", "zh"),
    ("图书馆", "zh-trad"),
    ("鑰匙", "zh-trad"),
    ("钥", "zh-trad"),
    ("たこ揚げ", "ja"),
    ("港", "ja"),
    ("옥탑방", "ko"),
    ("창문을", "ko"),
    ("มะม่วง", "th"),
    ("sync 任务", "mixed"),
    ("季报", "mixed"),
    ("ＳＹＮＣ", "mixed"),
    ("gaskets", "en"),
    ("GASKET", "en"),
]


def test_words_alone_find_a_memory_in_every_script(home):
    memory = home.open(embedder="off")
    memory.remember_many([{"content": text} for text in SCRIPTS.values()])
    for question, note in SEARCHES:
        assert texts(memory.recall(question))[:1] == [SCRIPTS[note]], question


def test_a_question_that_nothing_answers_is_not_padded(memory):
    memory.remember_many([{"content": text} for text in SCRIPTS.values()])
    for question in ("zzyzx", "鼹鼠", "🦔", "?!", "qqq 999"):
        found = memory.recall(question)
        assert (len(found), found.abstained) == (0, True), question
        assert memory.recall_context(question) == ""


def test_an_empty_memory_abstains(memory):
    found = memory.recall("anything")
    assert (len(found), found.abstained, found.considered) == (0, True, 0)


@decided_by_the_engine
@pytest.mark.parametrize("limit", [0, -1, 2.5, "3", True])
def test_a_limit_below_one_or_no_number_is_refused(ilka, limit):
    ilka.remember("Anything")
    with pytest.raises(InvalidInput, match="limit"):
        ilka.recall("anything", limit=limit)


def test_a_limit_beyond_what_there_is_gives_all(ilka):
    ilka.remember_many([{"content": f"Bolt {number}"} for number in range(30)])
    assert len(ilka.recall("bolt", limit=10_000)) == 30
    assert len(ilka.recall("bolt")) == Settings().retrieval_limit


def test_a_vector_may_be_the_question(measured):
    for vector in ([1, 0, 0], (2.0, 0, 0), np.array([5, 0, 0], dtype=np.float64)):
        assert texts(measured.recall(vector, limit=2)) == ["Close", "Near"]


@decided_by_the_engine
@pytest.mark.parametrize(
    "vector", [[1, 0], [0, 0, 0], [float("nan"), 0, 0], [[1, 0, 0]], [], ["a", "b", "c"], 7, {}]
)
def test_a_vector_that_cannot_be_compared_is_refused(measured, vector):
    with pytest.raises(InvalidInput):
        measured.recall(vector)


@decided_by_the_engine
def test_a_vector_is_refused_without_an_embedder(home):
    with pytest.raises(InvalidInput, match="embedder"):
        home.open(embedder="off").recall([1.0, 0.0])


def test_relevance_outweighs_age_importance_and_use(ilka, clock):
    ilka.remember("The ferry to Ven sails at six", importance=0.0)
    clock.advance(timedelta(days=700))
    ilka.remember("The oven timer is loud", importance=1.0, pinned=True)
    for _ in range(50):
        ilka.recall("oven timer")
    assert texts(ilka.recall("when does the ferry to Ven sail"))[0] == (
        "The ferry to Ven sails at six"
    )


def test_equal_scores_are_ordered_by_id(home):
    names = [f"Twin {name}" for name in ("delta", "alpha", "omega", "beta")]
    memory = home.open(embedder=ScriptedEmbedder({QUESTION: [1, 0]}, default=[1, 1]))
    kept = [item.memory.id for item in memory.remember_many([{"content": it} for it in names])]
    for _ in range(2):
        assert ids(memory.recall(QUESTION)) == sorted(kept)


def test_the_same_question_gives_the_same_answer(ilka):
    ilka.remember_many(
        [{"content": f"Shelf {number % 7} holds jar {number}"} for number in range(60)]
    )
    first = ids(ilka.recall("jar shelf 3", limit=60))
    assert len(first) == 60
    assert [ids(ilka.recall("jar shelf 3", limit=60)) for _ in range(3)] == [first] * 3


def test_near_duplicates_are_said_once(ilka):
    ilka.remember("The heron nests by the weir.", metadata={})
    ilka.remember("the heron nests by the weir", kind="episodic")
    assert len(ilka.recall("heron nests")) == 1
    assert ilka.count() == 2


@pytest.mark.parametrize("preset", ["balanced", "seed_weighted", "agent_io"])
def test_an_explanation_recomputes_to_the_score_exactly(home, preset):
    memory = home.open(settings=Settings(ranking=preset))
    for number in range(25):
        home.clock.advance(timedelta(days=number * 3, seconds=number))
        memory.remember(f"Lantern {number} hangs in aisle {number % 4}", importance=number / 25)
    for _ in range(3):
        for hit in memory.recall("lantern aisle 2", limit=25):
            explanation = hit.explanation
            assert explanation.recomputed() == explanation.score == hit.score
            assert sum(value * weight for value, weight in explanation.components.values()) == (
                pytest.approx(hit.score, abs=1e-12)
            )
            assert all(0 <= value <= 1 for value, _ in explanation.components.values())


@decided_by_the_engine
def test_the_configuration_hash_tells_settings_apart(home):
    def hash_of(**settings):
        memory = home.open(settings=Settings(**settings)).scoped(user=str(settings))
        memory.remember("A lantern")
        [hit] = memory.recall("lantern")
        return hit.explanation.config_hash

    assert hash_of() == hash_of(retrieval_limit=10)
    assert len({hash_of(), hash_of(ranking="agent_io"), hash_of(half_life_days=3.0)}) == 3


@decided_by_the_engine
def test_a_callers_own_weights_decide_the_order(home):
    weights = Preset(name="mine", similarity=0.1, importance=0.9, recency=0.0, frequency=0.0)
    memory = home.open(settings=Settings(ranking=weights))
    memory.remember("Lantern in the very lantern aisle", importance=0.1)
    memory.remember("An aisle", importance=1.0)
    assert texts(memory.recall("lantern aisle"))[0] == "An aisle"


@decided_by_the_engine
def test_a_relevance_threshold_is_the_default_floor(home):
    memory = home.open(settings=Settings(relevance_threshold=0.99))
    memory.remember("A lantern in some aisle or other, far from here")
    assert memory.recall("lantern").abstained
    assert len(memory.recall("lantern", min_score=0.0)) == 1


def test_recalls_are_counted_and_survive_closing(lasting_home):
    with lasting_home.open() as memory:
        note = memory.remember("The well is deep").memory
        for _ in range(3):
            memory.recall("well deep")
        assert memory.get(note.id).accessed_count == 3
    memory = lasting_home.open()
    read = memory.get(note.id)
    assert (read.accessed_count, read.last_accessed_at) == (3, lasting_home.clock.now())
    assert read.version == 1


def test_a_fact_inside_a_long_text_is_found(ilka):
    filler = " ".join(f"The {n}th crate was weighed, stamped and set aside." for n in range(80))
    note = ilka.remember(f"{filler} The cellar key is with Torvald. {filler}").memory
    ilka.remember_many([{"content": f"Crate report {n}: nothing to add"} for n in range(20)])
    assert ids(ilka.recall("who has the cellar key"))[0] == note.id


# --- after an update, everything derived from the old words is gone -----------------------------


@pytest.mark.parametrize(
    ("before", "after", "old_word", "new_word"),
    [
        ("The vase is glazed in saffrolite", "The vase is glazed in quenchwood", "saffrolite",
         "quenchwood"),
        ("花瓶上了钴蓝釉", "花瓶上了豆青釉", "钴蓝", "豆青"),
    ],
)  # fmt: skip
def test_an_update_is_found_by_its_new_words_only(ilka, before, after, old_word, new_word):
    note = ilka.remember(before).memory
    ilka.update(note.id, content=after)
    assert texts(ilka.recall(new_word)) == [after]
    assert after not in texts(ilka.recall(old_word, min_score=0.5))
    assert old_word not in " ".join(texts(ilka.list(include=("superseded", "former"))))


def test_an_update_is_found_by_its_new_vector_only(home):
    table = {
        "before": [1, 0, 0],
        "after": [0, 1, 0],
        "ask before": [1, 0, 0],
        "ask after": [0, 1, 0],
    }
    memory = home.open(embedder=ScriptedEmbedder(table))
    note = memory.remember("before").memory
    memory.update(note.id, content="after")
    [hit] = memory.recall([1, 0, 0])
    assert hit.explanation.arms["vector"] == pytest.approx(0.0, abs=1e-6)
    [hit] = memory.recall([0, 1, 0])
    assert hit.explanation.arms["vector"] == pytest.approx(1.0, abs=1e-6)


def test_an_update_holds_in_the_index_after_reopening(lasting_home):
    with lasting_home.open() as memory:
        note = memory.remember("The vase is glazed in saffrolite").memory
        memory.recall("saffrolite")
        memory.update(note.id, content="The vase is glazed in quenchwood")
    memory = lasting_home.open()
    assert texts(memory.recall("quenchwood")) == ["The vase is glazed in quenchwood"]
    assert memory.recall("saffrolite").abstained
    assert memory.verify(repair=False).problems == ()


def vector_arm(memory, question):
    """What the vector arm says of each hit."""
    return [hit.explanation.arms.get("vector") for hit in memory.recall(question)]


def test_an_update_without_the_embedder_is_never_found_by_the_old_vector(home):
    embedder = FlakyEmbedder()
    memory = home.open(embedder=embedder)
    note = memory.remember("The vase is glazed in saffrolite").memory
    embedder.is_down = True
    memory.update(note.id, content="The vase is glazed in quenchwood")
    embedder.is_down = False
    assert vector_arm(memory, "quenchwood") == [None]
    assert memory.recall("saffrolite").abstained
    assert memory.stats().without_vector == 1


def test_a_missing_vector_is_made_up_for_by_the_next_write(home):
    embedder = FlakyEmbedder()
    memory = home.open(embedder=embedder)
    memory.remember("A bridle from before")
    embedder.is_down = True
    given = memory.remember("The vase is glazed in quenchwood")
    assert given.outcome == "deferred"
    assert texts(memory.recall("quenchwood")) == ["The vase is glazed in quenchwood"]
    assert "out of reach" in memory.recall("quenchwood").notes[0]
    embedder.is_down = False
    memory.remember("An unrelated saddle")
    assert memory.stats().without_vector == 0
    assert vector_arm(memory, "quenchwood")[0] > 0


def test_a_missing_vector_is_made_up_for_after_reopening(lasting_home):
    embedder = FlakyEmbedder()
    with lasting_home.open(embedder=embedder) as memory:
        embedder.is_down = True
        memory.remember("The vase is glazed in quenchwood")
        embedder.is_down = False
    memory = lasting_home.open(embedder=embedder)
    memory.remember("An unrelated saddle")
    assert memory.stats().without_vector == 0


def test_verify_makes_up_for_missing_vectors(home):
    embedder = FlakyEmbedder()
    memory = home.open(embedder=embedder)
    embedder.is_down = True
    memory.remember_many([{"content": f"Plate {number}"} for number in range(70)])
    embedder.is_down = False
    memory.verify()
    assert memory.stats().without_vector == 0


def test_an_unchanged_text_keeps_its_vector_through_other_updates(home):
    embedder = FlakyEmbedder()
    memory = home.open(embedder=embedder)
    note = memory.remember("The vase is glazed in quenchwood").memory
    embedder.is_down = True
    memory.update(note.id, importance=0.9, metadata={"room": "hall"})
    embedder.is_down = False
    assert memory.stats().without_vector == 0
    assert vector_arm(memory, "quenchwood")[0] > 0


def test_captions_of_attachments_are_searched(ilka):
    note = ilka.remember(
        "See attached",
        attachments=[{"media_type": "image/jpeg", "digest": "f00d", "location": "file:a.jpg",
                      "caption": "甲板上的红色灯塔 red lighthouse on deck"}],
    ).memory  # fmt: skip
    ilka.remember("Nothing of the kind")
    for question in ("lighthouse", "灯塔"):
        assert ids(ilka.recall(question))[:1] == [note.id]


def test_a_default_url_is_taken_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("PERDURE_URL", str(tmp_path / "chosen.db"))
    monkeypatch.setenv("PERDURE_EMBEDDER", "hashing")
    with perdure.open() as memory:
        memory.remember("Kept where the environment says")
    assert (tmp_path / "chosen.db").exists()


@decided_by_the_engine
def test_a_picture_finds_the_memories_with_that_picture(ilka):
    for words in ("🎂🎉", "🐈", "I love sushi 🍣", "Ordinary words"):
        ilka.remember(words)
    assert texts(ilka.recall("🐈")) == ["🐈"]
    assert texts(ilka.recall("🍣")) == ["I love sushi 🍣"]
    assert texts(ilka.recall("🎂🎉")) == ["🎂🎉"]
    assert ilka.recall("???").abstained
