"""Memories as rows, and back."""

from dataclasses import fields
from datetime import timedelta

import pytest

from perdure.domain.codec import encode
from perdure.domain.journal import canonical
from perdure.domain.records import (
    Attachment,
    Kind,
    Memory,
    Source,
    State,
    Strength,
)
from perdure.domain.scope import Scope
from perdure.stores.sqlite.rows import COLUMNS, memory_of, row_of
from perdure.stores.sqlite.statements import statements
from perdure.testing.builders import NOON, a_memory

LATER = NOON + timedelta(days=3, microseconds=7)
FULL = {
    "kind": Kind.EPISODIC,
    "state": State.SUPERSEDED,
    "version": 4,
    "importance": 1,
    "confidence": 0.25,
    "occurred_until": LATER,
    "valid_to": LATER,
    "retired_at": LATER,
    "expires_at": LATER,
    "supersedes": ("a", "b"),
    "superseded_by": "c",
    "metadata": {"n": 1, "x": 1.0, "t": True, "o": None, "l": [1, {"a": "茶"}]},
    "pinned": True,
    "held": True,
    "key": "kettle/colour",
    "source": Source(role="user", speaker="Ilka", message_ids=("m1", "m2")),
    "accessed_count": 3,
    "used_count": 2,
    "last_accessed_at": LATER,
    "subject": "user",
    "predicate": "likes",
    "object": "tea",
    "polarity": "-",
    "causes": ("d",),
    "provenance": ("e", "f"),
    "supports": ("g",),
    "contradicts": ("h", "i"),
    "archive": "0198-batch#12",
    "attachments": (Attachment(media_type="image/png", digest="d1", location="x", caption="cup"),),
    "strength": Strength(ease=1.7, repetitions=2, due_at=LATER),
    "scope": Scope(tenant="t", agent="a", user="u", session="s"),
}


def kept(memory):
    walls = {7: memory.scope.walls}
    return memory_of((1, 7, *row_of(memory)), walls)


def exact(memory):
    return canonical(encode(memory))


@pytest.mark.parametrize("name", FULL)
def test_a_field_comes_back_as_it_was(name):
    memory = a_memory(**{name: FULL[name]})
    assert exact(kept(memory)) == exact(memory)


def test_all_fields_come_back_together():
    memory = a_memory(occurred_at=LATER, recorded_at=NOON, valid_from=LATER, **FULL)
    assert exact(kept(memory)) == exact(memory)
    assert kept(memory) == memory


def test_every_field_of_a_memory_is_tried():
    basic = {"id", "content", "occurred_at", "recorded_at", "valid_from"}
    assert {field.name for field in fields(Memory)} == basic | FULL.keys()


def test_the_columns_stand_in_the_order_of_the_statement():
    named = statements()["memory_columns"].replace("m.", "").split(", ")
    assert named == ["seq", "partition", *COLUMNS]


def test_a_row_that_describes_no_memory_is_refused():
    row = [1, 7, *row_of(a_memory())]
    row[2 + COLUMNS.index("kind")] = "dream"
    with pytest.raises(KeyError):
        memory_of(row, {7: ("", "ilka")})


@pytest.mark.parametrize("text", ["", "{broken", '{"a":1} more', "[1,", "nothing"])
def test_metadata_that_is_no_json_is_refused(text):
    row = [1, 7, *row_of(a_memory())]
    row[2 + COLUMNS.index("metadata")] = text
    with pytest.raises(ValueError):
        memory_of(row, {7: ("", "ilka")})


def test_nothing_but_the_fields_makes_a_memory():
    assert not hasattr(Memory, "__post_init__")
    assert set(Memory.__slots__) == {field.name for field in fields(Memory)}
