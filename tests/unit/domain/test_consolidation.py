"""What consolidation looks at, and what a summary may tell."""

from dataclasses import replace
from datetime import timedelta

import pytest

from perdure.domain.changes import JournalEntry, Operation
from perdure.domain.consolidation import (
    concerns,
    is_episode,
    lease_name,
    mark_name,
    may_be_told,
    withdraws,
)
from perdure.domain.records import Kind, State
from perdure.domain.scope import Scope
from perdure.testing.builders import ILKA, NOON, a_memory

LATER = NOON + timedelta(days=1)
WORDS = a_memory("The boat leaks.", kind=Kind.EPISODIC)


def an_entry(operation, **change):
    return JournalEntry(
        sequence=1, at=NOON, operation=operation, memory_id="m", version=1, scope=ILKA, actor="",
        request_id="", config_hash="", reason=None, change=change, previous="", digest="",
        salt="", seal="",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (an_entry(Operation.CREATED, content="x", importance=0.01), True),
        (an_entry(Operation.UPDATED, content="x"), True),
        (an_entry(Operation.UPDATED, importance=0.9, metadata={}), False),
        (an_entry(Operation.REINFORCED, strength={}, used_count=3), False),
        (an_entry(Operation.REINFORCED, confidence=0.9, provenance=["a", "b"]), True),
        (an_entry(Operation.ACCESSED, count=1), False),
        (an_entry(Operation.CONSOLIDATED, content="x"), False),
        (an_entry(Operation.PROMOTED, kind="long_term"), True),
        (an_entry(Operation.FORGOTTEN, state="forgotten"), True),
        (an_entry(Operation.CREATED), False),
    ],
)
def test_what_has_to_be_looked_at(entry, expected):
    assert concerns(entry) is expected


@pytest.mark.parametrize("importance", [0.0, 0.01, 0.5, 1.0])
def test_importance_keeps_nothing_out(importance):
    memory = replace(WORDS, importance=importance)
    assert is_episode(memory)
    assert may_be_told(memory)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": Kind.SHORT_TERM}, {"kind": Kind.SEMANTIC}, {"state": State.FORGOTTEN},
        {"state": State.COMPRESSED}, {"state": State.ARCHIVED}, {"retired_at": NOON},
        {"superseded_by": "x"}, {"valid_to": LATER}, {"expires_at": LATER}, {"confidence": 0.0},
        {"contradicts": ("x",)},
    ],
)  # fmt: skip
def test_what_does_not_hold_for_good_is_not_told(fields):
    assert not may_be_told(replace(WORDS, **fields))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"content": "The boat is dry."}, True),
        ({"state": State.FORGOTTEN}, True),
        ({"state": State.SUPERSEDED, "superseded_by": "x", "valid_to": LATER}, True),
        ({"contradicts": ("x",)}, True),
        ({"importance": 0.9, "supports": ("x",)}, False),
        ({"state": State.COMPRESSED, "content": "boat", "archive": "b#1"}, False),
        ({"state": State.ARCHIVED, "content": "", "archive": "b#1"}, False),
    ],
)
def test_what_takes_a_summary_along(fields, expected):
    assert withdraws(WORDS, replace(WORDS, **fields)) is expected


@pytest.mark.parametrize(
    "fields",
    [
        {"state": State.COMPRESSED, "content": "boat", "archive": "b#1"},
        {"state": State.ARCHIVED, "content": "", "archive": "b#1"},
    ],
)
def test_words_that_come_back_take_nothing_along(fields):
    assert not withdraws(replace(WORDS, **fields), WORDS)


def test_compressed_words_that_are_edited_take_their_summary_along():
    compressed = replace(WORDS, state=State.COMPRESSED, content="boat", archive="b#1")
    assert withdraws(compressed, replace(compressed, content="ship"))


def test_names_tell_users_apart_and_nothing_about_them():
    scopes = [
        Scope(), Scope(user="ab"), Scope(user="a"), Scope(tenant="a", user="b"), Scope(tenant="ab"),
    ]  # fmt: skip
    assert len({mark_name(scope) for scope in scopes}) == len(scopes)
    assert len({lease_name(scope) for scope in scopes}) == len(scopes)
    assert "ilka" not in mark_name(Scope(user="ilka")) + lease_name(Scope(user="ilka"))
    assert mark_name(Scope(user="a", agent="x")) != mark_name(Scope(user="a"))
    assert lease_name(Scope(user="a", agent="x")) == lease_name(Scope(user="a"))
