"""What becomes of a memory on its way into the archive and back."""

from dataclasses import replace
from datetime import timedelta

import pytest

from perdure.domain.archiving import brought_back, filled, may_rest, refills, stub_of, summarised
from perdure.domain.batches import Place, place_of
from perdure.domain.journal import canonical, emptied, seal_of
from perdure.domain.records import Attachment, Source, State
from perdure.testing import NOON, a_memory
from perdure.testing.contracts._store_writing import a_full_memory
from perdure.testing.contracts.archive import an_entry

PLACE = Place(batch="01983fd0", row=12)


def test_a_place_is_read_back_from_its_text():
    assert str(PLACE) == "01983fd0#12"
    assert place_of("01983fd0#12") == PLACE
    assert place_of("a#b#3") == Place(batch="a#b", row=3)


@pytest.mark.parametrize("text", ["", "#1", "a", "a#", "a#x", "a#-1", "a#٣"])
def test_other_texts_are_no_place(text):
    with pytest.raises(ValueError, match="no place"):
        place_of(text)


def test_a_stub_keeps_whose_and_when_and_nothing_of_what():
    memory = a_full_memory()
    stub = stub_of(memory, PLACE)
    assert stub.is_stub
    assert (stub.content, stub.metadata, stub.object, stub.attachments) == ("", {}, None, ())
    assert stub.source == Source(role=memory.source.role)
    assert (stub.archive, stub.version) == ("01983fd0#12", memory.version + 1)
    assert stub.indexed_text == ""
    same = "id scope occurred_at valid_from valid_to key subject predicate supports provenance"
    assert all(getattr(stub, name) == getattr(memory, name) for name in same.split())


def test_what_moved_on_while_it_was_away_stays_and_the_words_come_back():
    memory = replace(
        a_memory("kettle", metadata={"a": 1}, object="kettle"),
        attachments=(Attachment(media_type="x", digest="y", location="z"),),
    )
    stub = replace(stub_of(memory, PLACE), importance=0.9, superseded_by="other", version=5)
    back = brought_back(stub, memory)
    assert (back.content, back.metadata, back.object) == ("kettle", {"a": 1}, "kettle")
    assert back.attachments == memory.attachments
    assert (back.importance, back.superseded_by, back.version) == (0.9, "other", 6)
    assert back.state is State.SUPERSEDED
    assert back.archive == "01983fd0#12"


def test_only_the_words_of_a_compressed_memory_come_back():
    memory = a_memory("a long story", metadata={"a": 1})
    short = replace(summarised(memory, "a story", PLACE), metadata={"a": 2})
    assert (short.content, short.state, short.version) == ("a story", State.COMPRESSED, 2)
    back = brought_back(short, memory)
    assert (back.content, back.metadata, back.state) == ("a long story", {"a": 2}, State.ACTIVE)


@pytest.mark.parametrize(
    ("fields", "may"),
    [
        ({}, True),
        ({"pinned": True}, True),
        ({"held": True}, False),
        ({"state": State.FORGOTTEN}, False),
        ({"state": State.ARCHIVED}, True),
        ({"state": State.ARCHIVED, "content": ""}, False),
        ({"state": State.COMPRESSED}, True),
    ],
)
def test_what_may_rest(fields, may):
    assert may_rest(a_memory(**{"content": "kettle", **fields})) is may


def a_sealed_entry(memory, **fields):
    entry = an_entry(memory, **fields)
    seal = seal_of(entry.salt, entry.reason, canonical(dict(entry.change)))
    return replace(entry, seal=seal)


def test_emptied_entries_are_refilled_by_sequence_and_seal():
    memory = a_memory("kettle")
    first = a_sealed_entry(memory)
    second = a_sealed_entry(memory, sequence=8, at=NOON + timedelta(hours=1), reason=None)
    third = a_sealed_entry(memory, sequence=9)
    standing = [emptied(first), second, emptied(third)]
    forged = replace(third, change={"content": "forged"})
    assert refills(standing, [first, second, forged]) == (first,)
    assert refills(standing, [replace(first, sequence=77), emptied(third)]) == ()
    assert filled(standing, [first, second, third]) == (first, second, third)
