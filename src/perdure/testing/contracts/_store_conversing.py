"""Contract of the lexical arm inside conversations: turns lend their neighbours some of their
score, and a session speaks for its memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from perdure.domain.analysis import query_lexemes
from perdure.domain.records import Memory, Source, State
from perdure.testing.builders import (
    NOON,
    a_change,
    a_change_set,
    a_memory,
    an_id,
    forgotten,
    successor,
)
from perdure.testing.contracts._store_searching import expected_scores, scores
from perdure.testing.contracts._store_stand import Stand

MINUTE = timedelta(minutes=1)
YESTERDAY = NOON - timedelta(days=1)
USER, ANN = Source(role="user"), Source(speaker="Ann")
WORDS = "harbour boat paint"


def said(content: str, minute: float = 0, *, source: Source = USER, **fields: Any) -> Memory:
    """A turn of a conversation, so many minutes after yesterday's noon."""
    return a_memory(content, at=YESTERDAY + minute * MINUTE, source=source, **fields)


def told(content: str, **parts: str) -> Memory:
    """A memory that nobody said, told with these parts of a scope."""
    memory = a_memory(content, at=YESTERDAY)
    return replace(memory, scope=memory.scope.narrowed(**parts))


def a_conversation() -> list[Memory]:
    """Six turns; all but the fourth have a word of `WORDS`."""
    return [
        said("The harbour was empty."),
        said("We paint the boat there, at the harbour.", 1),
        said("Which boat?", 2, source=ANN),
        said("The small one.", 3),
        said("It needs paint.", 4, source=ANN),
        said("And the harbour needs rain.", 5),
    ]


class LendsToNeighbours:
    """Scores of turns that stand beside one another."""

    def test_turns_lend_to_two_on_either_side(self, stand: Stand) -> None:
        turns = a_conversation()
        stand.keep(*turns)
        found = scores(stand.search(words=WORDS))
        assert found == expected_scores(WORDS, turns)
        alone = [replace(turn, source=Source()) for turn in turns]
        without = expected_scores(WORDS, alone)
        assert found[turns[0].id] > without[turns[0].id].expected
        assert turns[3].id not in found  # no word of its own: nothing is lent to it

    def test_what_nobody_said_is_no_neighbour(self, stand: Stand) -> None:
        notes = [replace(turn, source=Source()) for turn in a_conversation()]
        stand.keep(*notes)
        assert scores(stand.search(words=WORDS)) == expected_scores(WORDS, notes)

    def test_neighbours_are_of_one_session_and_agent(self, stand: Stand) -> None:
        scopes = [{"session": "a"}, {"session": "b"}, {"agent": "x"}, {"agent": "y"}, {}, {}]
        turns = [
            replace(turn, scope=turn.scope.narrowed(**parts))
            for turn, parts in zip(a_conversation(), scopes, strict=True)
        ]
        stand.keep(*turns)
        assert scores(stand.search(words=WORDS)) == expected_scores(WORDS, turns)

    def test_an_hour_parts_two_conversations(self, stand: Stand) -> None:
        turns = [said(f"The boat, {place}.", minute) for place, minute in enumerate((0, 60, 120.5))]
        stand.keep(*turns)
        found = scores(stand.search(words="boat"))
        assert found == expected_scores("boat", turns)
        assert found[turns[0].id] > found[turns[2].id]

    def test_turns_of_one_moment_are_ordered_by_id(self, stand: Stand) -> None:
        ids = [an_id() for _ in range(5)]
        turns = [said(f"The boat, number {place}.", id=ids[place]) for place in (3, 0, 4, 2, 1)]
        stand.keep(*turns)
        found = scores(stand.search(words="boat"))
        assert found == expected_scores("boat", turns)
        assert found[ids[0]] < found[ids[1]] < found[ids[2]]

    def test_only_visible_turns_have_places(self, stand: Stand) -> None:
        """What the question may not see neither lends nor stands between."""
        turns = a_conversation()
        stand.keep(*turns)
        stand.write(a_change_set(a_change(forgotten(turns[1]), before=turns[1])))
        former = successor(
            turns[2],
            state=State.SUPERSEDED,
            retired_at=YESTERDAY + 6 * MINUTE,
            superseded_by=turns[4].id,
        )
        stand.write(a_change_set(a_change(former, before=turns[2])))
        visible = [turns[0], *turns[3:]]
        found = stand.search(words=WORDS)
        assert scores(found) == expected_scores(WORDS, visible)

    def test_later_turns_take_their_places(self, stand: Stand) -> None:
        """Also those that were said before what is stored already."""
        turns = a_conversation()
        for place in (4, 0, 5, 2, 1, 3):
            stand.keep(turns[place])
            stand.search(words=WORDS)
        assert scores(stand.search(words=WORDS)) == expected_scores(WORDS, turns)

    def test_the_speaker_and_the_day_are_words_of_a_turn(self, stand: Stand) -> None:
        english, chinese = said("It was dull.", source=ANN), said("很无聊。", source=ANN)
        trip = a_memory("A trip.", id=an_id(), occurred_at=NOON - timedelta(days=40))
        stand.keep(english, chinese, trip)
        for words, expected in (
            ("ann", {english.id, chinese.id}),
            (f"{YESTERDAY:%B}", {english.id}),
            (f"{YESTERDAY.month}月", {chinese.id}),
            (f"{trip.occurred_at:%B}", {trip.id}),
        ):
            found = {key for key, score in scores(stand.search(words=words)).items() if score > 0.3}
            assert found == expected, (words, query_lexemes(words))


class SpeaksForItsSession:
    """Scores of memories told in one session."""

    def test_what_the_rest_of_its_session_says_counts_for_a_memory(self, stand: Stand) -> None:
        best = told("The harbour has a boat to paint.", session="a")
        beside = told("The paint is blue.", session="a")
        apart = told("The paint is red.", session="b")
        alone = told("The paint is wet.")
        stand.keep(best, beside, apart, alone)
        found = scores(stand.search(words=WORDS))
        assert found == expected_scores(WORDS, [best, beside, apart, alone])
        assert found[best.id] > found[beside.id] > found[apart.id]
        assert found[apart.id] == pytest.approx(found[alone.id])

    def test_a_single_session_tells_nothing_apart(self, stand: Stand) -> None:
        best = told("The harbour has a boat to paint.", session="a")
        beside, alone = told("The paint is blue.", session="a"), told("The paint is wet.")
        stand.keep(best, beside, alone)
        found = scores(stand.search(words=WORDS))
        assert found[beside.id] == pytest.approx(found[alone.id])

    def test_a_session_is_one_agents(self, stand: Stand) -> None:
        memories = [
            told("The harbour has a boat to paint.", session="a", agent="x"),
            told("The paint is blue.", session="a", agent="y"),
            told("The paint is green.", session="b", agent="x"),
            told("The boat is new.", agent="x"),
            told("The boat is old.", agent="y"),
        ]
        stand.keep(*memories)
        found = scores(stand.search(words=WORDS))
        assert found == expected_scores(WORDS, memories)
        assert found[memories[1].id] == pytest.approx(found[memories[2].id])

    def test_a_hidden_memory_does_not_speak_for_its_session(self, stand: Stand) -> None:
        hidden = told("The harbour has a boat to paint.", session="a")
        shown = [told("The paint is blue.", session="a"), told("The boat is new.", session="b")]
        stand.keep(hidden, *shown)
        stand.write(a_change_set(a_change(forgotten(hidden), before=hidden)))
        found = scores(stand.search(words=WORDS))
        assert found == expected_scores(WORDS, shown)
        assert len(set(found.values())) == 1
