"""When a change set may be written."""

from dataclasses import replace
from datetime import timedelta

from perdure.domain.changes import IdempotencyKey, Refused, SlotState
from perdure.domain.preconditions import Standing, StoredVersion, UsedKey, refusal
from perdure.domain.records import State
from perdure.domain.scope import Scope
from perdure.testing import ILKA, NOON, a_change, a_change_set, a_memory, successor

HOUR = timedelta(hours=1)


def standing_with(*memories, **fields):
    return Standing(
        versions={item.id: StoredVersion(item.version, item.scope.walls) for item in memories},
        **fields,
    )


def test_a_set_that_fits_may_be_written():
    memory = a_memory()
    changes = a_change_set(
        a_memory("new"),
        a_change(successor(memory), before=memory),
        unless_known=frozenset({0}),
        slots=(SlotState(scope=ILKA, key="home", members=frozenset({("x", 2)})),),
        idempotency=(IdempotencyKey(scope=ILKA, key="k", request="r", answer={}),),
    )
    standing = standing_with(memory, slots={0: [("x", 2)]}, alike={0: [a_memory("other")]})
    assert refusal(changes, standing) is None
    assert refusal(a_change_set(), Standing()) is None


def test_versions_and_walls_must_be_those_stored():
    memory = a_memory()
    update = a_change_set(a_change(successor(memory), before=memory))
    assert refusal(update, Standing()) == Refused(stale=(memory.id,))
    for other in (successor(memory), replace(memory, scope=Scope(user="ben"))):
        assert refusal(update, standing_with(other)) == Refused(stale=(memory.id,))
    assert refusal(a_change_set(memory), standing_with(memory)) == Refused(stale=(memory.id,))
    narrower = replace(memory, scope=replace(ILKA, agent="a"))
    assert refusal(update, standing_with(narrower)) is None


def test_an_id_is_named_once():
    memory = a_memory()
    ahead = replace(memory, version=5)
    stale = a_change(successor(ahead), before=ahead)
    assert refusal(a_change_set(stale, stale), standing_with(memory)) == Refused(stale=(memory.id,))


def test_a_missing_slot_is_an_empty_one():
    empty = SlotState(scope=ILKA, key="home", members=frozenset())
    full = SlotState(scope=ILKA, key="work", members=frozenset({("x", 1)}))
    changes = a_change_set(slots=(empty, full))
    assert refusal(changes, Standing()) == Refused(slots=("work",))
    assert refusal(changes, Standing(slots={0: [("y", 1)], 1: [("x", 1)]})) == Refused(
        slots=("home",)
    )


def test_a_stored_memory_with_other_words_is_not_known():
    # Two texts may share a fingerprint.
    changes = a_change_set(a_memory("new"), unless_known=frozenset({0}))
    assert refusal(changes, Standing(alike={0: [a_memory("old")]})) is None


def test_what_the_set_ends_is_not_known_afterwards():
    old = a_memory(key="home", at=NOON - HOUR)
    ended = successor(old, valid_to=NOON, state=State.SUPERSEDED)
    again = a_memory(key="home", at=NOON + HOUR)
    ending = a_change(ended, before=old)
    before = a_change_set(again, ending, unless_known=frozenset({0}))
    after = a_change_set(ending, again, unless_known=frozenset({1}))
    assert refusal(before, standing_with(old, alike={0: [old]})) == Refused(known={0: old})
    assert refusal(after, standing_with(old, alike={1: [old]})) is None


def test_an_earlier_change_of_the_set_makes_a_later_one_known():
    first, second, third = a_memory(), a_memory(), a_memory()
    changes = a_change_set(first, second, third, unless_known=frozenset({1, 2}))
    assert refusal(changes, Standing()) == Refused(known={1: first, 2: first})
    freely = a_change_set(first, second, third, unless_known=frozenset({0}))
    assert refusal(freely, Standing()) is None


def test_what_the_set_has_just_changed_is_known_by_its_new_words():
    old = a_memory("old words")
    renewed = successor(old, content="new words")
    changes = a_change_set(
        a_change(renewed, before=old), a_memory("new words"), unless_known=frozenset({1})
    )
    assert refusal(changes, standing_with(old)) == Refused(known={1: renewed})


def test_a_key_is_asked_for_by_its_walls():
    def key(name, request, scope=ILKA):
        return IdempotencyKey(scope=scope, key=name, request=request, answer={"n": request})

    keys = (
        key("k", "r"),
        key("k", "r", Scope(user="ben")),
        key("k", "q", replace(ILKA, agent="a")),
        key("k", "r", replace(ILKA, session="s")),
    )
    assert refusal(a_change_set(idempotency=keys), Standing()) == Refused(
        repeated={3: {"n": "r"}}, clashing=(2,)
    )
    used = {1: UsedKey("other", {}), 0: UsedKey("r", {"n": "first"})}
    refused = refusal(a_change_set(idempotency=keys[:2]), Standing(used=used))
    assert refused == Refused(repeated={0: {"n": "first"}}, clashing=(1,))
