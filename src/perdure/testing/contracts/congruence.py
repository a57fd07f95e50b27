"""Random questions about random memories: a store must answer as the reference does.

    class TestMyStore(StoreCongruence):
        @pytest.fixture
        def opening(self, tmp_path): ...  # as for `StoreContract`

The examples are the same in every run. To look further, set `PERDURE_CONGRUENCE_EXAMPLES` (how
many) and `PERDURE_CONGRUENCE_SEED` (which); a failure prints both.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from perdure.domain.analysis import query_lexemes
from perdure.domain.changes import ChangeSet
from perdure.domain.query import Condition, Found, Position, Query, Search, sort_value
from perdure.domain.ranking import Candidate
from perdure.domain.records import Memory
from perdure.domain.replay import replay
from perdure.domain.resting import HOT, Crowd, Due, Lifeline, is_due, lifeline_of
from perdure.domain.visibility import View
from perdure.stores._reference import ReferenceReads, indexed
from perdure.testing.builders import MODEL, NOON, unit
from perdure.testing.contracts import _worlds as worlds
from perdure.testing.contracts._store_stand import (
    EVERYONE,
    Opening,
    Stand,
    assert_chained,
    exact,
    standing,
)

EXAMPLES = int(os.environ.get("PERDURE_CONGRUENCE_EXAMPLES", "100"))
SEED = int(os.environ.get("PERDURE_CONGRUENCE_SEED", "20310725"))
SEEDS = st.integers(0, 2**64 - 1)
COSINE_TOLERANCE = 1e-5
LEXICAL_TOLERANCE = 1e-9


class StoreCongruence:
    """Subclass this and give it the fixture `opening`."""

    @pytest.fixture
    def opening(self) -> Opening:
        """An asynchronous function without arguments that opens the store of this test."""
        raise NotImplementedError("give your subclass a fixture `opening`")

    @pytest.fixture
    def stand(self, opening: Opening) -> Iterator[Stand]:
        """The opened store."""
        with standing(opening) as stand:
            yield stand

    def test_a_store_answers_as_the_reference_does(self, stand: Stand) -> None:
        print(f"PERDURE_CONGRUENCE_SEED={SEED} PERDURE_CONGRUENCE_EXAMPLES={EXAMPLES}")  # noqa: T201
        assert stand.run(stand.store.adopt_model(MODEL, replacing=None))
        numbers = count()

        @seed(SEED)
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            phases=(Phase.explicit, Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        @given(
            scopes=SEEDS,
            memories=st.lists(SEEDS, min_size=1, max_size=24),
            changes=st.lists(SEEDS, max_size=10),
            questions=st.lists(SEEDS, min_size=1, max_size=30),
        )
        def holds(
            scopes: int, memories: list[int], changes: list[int], questions: list[int]
        ) -> None:
            # Each example has tenants of its own, so one store serves them all.
            name = f"#{next(numbers)}"
            world = worlds.World(scopes=worlds.some_scopes(worlds.Dice(scopes), name))
            self._write(stand, world, worlds.creations(world, memories, name))
            self._write(stand, world, worlds.alterations(world, changes))
            for question in questions:
                self._ask(stand, world, worlds.a_question(worlds.Dice(question), world))
            assert_recorded(stand, world)

        holds()

    def _ask_upkeep(self, stand: Stand, world: worlds.World, view: View, due: Due) -> None:
        """Everything upkeep reads, against the rules that decide it."""
        stored = [memory for memory, _ in world.known(None)]
        mine = [memory for memory in stored if view.admits_scope(memory.scope)]
        lines = sorted(
            (bare(lifeline_of(memory)) for memory in mine if is_due(memory, due)),
            key=lambda line: (line.touched_at, line.id),
        )
        assert [bare(line) for line in stand.run(stand.store.due(view, due))] == lines[: due.limit]
        agents = Counter(
            replace(memory.scope, session="") for memory in stored if memory.state in HOT
        )
        for scope, number in agents.items():
            residents = stand.run(stand.store.residents(scope))
            assert len(residents) == number
            here = View(scope=scope, now=NOON)
            if scope.agent:
                [crowd] = stand.run(stand.store.crowded(here, above=number - 1))
                assert crowd == Crowd(scope=scope, memories=number)
            assert stand.run(stand.store.crowded(here, above=EVERYONE)) == []

    def _write(self, stand: Stand, world: worlds.World, changes: ChangeSet) -> None:
        stand.write(changes)
        world.note(changes)

    def _ask(self, stand: Stand, world: worlds.World, question: worlds.Question) -> None:
        condition = question.condition
        reads = ReferenceReads(
            indexed(memory, vectors) for memory, vectors in world.known(condition.view.known_as_of)
        )
        assert stand.run(stand.store.count(condition)) == reads.count(condition)
        query = _listing(question, reads)
        listed, expected = stand.run(stand.store.query(query)), reads.query(query)
        assert [memory.id for memory in listed] == [memory.id for memory in expected]
        assert list(map(exact, listed)) == list(map(exact, expected))
        search = Search(
            condition=condition,
            vector=None if question.near is None else unit(question.near),
            model=None if question.near is None else MODEL,
            terms=query_lexemes(question.words),
            limit=question.limit,
        )
        assert_found(stand.run(stand.store.search(search)), reads, search)
        self._ask_upkeep(stand, world, condition.view, question.due)
        for part in question.filters:
            whole = replace(worlds.WHOLE, scope=condition.view.scope)
            self._list(stand, world, Condition(view=whole, filter=part))

    def _list(self, stand: Stand, world: worlds.World, condition: Condition) -> None:
        query = Query(condition=condition, limit=EVERYONE)
        reads = ReferenceReads(indexed(memory) for memory, _ in world.known(None))
        listed = stand.run(stand.store.query(query))
        assert [memory.id for memory in listed] == [memory.id for memory in reads.query(query)]


def bare(line: Lifeline) -> Lifeline:
    """The lifeline without the size, which a store may estimate."""
    return replace(line, bytes=0)


def _listing(question: worlds.Question, reads: ReferenceReads) -> Query:
    query = Query(
        condition=question.condition,
        order=question.order,
        descending=question.descending,
        limit=EVERYONE,
    )
    after = question.position
    whole = reads.query(query)
    if question.page_after is not None and question.page_after < len(whole):
        last = whole[question.page_after]
        after = Position(sort_value(last, question.order), last.id)
    return Query(
        condition=question.condition,
        order=question.order,
        descending=question.descending,
        limit=question.limit,
        after=after,
    )


def assert_found(found: Found, reads: ReferenceReads, search: Search) -> None:
    """The answer is the reference's, but for candidates that are as good within the tolerance."""
    everyone = reads.search(_without_limit(search))
    every = {candidate.id: candidate for candidate in everyone.candidates}
    got = {candidate.id: candidate for candidate in found.candidates}
    assert (found.considered, found.without_vector) == (
        everyone.considered,
        everyone.without_vector,
    )
    assert len(got) == len(found.candidates)
    assert found.rarities == pytest.approx(everyone.rarities, abs=LEXICAL_TOLERANCE, rel=0)
    assert found.beside == {
        pair for pair in everyone.beside if pair.earlier in got and pair.later in got
    }
    assert got.keys() <= every.keys()
    for memory_id, candidate in got.items():
        _assert_same(candidate, every[memory_id])
    cosines = {key: item.cosine for key, item in every.items() if item.cosine is not None}
    scores = {key: item.lexical for key, item in every.items() if item.lexical > 0}
    near = _arm(cosines, search.limit, COSINE_TOLERANCE)
    said = _arm(scores, search.limit, LEXICAL_TOLERANCE)
    for arm in (near, said):
        assert arm.certain <= got.keys()
        assert len(got.keys() & arm.possible) >= arm.size
    assert got.keys() <= near.possible | said.possible
    _assert_ties_by_id(got.keys() - near.possible, scores, said.certain, search.limit)


