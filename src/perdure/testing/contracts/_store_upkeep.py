"""What the store promises beside memories: models, leases, counts, checks, and its own life."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pytest

from perdure.domain.changes import Mark, Refused
from perdure.domain.records import State
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.errors import InvalidInput, Misconfigured, Unavailable
from perdure.ports.blocking import is_blocking, run_now
from perdure.ports.store import Sizes, Store
from perdure.testing.builders import (
    ILKA,
    MODEL,
    NOON,
    a_change,
    a_change_set,
    a_memory,
    successor,
    vectors_of,
)
from perdure.testing.contracts._store_searching import EAST, NORTH, OTHER_MODEL, cosines
from perdure.testing.contracts._store_stand import Stand, looking
from perdure.testing.contracts._store_writing import a_key, an_access

HOUR = timedelta(hours=1)
BEN = Scope(user="ben")


class UsesOneModel:
    """Whose vectors are used, and how missing ones come in later."""

    def test_the_first_vectors_choose_the_model(self, stand: Stand) -> None:
        assert stand.run(stand.store.embedding_model()) is None
        stand.keep(a_memory())
        assert stand.run(stand.store.embedding_model()) is None
        stand.keep(a_memory("another kettle"), vectors=vectors_of(EAST))
        assert stand.run(stand.store.embedding_model()) == MODEL
        stand.keep(a_memory("a third"), vectors=vectors_of(EAST, model=OTHER_MODEL))
        assert stand.run(stand.store.embedding_model()) == MODEL

    def test_a_refused_set_chooses_no_model(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.refuse(a_change_set(a_change(memory, vectors=vectors_of(EAST))))
        assert stand.run(stand.store.embedding_model()) is None

    def test_a_model_is_adopted_in_place_of_the_present_one(self, stand: Stand) -> None:
        adopt = stand.store.adopt_model
        assert not stand.run(adopt(MODEL, replacing="something"))
        assert stand.run(stand.store.embedding_model()) is None
        assert stand.run(adopt(MODEL, replacing=None))
        assert stand.run(adopt(MODEL, replacing=None))
        assert stand.run(stand.store.embedding_model()) == MODEL
        assert not stand.run(adopt(OTHER_MODEL, replacing=None))
        assert stand.run(stand.store.embedding_model()) == MODEL
        assert stand.run(adopt(OTHER_MODEL, replacing=MODEL))
        assert stand.run(stand.store.embedding_model()) == OTHER_MODEL

    def test_one_of_many_models_is_adopted(self, stand: Stand) -> None:
        models = [f"m{n}@1/4" for n in range(8)]
        answers = stand.together(
            *(stand.store.adopt_model(model, replacing=None) for model in models)
        )
        assert answers.count(True) == 1
        assert stand.run(stand.store.embedding_model()) == models[answers.index(True)]

    def test_adopting_a_model_ends_the_vectors_of_the_old(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(EAST))
        assert stand.run(stand.store.adopt_model(OTHER_MODEL, replacing=MODEL))
        for model in (MODEL, OTHER_MODEL):
            found = stand.search(words="kettle", near=EAST, model=model)
            assert cosines(found) == {memory.id: None}
            assert found.without_vector == 1
            lacking = stand.run(stand.store.lacking_vectors(model, limit=9))
            assert lacking == [memory]
        assert stand.run(stand.store.adopt_model(MODEL, replacing=OTHER_MODEL))
        assert stand.search(near=EAST, model=MODEL).without_vector == 1

    def test_vectors_of_another_model_are_not_kept(self, stand: Stand) -> None:
        assert stand.run(stand.store.adopt_model(MODEL, replacing=None))
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(EAST, model=OTHER_MODEL))
        put = stand.store.put_vectors({memory.id: (1, vectors_of(EAST, model=OTHER_MODEL))})
        assert stand.run(put) == 0
        assert stand.run(stand.store.lacking_vectors(MODEL, limit=9)) == [memory]
        found = stand.search(words="kettle", near=EAST, model=OTHER_MODEL)
        assert cosines(found) == {memory.id: None}

    def test_vectors_of_another_model_do_not_push_out_good_ones(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(EAST))
        other = vectors_of(NORTH, model=OTHER_MODEL)
        after = successor(memory)
        stand.write(a_change_set(a_change(after, before=memory, vectors=other)))
        found = stand.search(near=EAST, model=MODEL)
        assert cosines(found) == {memory.id: pytest.approx(1.0, abs=1e-5)}

    def test_memories_without_vectors_are_given_out_by_id(self, stand: Stand) -> None:
        lacking = [
            a_memory("mine"),
            a_memory("Ben's", scope=BEN),
            a_memory("other tenant", scope=Scope(tenant="t")),
            a_memory("archived", state=State.ARCHIVED),
            a_memory("expired", expires_at=NOON),
            a_memory("former", retired_at=NOON, state=State.SUPERSEDED),
        ]
        stand.keep(*reversed(lacking))
        stand.keep(a_memory("forgotten", state=State.FORGOTTEN))
        stand.keep(a_memory("embedded"), vectors=vectors_of(EAST))
        assert stand.run(stand.store.lacking_vectors(MODEL, limit=99)) == lacking
        assert stand.run(stand.store.lacking_vectors(MODEL, limit=2)) == lacking[:2]

    def test_vectors_that_come_later_are_used(self, stand: Stand) -> None:
        memory, bens = a_memory("kettle"), a_memory("kettle", scope=BEN)
        stand.keep(memory, bens)
        stand.run(stand.store.adopt_model(MODEL, replacing=None))
        given = {memory.id: (1, vectors_of(NORTH, EAST)), bens.id: (1, vectors_of(EAST))}
        assert stand.run(stand.store.put_vectors(given)) == 2
        assert stand.run(stand.store.lacking_vectors(MODEL, limit=9)) == []
        found = stand.search(near=EAST, model=MODEL)
        assert cosines(found) == {memory.id: pytest.approx(1.0, abs=1e-5)}
        assert stand.get(memory) == memory
        assert len(stand.entries()) == 1
        stand.assert_sound()

    def test_vectors_of_an_older_version_are_not_set(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("old words"))
        stand.change(memory, content="new words")
        late = {memory.id: (1, vectors_of(EAST)), "nothing": (1, vectors_of(EAST))}
        assert stand.run(stand.store.put_vectors(late)) == 0
        assert stand.search(near=EAST, model=MODEL).candidates == ()
        assert stand.run(stand.store.put_vectors({memory.id: (2, vectors_of(EAST))})) == 1
        assert stand.run(stand.store.put_vectors({})) == 0

    def test_vectors_may_be_put_again(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(NORTH, NORTH, NORTH))
        assert stand.run(stand.store.put_vectors({memory.id: (1, vectors_of(EAST))})) == 1
        found = stand.search(near=NORTH, model=MODEL)
        assert cosines(found) == {memory.id: pytest.approx(0.0, abs=1e-5)}

    def test_put_vectors_may_choose_the_model(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"))
        assert stand.run(stand.store.put_vectors({memory.id: (1, vectors_of(EAST))})) == 1
        assert stand.run(stand.store.embedding_model()) == MODEL


class GivesLeases:
    """`lease` and `release`."""

    def take(self, stand: Stand, owner: str, *, name: str = "sweep", after: timedelta) -> bool:
        """Try to take a lease for an hour."""
        now = NOON + after
        return stand.run(stand.store.lease(name, owner=owner, now=now, duration=HOUR))

    def test_one_owner_holds_a_lease(self, stand: Stand) -> None:
        assert self.take(stand, "a", after=timedelta(0))
        assert not self.take(stand, "b", after=timedelta(minutes=59))
        assert self.take(stand, "b", name="another", after=timedelta(0))

    def test_a_lease_runs_out(self, stand: Stand) -> None:
        assert self.take(stand, "a", after=timedelta(0))
        assert not self.take(stand, "b", after=HOUR - timedelta(microseconds=1))
        assert self.take(stand, "b", after=HOUR)
        assert not self.take(stand, "a", after=HOUR)

    def test_its_owner_renews_a_lease(self, stand: Stand) -> None:
        assert self.take(stand, "a", after=timedelta(0))
        assert self.take(stand, "a", after=timedelta(minutes=30))
        assert not self.take(stand, "b", after=timedelta(minutes=89))
        assert self.take(stand, "b", after=timedelta(minutes=90))

    def test_only_its_owner_gives_a_lease_back(self, stand: Stand) -> None:
        assert self.take(stand, "a", after=timedelta(0))
        stand.run(stand.store.release("sweep", owner="b"))
        stand.run(stand.store.release("never taken", owner="a"))
        assert not self.take(stand, "b", after=timedelta(0))
        stand.run(stand.store.release("sweep", owner="a"))
        assert self.take(stand, "b", after=timedelta(0))

    def test_one_of_many_takes_a_lease(self, stand: Stand) -> None:
        answers = stand.together(
            *(stand.store.lease("x", owner=f"o{n}", now=NOON, duration=HOUR) for n in range(8))
        )
        assert answers.count(True) == 1


class CountsAndChecks:
    """`sizes` and `check`."""

    def test_sizes_count_a_views_records(self, stand: Stand) -> None:
        assert stand.run(stand.store.sizes(looking().view)).memories == {}
        agent = replace(ILKA, agent="a")
        stand.keep(
            a_memory("1", accessed_count=3, used_count=1),
            a_memory("2", scope=agent, accessed_count=2),
            a_memory("3", state=State.ARCHIVED, used_count=2),
            a_memory("4", state=State.FORGOTTEN, accessed_count=1),
            a_memory("5", expires_at=NOON, valid_to=NOON),
            a_memory("6", scope=BEN, accessed_count=50, used_count=50),
            a_memory("7", scope=Scope(tenant="t"), accessed_count=70, used_count=70),
        )
        stand.keep(a_memory("8"), vectors=vectors_of(EAST))

        def sizes(view: View) -> Sizes:
            return replace(stand.run(stand.store.sizes(view)), bytes=0)

        assert sizes(looking().view) == Sizes(
            memories={"active": 4, "archived": 1, "forgotten": 1},
            recalled=6,
            used=3,
            without_vector=4,
            bytes=0,
        )
        assert sizes(looking(scope=agent).view) == Sizes(
            memories={"active": 1}, recalled=2, used=0, without_vector=1, bytes=0
        )
        everyone = sizes(looking(everything=True).view)
        assert everyone.memories == {"active": 5, "archived": 1, "forgotten": 1}
        assert (everyone.recalled, everyone.used) == (56, 53)

    def test_the_store_has_a_size(self, stand: Stand) -> None:
        stand.keep(a_memory("x" * 10_000))
        assert stand.run(stand.store.sizes(looking().view)).bytes >= 10_000

    @pytest.mark.parametrize("repair", [False, True])
    def test_a_sound_store_has_no_findings(self, stand: Stand, repair: bool) -> None:
        assert stand.run(stand.store.check(repair=repair)) == []
        memory = stand.keep(a_memory(key="home"), vectors=vectors_of(EAST))
        stand.change(memory, content="changed", state=State.FORGOTTEN)
        stand.keep(a_memory("Ben's kettle", scope=BEN), vectors=vectors_of(EAST, NORTH))
        stand.write(a_change_set(accesses=(an_access(memory),), idempotency=(a_key(),)))
        assert stand.run(stand.store.check(repair=repair)) == []

    def test_a_successor_that_does_not_exist_is_found(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(superseded_by="nothing"))
        (finding,) = stand.run(stand.store.check(repair=False))
        assert finding.memory_id == memory.id
        assert "superseded" in finding.problem
        assert stand.get(memory) == memory


class Lives:
    """Opening, sharing, copying and closing."""

    outlives_closing: ClassVar[bool]

    @pytest.fixture
    def shared(self, stand: Stand) -> Stand:
        """The stand, when other openings see the same data."""
        if not self.outlives_closing:
            pytest.skip("this store's data end with the object")
        return stand

    def test_it_is_a_store(self, stand: Stand) -> None:
        assert isinstance(stand.store, Store)

    def test_a_blocking_store_needs_no_event_loop(self, stand: Stand) -> None:
        if is_blocking(stand.store):
            run_now(stand.store.apply(a_change_set(a_memory())))
            assert run_now(stand.store.count(looking())) == 1

    def test_closing_twice_does_nothing(self, stand: Stand) -> None:
        stand.run(stand.store.close())
        stand.run(stand.store.close())

    def test_a_closed_store_says_so(self, stand: Stand) -> None:
        stand.run(stand.store.close())
        for call in (
            stand.store.apply(a_change_set(a_memory())),
            stand.store.get(ILKA, ["x"]),
            stand.store.count(looking()),
        ):
            with pytest.raises(Unavailable):
                stand.run(call)

    def test_a_backup_never_overwrites(self, stand: Stand, tmp_path: Path) -> None:
        target = tmp_path / "backup"
        target.write_text("something")
        with pytest.raises((InvalidInput, Misconfigured)):
            stand.run(stand.store.backup(target))
        assert target.read_text() == "something"

    def test_everything_outlives_closing(self, shared: Stand) -> None:
        memory = shared.keep(a_memory("old kettle", key="home"), vectors=vectors_of(NORTH))
        vectors = vectors_of(EAST, NORTH)
        after = successor(memory, content="new kettle", metadata={"a": [1.0]})
        shared.write(
            a_change_set(
                a_change(after, before=memory, vectors=vectors),
                idempotency=(a_key("k", "r", found=1),),
                accesses=(an_access(memory),),
            )
        )
        shared.run(shared.store.lease("sweep", owner="a", now=NOON, duration=HOUR))
        shared.write(a_change_set(marks=(Mark(name="read", value=3),)))
        stored, entries = shared.stored(memory), shared.entries()
        found = shared.search(words="kettle", near=EAST, model=MODEL)
        shared.reopen()
        assert shared.get(memory) == stored
        assert shared.entries() == entries
        assert shared.search(words="kettle", near=EAST, model=MODEL) == found
        assert shared.search(words="old").candidates == ()
        assert shared.run(shared.store.slot(ILKA, "home")) == [stored]
        assert shared.run(shared.store.embedding_model()) == MODEL
        lease = shared.store.lease("sweep", owner="b", now=NOON, duration=HOUR)
        assert not shared.run(lease)
        assert shared.run(shared.store.mark("read")) == 3
        repeated = shared.refuse(a_change_set(idempotency=(a_key("k", "r"),)))
        assert repeated.repeated == {0: {"found": 1}}
        again = a_memory("new kettle", key="home", metadata={"a": [1.0]})
        known = shared.refuse(a_change_set(again, unless_known=frozenset({0})))
        assert known.known == {0: stored}
        applied = shared.write(a_change_set(a_memory("more")))
        assert applied.sequence > entries[-1].sequence
        shared.assert_sound()

    def test_the_first_write_after_reopening_may_be_a_change(self, shared: Stand) -> None:
        memory = shared.keep(a_memory("old kettle"))
        shared.reopen()
        after = shared.change(memory, content="new kettle")
        assert shared.stored(memory) == after
        shared.assert_sound()

    def test_writes_of_another_opening_are_seen(self, shared: Stand) -> None:
        other = shared.another()
        old = shared.keep(a_memory("old kettle"), vectors=vectors_of(EAST))
        assert cosines(shared.search(words="kettle", near=EAST, model=MODEL)) == {
            old.id: pytest.approx(1.0, abs=1e-5)
        }
        new = a_memory("new kettle")
        gone = successor(old, state=State.FORGOTTEN)
        changes = a_change_set(a_change(new, vectors=vectors_of(NORTH)), a_change(gone, before=old))
        shared.run(other.apply(changes))
        assert shared.seen(looking()) == {new.id}
        found = shared.search(words="kettle", near=EAST, model=MODEL)
        assert cosines(found) == {new.id: pytest.approx(0.0, abs=1e-5)}
        shared.run(other.put_vectors({new.id: (1, vectors_of(EAST))}))
        found = shared.search(near=EAST, model=MODEL)
        assert cosines(found) == {new.id: pytest.approx(1.0, abs=1e-5)}
        shared.run(other.apply(a_change_set(accesses=(an_access(new, count=5),))))
        (candidate,) = shared.search(words="kettle").candidates
        assert candidate.accessed_count == 5

    def test_another_opening_adopts_a_model_for_all(self, shared: Stand) -> None:
        other = shared.another()
        memory = shared.keep(a_memory("kettle"), vectors=vectors_of(EAST))
        assert shared.search(near=EAST, model=MODEL).without_vector == 0
        assert shared.run(other.adopt_model(OTHER_MODEL, replacing=MODEL))
        assert shared.run(shared.store.embedding_model()) == OTHER_MODEL
        assert shared.search(near=EAST, model=MODEL).without_vector == 1
        late = vectors_of(EAST)
        after = successor(memory, content="changed kettle")
        shared.write(a_change_set(a_change(after, before=memory, vectors=late)))
        assert shared.search(near=EAST, model=MODEL).without_vector == 1
        ours = {memory.id: (2, vectors_of(EAST, model=OTHER_MODEL))}
        assert shared.run(other.put_vectors(ours)) == 1
        assert shared.search(near=EAST, model=OTHER_MODEL).without_vector == 0

    def test_openings_do_not_both_win(self, shared: Stand) -> None:
        other = shared.another()
        memory = shared.keep(a_memory(importance=0.0))
        stores = [shared.store, other] * 4
        answers = shared.together(
            *(
                store.apply(
                    a_change_set(
                        a_change(successor(memory, importance=number / 10), before=memory),
                        a_memory("said by all"),
                        unless_known=frozenset({1}),
                        idempotency=(a_key("k", "r"),),
                    )
                )
                for number, store in enumerate(stores)
            )
        )
        assert sum(isinstance(answer, Refused) for answer in answers) == 7
        assert len(shared.query(looking())) == 2
        shared.assert_sound()

    def test_a_copy_is_a_whole_store(self, shared: Stand, tmp_path: Path) -> None:
        memory = shared.keep(a_memory("kettle"), vectors=vectors_of(EAST))
        target = tmp_path / "copy"
        try:
            shared.run(shared.store.backup(target))
        except Misconfigured:
            assert not target.exists()
            return
        assert target.exists()
        assert shared.get(memory) == memory


class UpkeepContract(UsesOneModel, GivesLeases, CountsAndChecks, Lives):
    """Everything else."""
