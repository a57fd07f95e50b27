"""What was true then, and what was believed then, on every way of reading."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import texts

MONDAY, TUESDAY, WEDNESDAY = "2031-03-10T12:00:00", "2031-03-11T12:00:00", "2031-03-12T12:00:00"


def by_recall(memory, query, **times):
    return set(texts(memory.recall(query, **times)))


def by_context(memory, query, **times):
    block = memory.recall_context(query, **times)
    return {line.partition(") ")[2] for line in block.splitlines() if line.startswith("[")}


def by_list(memory, query, **times):
    return set(texts(memory.list(**times)))


def by_count(memory, query, **times):
    """Counting cannot name what it counts, so it must agree with the listing."""
    listed = set(texts(memory.list(**times)))
    assert memory.count(**times) == len(listed)
    return listed


def read(memory, query, **times):
    """What every way of reading finds; they must agree."""
    found = by_recall(memory, query, **times)
    for other in (by_context, by_list, by_count):
        assert other(memory, query, **times) == found, other.__name__
    return found


def at(clock, moment):
    clock.set(moment)


def test_a_correction_is_unknown_before_it_was_made(ilka, clock):
    at(clock, MONDAY)
    old = ilka.remember("The regatta starts at nine").memory
    at(clock, WEDNESDAY)
    ilka.correct(old.id, "The regatta starts at eleven")
    assert read(ilka, "regatta starts", known_as_of=TUESDAY) == {"The regatta starts at nine"}
    assert read(ilka, "regatta starts") == {"The regatta starts at eleven"}


def test_what_was_true_and_what_was_known_are_two_questions(ilka, clock):
    at(clock, MONDAY)
    old = ilka.remember("Nils rents in Tampere", valid_from="2031-01-01").memory
    at(clock, WEDNESDAY)
    ilka.correct(old.id, "Nils rents in Vaasa", valid_from="2031-02-01")
    asked = {
        ("2031-01-15", None): {"Nils rents in Tampere"},
        ("2031-02-15", None): {"Nils rents in Vaasa"},
        ("2031-02-15", TUESDAY): {"Nils rents in Tampere"},
        ("2031-02-15", "2031-03-01"): set(),
    }
    for (as_of, known), expected in asked.items():
        assert read(ilka, "where does Nils rent", as_of=as_of, known_as_of=known) == expected


def test_a_retroactive_correction_changes_the_past_but_not_what_was_believed(ilka, clock):
    at(clock, MONDAY)
    old = ilka.remember("塔楼建于1912年", valid_from="2031-01-01").memory
    at(clock, WEDNESDAY)
    ilka.correct(old.id, "塔楼建于1921年", retroactive=True)
    assert read(ilka, "塔楼建于哪年", as_of="2031-02-01") == {"塔楼建于1921年"}
    assert read(ilka, "塔楼建于哪年", as_of="2031-02-01", known_as_of=TUESDAY) == {"塔楼建于1912年"}


def test_an_update_is_unknown_before_it_was_made(ilka, clock):
    at(clock, MONDAY)
    note = ilka.remember("Spare fuse is in drawer three").memory
    at(clock, WEDNESDAY)
    ilka.update(note.id, content="Spare fuse is in the blue tin")
    assert read(ilka, "spare fuse", known_as_of=TUESDAY) == {"Spare fuse is in drawer three"}
    assert read(ilka, "spare fuse", known_as_of=WEDNESDAY) == {"Spare fuse is in the blue tin"}
    assert read(ilka, "spare fuse") == {"Spare fuse is in the blue tin"}


def test_the_forgotten_is_in_no_past(ilka, clock):
    at(clock, MONDAY)
    note = ilka.remember("The alarm code is 5530").memory
    kept = "The alarm is tested on Fridays"
    ilka.remember(kept)
    at(clock, WEDNESDAY)
    ilka.forget(note.id)
    for times in ({}, {"known_as_of": TUESDAY}, {"as_of": TUESDAY}, {"known_as_of": MONDAY}):
        assert read(ilka, "alarm", **times) == {kept}


def test_the_forgotten_is_in_no_past_under_its_earlier_words_either(ilka, clock):
    at(clock, MONDAY)
    note = ilka.remember("The vault opens with 1180").memory
    at(clock, TUESDAY)
    ilka.update(note.id, content="The vault opens with 7744")
    at(clock, WEDNESDAY)
    ilka.forget(note.id)
    assert read(ilka, "vault opens with", known_as_of=MONDAY) == set()


def test_a_corrected_then_forgotten_chain_is_in_no_past(ilka, clock):
    at(clock, MONDAY)
    old = ilka.remember("Odile's number is 100").memory
    at(clock, TUESDAY)
    new = ilka.correct(old.id, "Odile's number is 200").memory
    at(clock, WEDNESDAY)
    ilka.forget([old.id, new.id])
    for known in (None, MONDAY, TUESDAY):
        assert read(ilka, "Odile's number", known_as_of=known) == set()


def test_nothing_was_known_before_the_first_word(ilka, clock):
    at(clock, TUESDAY)
    ilka.remember("Bees arrive in crate nine", occurred_at="2031-01-01")
    assert read(ilka, "bees crate", known_as_of=MONDAY) == set()
    assert read(ilka, "bees crate", as_of="2030-12-31") == set()
    assert read(ilka, "bees crate", as_of="2031-01-02") == {"Bees arrive in crate nine"}


def test_a_restored_memory_was_known_before_and_after_but_not_between(ilka, clock):
    at(clock, MONDAY)
    note = ilka.remember("Compost goes behind the shed").memory
    at(clock, TUESDAY)
    ilka.forget(note.id)
    at(clock, WEDNESDAY)
    ilka.restore(note.id)
    assert read(ilka, "compost", known_as_of=MONDAY) == {"Compost goes behind the shed"}
    assert read(ilka, "compost", known_as_of="2031-03-11T13:00") == set()
    assert read(ilka, "compost") == {"Compost goes behind the shed"}


def test_filters_see_the_record_as_it_was_known(ilka, clock):
    at(clock, MONDAY)
    note = ilka.remember("Boiler check", metadata={"state": "open"}).memory
    at(clock, WEDNESDAY)
    ilka.update(note.id, metadata={"state": "done"})
    for call in (ilka.list, lambda **asked: ilka.recall("boiler", **asked)):
        assert len(call(filters={"state": "open"}, known_as_of=TUESDAY)) == 1
        assert len(call(filters={"state": "done"}, known_as_of=TUESDAY)) == 0
        assert len(call(filters={"state": "open"})) == 0
    assert ilka.count(filters={"state": "open"}, known_as_of=TUESDAY) == 1


def test_paging_through_an_earlier_state_of_knowledge_finds_each_memory_once(ilka, clock):
    for number in range(23):
        clock.advance(timedelta(minutes=1))
        ilka.remember(f"Tile {number}")
    known = clock.now()
    clock.advance(timedelta(days=1))
    ilka.remember("A later tile")
    seen, cursor = [], None
    while True:
        page = ilka.list(limit=5, cursor=cursor, known_as_of=known)
        seen += texts(page)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [f"Tile {number}" for number in range(23)]


@decided_by_the_engine
@pytest.mark.parametrize("name", ["as_of", "known_as_of"])
def test_an_unreadable_moment_is_refused_by_every_read(ilka, name):
    ilka.remember("Anything")
    for call in (
        lambda **asked: ilka.recall("anything", **asked),
        lambda **asked: ilka.recall_context("anything", **asked),
        ilka.list,
        ilka.count,
    ):
        with pytest.raises(ValueError, match=name):
            call(**{name: "last spring"})


def test_a_superseded_slot_value_answers_for_its_time_in_every_read(ilka, clock):
    ilka.remember("Head gardener: Pia", key="gardener", valid_from="2030-01-01")
    ilka.remember("Head gardener: Sven", key="gardener", valid_from="2030-07-01")
    assert read(ilka, "head gardener", as_of="2030-03-01") == {"Head gardener: Pia"}
    assert read(ilka, "head gardener") == {"Head gardener: Sven"}
