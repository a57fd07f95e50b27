"""A memory as a document and back, without loss."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.codec import FIELDS, decode, difference, encode, merge
from perdure.domain.journal import canonical
from perdure.domain.records import Attachment, Source, Strength
from perdure.domain.scope import Scope
from perdure.errors import InvalidInput
from perdure.testing import NOON, a_memory
from perdure.testing.contracts._store_writing import EXACT_VALUES, a_full_memory
from perdure.testing.contracts._worlds import Dice
from perdure.testing.contracts._worlds import a_memory as any_memory

seeds = st.integers(0, 2**64 - 1)


def some_memory(seed):
    dice = Dice(seed)
    memory = any_memory(dice, Scope(user=dice.name(), agent=dice.name()), "x")
    return replace(
        memory,
        strength=Strength(ease=1.5, due_at=dice.maybe(dice.moment)),
        causes=tuple(dice.some(dice.name, most=2)),
        source=Source(message_ids=tuple(dice.some(dice.name, most=2))),
    )


@given(seeds)
def test_a_document_gives_the_memory_back_exactly(seed):
    memory = some_memory(seed)
    restored = decode(json.loads(json.dumps(encode(memory))))
    assert restored == memory
    assert canonical(encode(restored)) == canonical(encode(memory))


@given(seeds, seeds)
def test_a_difference_makes_one_document_into_the_other(one, other):
    before, after = some_memory(one), some_memory(other)
    merged = merge(encode(before), json.loads(json.dumps(difference(before, after))))
    assert canonical(encode(decode(merged))) == canonical(encode(after))


def test_no_field_is_left_out():
    memory = a_full_memory()
    assert set(encode(memory)) == set(FIELDS)
    assert decode(encode(memory)) == memory


def test_defaults_are_left_out():
    assert set(encode(a_memory())) == {
        "id", "content", "scope", "occurred_at", "recorded_at", "valid_from"
    }  # fmt: skip
    assert encode(a_memory(scope=Scope(user="ilka")))["scope"] == {"user": "ilka"}


def test_nested_records_leave_out_their_defaults_too():
    photo = Attachment(media_type="image/png", digest="ab", location="x")
    document = encode(a_memory(source=Source(role="user"), attachments=(photo,)))
    assert document["source"] == {"role": "user"}
    assert document["attachments"] == [{"media_type": "image/png", "digest": "ab", "location": "x"}]


def test_nothing_changed_is_an_empty_difference():
    memory = a_full_memory()
    assert difference(memory, replace(memory)) == {}
    assert difference(None, memory) == encode(memory)


def test_a_field_back_at_its_default_is_told():
    before = a_memory(importance=0.9, key="home", metadata={"a": 1}, expires_at=NOON)
    changed = difference(before, a_memory(id=before.id))
    assert changed == {"importance": 0.5, "key": None, "metadata": {}, "expires_at": None}


@pytest.mark.parametrize("one", EXACT_VALUES, ids=repr)
def test_a_value_differs_from_every_other_also_in_type(one):
    before = a_memory(metadata={"a": one, "b": {"c": [one]}})
    for other in EXACT_VALUES:
        after = replace(before, metadata={"a": other, "b": {"c": [other]}})
        same = canonical({"a": one}) == canonical({"a": other})
        assert (difference(before, after) == {}) == same


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"id": "x"},
        {**encode(a_memory()), "unknown": 1},
        {**encode(a_memory()), "kind": "unheard-of"},
        {**encode(a_memory()), "occurred_at": "last week"},
        {**encode(a_memory()), "scope": {"user": 5}},
        {**encode(a_memory()), "attachments": [{"digest": "x"}]},
    ],
)
def test_what_is_no_memory_is_refused(document):
    with pytest.raises((TypeError, ValueError, InvalidInput)):
        decode(document)