def _without_limit(search: Search) -> Search:
    return Search(
        condition=search.condition,
        vector=search.vector,
        model=search.model,
        terms=search.terms,
        limit=EVERYONE,
    )


def _assert_same(got: Candidate, expected: Candidate) -> None:
    assert got._replace(cosine=None, lexical=0.0) == expected._replace(cosine=None, lexical=0.0)
    assert got.lexical == pytest.approx(expected.lexical, abs=LEXICAL_TOLERANCE, rel=0)
    assert (got.lexical > 0) == (expected.lexical > 0)
    if expected.cosine is None:
        assert got.cosine is None
    else:
        assert got.cosine == pytest.approx(expected.cosine, abs=COSINE_TOLERANCE, rel=0)


class _Arm:
    """What one arm must and may give: `certain` ids, `possible` ids, and at least `size` of them."""

    def __init__(self, certain: set[str], possible: set[str], size: int) -> None:
        self.certain, self.possible, self.size = certain, possible, size


def _arm(values: Mapping[str, float], limit: int, tolerance: float) -> _Arm:
    size = min(limit, len(values))
    if size == 0:
        return _Arm(set(), set(), 0)
    last = sorted(values.values(), reverse=True)[size - 1]
    certain = {key for key, value in values.items() if value > last + tolerance}
    if size == len(values):
        certain = set(values)
    possible = {key for key, value in values.items() if value >= last - tolerance}
    return _Arm(certain, possible, size)


def _assert_ties_by_id(
    got: set[str], scores: Mapping[str, float], certain: set[str], limit: int
) -> None:
    """Of memories with the very same score, those with the smaller ids were taken.

    `got` are the candidates that only the lexical arm can have given.
    """
    tied = sorted(got - certain)
    for memory_id in tied:
        same = sorted(key for key, score in scores.items() if score == scores[memory_id])
        better = sum(score > scores[memory_id] + LEXICAL_TOLERANCE for score in scores.values())
        others = sum(
            abs(score - scores[memory_id]) <= LEXICAL_TOLERANCE for score in scores.values()
        )
        if others == len(same):
            assert memory_id in same[: limit - better]


def assert_recorded(stand: Stand, world: worlds.World) -> None:
    """Records and journal tell what was written, exactly."""
    expected: dict[tuple[str, str], dict[str, Memory]] = {}
    for memory_id in world.states:
        memory = world.now(memory_id)
        expected.setdefault(memory.scope.walls, {})[memory_id] = memory
    for (tenant, user), memories in expected.items():
        scope = next(iter(memories.values())).scope.narrowed(
            tenant=tenant, user=user, agent="", session=""
        )
        entries = stand.entries(View(scope=scope, now=NOON))
        assert_chained(entries)
        told = {key: exact(memory) for key, memory in replay(entries).items()}
        assert told == {key: exact(memory) for key, memory in memories.items()}
        stored = stand.run(stand.store.get(scope, list(memories)))
        assert {key: exact(memory) for key, memory in stored.items()} == told
