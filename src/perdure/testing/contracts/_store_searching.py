"""What `search` promises: both arms exact, and blind to what the question may not see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from perdure.domain.analysis import lexemes, query_lexemes
from perdure.domain.changes import Vectors
from perdure.domain.filters import parse_filter
from perdure.domain.lexical import (
    CorpusStatistics,
    lexical_score,
    session_of,
    turns_of,
    with_neighbours,
    with_sessions,
)
from perdure.domain.query import Found
from perdure.domain.ranking import Candidate
from perdure.domain.records import Attachment, Memory, State
from perdure.domain.scope import Scope
from perdure.domain.times import to_micros
from perdure.testing.builders import (
    MODEL,
    NOON,
    a_change,
    a_change_set,
    a_memory,
    successor,
    vectors_of,
)
from perdure.testing.contracts._store_stand import EVERYONE, Stand, looking

HOUR = timedelta(hours=1)
EAST, NORTH, UP = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)
NORTH_EAST = (1.0, 1.0, 0.0, 0.0)
OTHER_MODEL = "another@1/4"


def ids(found: Found) -> set[str]:
    """Ids of the candidates; each stands there once."""
    listed = [candidate.id for candidate in found.candidates]
    assert len(listed) == len(set(listed))
    return set(listed)


def cosines(found: Found) -> dict[str, float | None]:
    """Cosine by id."""
    return {candidate.id: candidate.cosine for candidate in found.candidates}


def scores(found: Found) -> dict[str, float]:
    """Lexical score by id."""
    return {candidate.id: candidate.lexical for candidate in found.candidates}


def expected_scores(words: str, memories: Iterable[Memory]) -> dict[str, Any]:
    """The lexical score of each memory that has one, when exactly these are visible."""
    memories = list(memories)
    terms = query_lexemes(words)
    codes = {memory.id: lexemes(memory.indexed_text) for memory in memories}
    corpus = CorpusStatistics(
        documents=len(codes),
        length=sum(map(len, codes.values())) / len(codes),
        containing={term: sum(term in found for found in codes.values()) for term in terms},
    )
    computed = {
        memory_id: lexical_score(terms, Counter(found), len(found), corpus)
        for memory_id, found in codes.items()
    }
    found = {memory_id: score for memory_id, score in computed.items() if score > 0}
    raised = with_sessions(
        with_neighbours(found, turns_of(memories)),
        query_lexemes(words),
        {memory_id: Counter(held) for memory_id, held in codes.items()},
        {memory.id: session_of(memory) for memory in memories},
        corpus,
    )
    return {key: pytest.approx(score, abs=1e-9) for key, score in raised.items()}


def keep_with(stand: Stand, *pairs: tuple[Memory, Vectors | None]) -> None:
    """Store memories, each with its own vectors."""
    stand.write(a_change_set(*(a_change(memory, vectors=rows) for memory, rows in pairs)))


class FindsByVector:
    """The vector arm."""

    def test_the_nearest_are_found_with_their_cosines(self, stand: Stand) -> None:
        east, north, between = a_memory("east"), a_memory("north"), a_memory("north-east")
        keep_with(
            stand,
            (north, vectors_of(NORTH)),
            (between, vectors_of(NORTH_EAST)),
            (east, vectors_of(EAST)),
        )
        found = stand.search(near=(1.0, 0.1, 0.0, 0.0), model=MODEL, limit=2)
        assert cosines(found) == {
            east.id: pytest.approx(0.995037, abs=1e-5),
            between.id: pytest.approx(0.773957, abs=1e-5),
        }
        assert found.considered == 3

    def test_memories_that_point_away_are_neighbours_too(self, stand: Stand) -> None:
        memory = a_memory()
        keep_with(stand, (memory, vectors_of((-1, 0, 0, 0))))
        found = stand.search(near=EAST, model=MODEL)
        assert cosines(found) == {memory.id: pytest.approx(-1.0, abs=1e-5)}

    def test_equally_near_memories_are_taken_by_id(self, stand: Stand) -> None:
        memories = [a_memory(f"kettle {n}") for n in range(9)]
        for memory in (*memories[4:], *memories[:4]):
            keep_with(stand, (memory, vectors_of(EAST)))
        for limit in (1, 4, 8):
            found = stand.search(near=EAST, model=MODEL, limit=limit)
            assert ids(found) == {memory.id for memory in memories[:limit]}

    def test_a_memory_is_as_near_as_its_nearest_vector(self, stand: Stand) -> None:
        several, single = a_memory("several"), a_memory("single")
        keep_with(
            stand,
            (several, vectors_of(NORTH, UP, EAST, NORTH)),
            (single, vectors_of(NORTH_EAST)),
        )
        found = stand.search(near=EAST, model=MODEL, limit=1)
        assert cosines(found) == {several.id: pytest.approx(1.0, abs=1e-5)}
        both = stand.search(near=EAST, model=MODEL, limit=2)
        assert ids(both) == {several.id, single.id}
        assert both.considered == 2

    def test_memories_without_vectors_are_counted(self, stand: Stand) -> None:
        with_vector, without = a_memory("with"), a_memory("without")
        keep_with(stand, (with_vector, vectors_of(EAST)), (without, None))
        found = stand.search(near=EAST, model=MODEL)
        assert ids(found) == {with_vector.id}
        assert (found.considered, found.without_vector) == (2, 1)

    def test_vectors_of_another_model_are_ignored(self, stand: Stand) -> None:
        ours, theirs = a_memory("ours"), a_memory("theirs")
        keep_with(stand, (ours, vectors_of(NORTH)), (theirs, vectors_of(EAST, model=OTHER_MODEL)))
        found = stand.search(near=EAST, model=MODEL, words="theirs")
        assert cosines(found)[ours.id] == pytest.approx(0.0, abs=1e-5)
        assert cosines(found)[theirs.id] is None
        assert found.without_vector == 1
        foreign = stand.search(near=EAST, model="nobody@1/4", words="ours")
        assert cosines(foreign) == {ours.id: None}
        assert foreign.without_vector == 2

    def test_without_a_vector_there_is_no_vector_arm(self, stand: Stand) -> None:
        memory, other = a_memory("kettle"), a_memory("teapot")
        keep_with(stand, (memory, vectors_of(EAST)), (other, None))
        found = stand.search(words="kettle")
        assert cosines(found) == {memory.id: None}
        assert (found.considered, found.without_vector) == (2, 0)

    def test_the_nearest_are_sought_among_what_is_visible(self, stand: Stand) -> None:
        visible = a_memory("visible", metadata={"a": 1})
        hidden: list[Memory] = [
            a_memory("Ben's", scope=Scope(user="ben"), metadata={"a": 1}),
            a_memory("other tenant", scope=Scope(tenant="t", user="ilka"), metadata={"a": 1}),
            a_memory("filtered", metadata={"a": 2}),
            a_memory("archived", metadata={"a": 1}, state=State.ARCHIVED),
            a_memory("expired", metadata={"a": 1}, expires_at=NOON),
            a_memory("former", metadata={"a": 1}, valid_to=NOON),
        ]
        near = [(memory, vectors_of(EAST)) for memory in hidden]
        keep_with(stand, *near, (visible, vectors_of(NORTH)))
        condition = replace(looking(), filter=parse_filter({"a": 1}))
        found = stand.search(condition, near=EAST, model=MODEL, limit=1)
        assert ids(found) == {visible.id}
        assert found.considered == 1

    def test_everything_searches_all_users(self, stand: Stand) -> None:
        mine, bens = a_memory("mine"), a_memory("Ben's", scope=Scope(user="ben"))
        outside = a_memory("outside", scope=Scope(tenant="t"))
        keep_with(
            stand,
            (mine, vectors_of(NORTH)),
            (bens, vectors_of(EAST)),
            (outside, vectors_of(EAST)),
        )
        found = stand.search(looking(everything=True), near=EAST, model=MODEL, limit=1)
        assert ids(found) == {bens.id}
        assert found.considered == 2

    def test_many_dimensions_and_memories_stay_exact(self, stand: Stand) -> None:
        rows = [
            [float((7 * n * n + 13 * d) % 11 - 5) or 0.5 for d in range(512)] for n in range(80)
        ]
        memories = [a_memory(f"kettle {n}") for n in range(80)]
        vectors = [vectors_of(row, model="big@1/512") for row in rows]
        keep_with(stand, *zip(memories, vectors, strict=True))
        query = vectors[17].rows[0]
        found = stand.search(near=tuple(rows[17]), model="big@1/512", limit=80)
        assert cosines(found) == {
            memory.id: pytest.approx(float(item.rows[0] @ query), abs=1e-5)
            for memory, item in zip(memories, vectors, strict=True)
        }


class FindsByWords:
    """The lexical arm."""

    def test_scores_are_those_of_the_domain(self, stand: Stand) -> None:
        memories = [
            a_memory("The kettle is blue."),
            a_memory("A kettle, a kettle, my kingdom for a kettle."),
            a_memory("Blue skies over the lake, and nothing else worth saying about them."),
            a_memory("Nothing of the kind."),
            a_memory("蓝色的水壶在湖边。"),
        ]
        stand.keep(*memories)
        for words in ("blue kettle", "kettles", "水壶", "湖", "lake kettle unheard-of", "BLUE"):
            found = stand.search(words=words)
            assert scores(found) == expected_scores(words, memories)
            assert found.considered == 5

    @pytest.mark.parametrize(
        ("words", "content"),
        [
            ("茶", "我喜欢喝绿茶"),
            ("绿茶", "我喜欢喝绿茶"),
            ("綠茶", "我喜欢喝绿茶"),
            ("绿茶", "我喜歡喝綠茶"),
            ("喝茶", "我喜欢喝绿茶"),
            ("ERR-7Q41-LX", "it failed with err-7q41-lx today"),
            ("7q41", "it failed with ERR-7Q41-LX today"),
            ("naive cafe", "a naïve café"),
            ("running", "she runs"),
            ("ｗｉｄｅ", "wide"),
            ("ichi 一", "第一"),
            ("👍", "fine 👍"),
        ],
    )
    def test_words_find_what_they_mean(self, stand: Stand, words: str, content: str) -> None:
        memory = a_memory(content)
        stand.keep(memory, a_memory("quite unrelated"))
        assert ids(stand.search(words=words)) == {memory.id}

    def test_syntax_of_a_search_engine_means_nothing(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"))
        for words in ('"', "kettle*", "NOT kettle", "kettle AND", "(kettle", "content:kettle", "^"):
            found = stand.search(words=words)
            assert ids(found) <= {memory.id}
            assert found.considered == 1
        assert ids(stand.search(words="NEAR(kettle)")) == {memory.id}

    def test_memories_without_a_term_are_not_found(self, stand: Stand) -> None:
        stand.keep(a_memory("kettle"), a_memory("teapot"))
        assert stand.search(words="samovar").candidates == ()
        assert stand.search(words="samovar").considered == 2

    def test_without_question_nothing_is_found(self, stand: Stand) -> None:
        stand.keep(a_memory("kettle"))
        found = stand.search()
        assert (found.candidates, found.considered, found.without_vector) == ((), 1, 0)

    def test_an_empty_store_is_searched(self, stand: Stand) -> None:
        assert stand.search(words="kettle", near=EAST, model=MODEL) == Found(
            candidates=(), considered=0, without_vector=0
        )

    def test_the_highest_are_taken_and_ties_by_id(self, stand: Stand) -> None:
        equal = [a_memory("blue kettle") for _ in range(7)]
        best = a_memory("kettle kettle")
        for memory in (*equal[3:], best, *equal[:3]):
            stand.keep(memory)
        for limit in (1, 2, 5):
            found = stand.search(words="kettle", limit=limit)
            assert ids(found) == {best.id, *(memory.id for memory in equal[: limit - 1])}

    def test_what_a_question_may_not_see_does_not_move_its_scores(self, stand: Stand) -> None:
        memories = [a_memory("blue kettle"), a_memory("a kettle at the lake"), a_memory("lake")]
        stand.keep(*memories)
        before = scores(stand.search(words="kettle lake"))
        stand.keep(
            a_memory("kettle kettle kettle", scope=Scope(user="ben")),
            a_memory("kettle", scope=Scope(tenant="t", user="ilka")),
            a_memory("a kettle " * 50, state=State.ARCHIVED),
            a_memory("a kettle " * 50, state=State.FORGOTTEN),
            a_memory("a kettle " * 50, expires_at=NOON),
            a_memory("a kettle " * 50, valid_to=NOON),
            a_memory("a kettle " * 50, at=NOON + HOUR),
        )
        after = stand.search(words="kettle lake")
        assert scores(after) == {
            key: pytest.approx(score, abs=1e-9) for key, score in before.items()
        }
        assert after.considered == 3

    def test_statistics_are_those_of_the_whole_condition(self, stand: Stand) -> None:
        inside = [
            a_memory("blue kettle", metadata={"a": 1}),
            a_memory("the lake and its kettle", metadata={"a": 1}),
        ]
        outside = [a_memory("kettle " * 9), a_memory("lake", metadata={"a": 2})]
        stand.keep(*inside, *outside)
        condition = replace(looking(), filter=parse_filter({"a": 1}))
        found = stand.search(condition, words="kettle lake")
        assert scores(found) == expected_scores("kettle lake", inside)
        everyone = stand.search(words="kettle lake")
        assert scores(everyone) == expected_scores("kettle lake", [*inside, *outside])

    def test_narrowing_to_a_session_narrows_the_statistics(self, stand: Stand) -> None:
        session = Scope(user="ilka", session="s")
        inside = [a_memory("blue kettle", scope=session), a_memory("lake", scope=session)]
        stand.keep(*inside, a_memory("kettle"), a_memory("kettle", scope=Scope(user="ben")))
        found = stand.search(looking(scope=session), words="kettle lake")
        assert scores(found) == expected_scores("kettle lake", inside)

    def test_captions_are_searched(self, stand: Stand) -> None:
        photo = Attachment(media_type="image/png", digest="ab", location="x", caption="a samovar")
        memory = stand.keep(a_memory("See the photo.", attachments=(photo,)))
        assert ids(stand.search(words="samovar")) == {memory.id}
        stand.change(memory, attachments=())
        assert ids(stand.search(words="samovar")) == set()

    def test_a_long_text_is_searched_to_its_end(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("word " * 100_000 + "samovar"))
        assert ids(stand.search(words="samovar")) == {memory.id}


class FindsByBoth:
    """The union of the arms, with both values for each candidate."""

    def test_each_candidate_has_both_values(self, stand: Stand) -> None:
        near, said, both, neither = (a_memory(text) for text in ("x", "kettle", "a kettle", "y"))
        keep_with(
            stand,
            (near, vectors_of(EAST)),
            (said, vectors_of(NORTH)),
            (both, vectors_of(NORTH_EAST)),
            (neither, vectors_of(UP)),
        )
        found = stand.search(words="kettle", near=EAST, model=MODEL, limit=2)
        assert ids(found) == {near.id, said.id, both.id}
        expected = expected_scores("kettle", [near, said, both, neither])
        assert scores(found) == {near.id: 0.0, **expected}
        assert cosines(found) == {
            near.id: pytest.approx(1.0, abs=1e-5),
            said.id: pytest.approx(0.0, abs=1e-5),
            both.id: pytest.approx(0.5**0.5, abs=1e-5),
        }

    def test_a_candidate_carries_what_ranking_needs(self, stand: Stand) -> None:
        memory = stand.keep(
            a_memory("kettle", importance=1 / 3, accessed_count=4, at=NOON - HOUR),
            vectors=vectors_of(EAST),
        )
        (candidate,) = stand.search(words="kettle", near=EAST, model=MODEL).candidates
        assert candidate.cosine == pytest.approx(1.0, abs=1e-5)
        assert {memory.id: candidate.lexical} == expected_scores("kettle", [memory])
        assert candidate == Candidate(
            id=memory.id,
            cosine=candidate.cosine,
            lexical=candidate.lexical,
            importance=1 / 3,
            occurred_us=to_micros(NOON - HOUR),
            accessed_count=4,
        )
        assert isinstance(candidate, Candidate)

    @pytest.mark.parametrize(
        ("content", "is_han"),
        [
            ("a kettle", False), ("水壶 kettle", True), ("水壺", True), ("kettle\u3400", True),
            ("kettle\U00020000", True), ("カタカナ kettle", False), ("주전자", False), ("é", False),
        ],
    )  # fmt: skip
    def test_a_candidate_tells_its_script(self, stand: Stand, content: str, is_han: bool) -> None:
        keep_with(stand, (a_memory(content), vectors_of(EAST)))
        (candidate,) = stand.search(near=EAST, model=MODEL).candidates
        assert candidate.is_han is is_han


class SearchesWhatIsStoredNow:
    """Both arms follow changes, and never serve a vector or word of an older text."""

    def seen(self, stand: Stand, memory: Memory, words: str, **view: Any) -> tuple[bool, Any]:
        """Whether the words find the memory, and its cosine to `EAST`."""
        found = stand.search(looking(**view), words=words, near=EAST, model=MODEL, limit=EVERYONE)
        return scores(found).get(memory.id, 0.0) > 0, cosines(found).get(memory.id)

    def test_another_text_loses_the_words_and_vectors_of_the_old(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("old kettle"), vectors=vectors_of(EAST))
        assert self.seen(stand, memory, "old") == (True, pytest.approx(1.0, abs=1e-5))
        stand.change(memory, content="new kettle")
        assert self.seen(stand, memory, "old") == (False, None)
        assert self.seen(stand, memory, "new") == (True, None)
        assert stand.search(near=EAST, model=MODEL).without_vector == 1

    def test_another_caption_is_another_text(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(EAST))
        photo = Attachment(media_type="image/png", digest="ab", location="x", caption="a samovar")
        stand.change(memory, attachments=(photo,))
        assert self.seen(stand, memory, "samovar") == (True, None)

    def test_the_same_text_keeps_its_vectors(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(EAST))
        stand.change(memory, importance=0.9, metadata={"a": 1})
        assert self.seen(stand, memory, "kettle") == (True, pytest.approx(1.0, abs=1e-5))

    def test_new_vectors_replace_all_old_ones(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(EAST, NORTH, UP))
        change = a_change(successor(memory), before=memory, vectors=vectors_of(NORTH))
        stand.write(a_change_set(change))
        assert self.seen(stand, memory, "kettle") == (True, pytest.approx(0.0, abs=1e-5))

    def test_a_new_text_may_bring_its_vectors(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("old"), vectors=vectors_of(NORTH))
        after = successor(memory, content="new")
        stand.write(a_change_set(a_change(after, before=memory, vectors=vectors_of(EAST))))
        assert self.seen(stand, memory, "new") == (True, pytest.approx(1.0, abs=1e-5))

    def test_changes_of_one_set_leave_the_last_text(self, stand: Stand) -> None:
        first = a_memory("first kettle")
        second, third = successor(first, content="second kettle"), None
        third = successor(second, content="first kettle")
        stand.write(
            a_change_set(
                a_change(first, vectors=vectors_of(EAST)),
                a_change(second, before=first),
                a_change(third, before=second),
            )
        )
        assert self.seen(stand, first, "second") == (False, None)
        assert self.seen(stand, first, "first") == (True, None)

    def test_what_is_restored_is_found_again(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(EAST))
        gone = stand.change(memory, state=State.FORGOTTEN)
        assert self.seen(stand, memory, "kettle") == (False, None)
        stand.change(gone, state=State.ACTIVE)
        assert self.seen(stand, memory, "kettle") == (True, pytest.approx(1.0, abs=1e-5))

    def test_the_past_is_searched_by_its_own_words(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("old kettle"), vectors=vectors_of(EAST))
        after = stand.change(memory, at=NOON + HOUR, content="new kettle")
        stand.run(stand.store.put_vectors({memory.id: (after.version, vectors_of(NORTH))}))
        past = {"now": NOON + HOUR, "known_as_of": NOON}
        assert self.seen(stand, memory, "old", **past) == (True, None)
        assert self.seen(stand, memory, "new", **past) == (False, None)
        present = {"now": NOON + HOUR, "known_as_of": NOON + HOUR}
        assert self.seen(stand, memory, "new", **present) == (True, pytest.approx(0.0, abs=1e-5))

    def test_the_past_has_the_vectors_of_what_did_not_change(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle", importance=0.25), vectors=vectors_of(EAST))
        stand.change(memory, at=NOON + HOUR, importance=0.75)
        condition = looking(now=NOON + HOUR, known_as_of=NOON)
        (candidate,) = stand.search(condition, near=EAST, model=MODEL).candidates
        assert candidate.cosine == pytest.approx(1.0, abs=1e-5)
        assert candidate.importance == 0.25

    def test_the_past_has_its_own_statistics(self, stand: Stand) -> None:
        memories = [a_memory("blue kettle"), a_memory("a lake")]
        stand.keep(*memories)
        stand.keep(a_memory("kettle kettle lake"), at=NOON + HOUR)
        found = stand.search(looking(now=NOON + HOUR, known_as_of=NOON), words="kettle lake")
        assert scores(found) == expected_scores("kettle lake", memories)


class SearchingContract(FindsByVector, FindsByWords, FindsByBoth, SearchesWhatIsStoredNow):
    """Everything about `search`."""
