"""The journal's chain."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.changes import Accesses, JournalEntry, Operation
from perdure.domain.codec import encode
from perdure.domain.journal import (
    GENESIS,
    canonical,
    chained,
    digest_of,
    emptied,
    lines_of,
    payload,
    seal_of,
    sealed,
)
from perdure.domain.records import Kind, State
from perdure.domain.scope import Scope
from perdure.testing import ILKA, NOON, a_change, a_change_set, a_memory, successor

PARTS = {
    "at": "2031-07-25T12:00:00+00:00",
    "operation": "created",
    "memory_id": "m1",
    "version": 1,
    "actor": "",
    "request_id": "",
    "config_hash": "",
    "seal": "00",
}


SALT = "5a" * 16


def an_entry(**fields) -> JournalEntry:
    entry = JournalEntry(
        **{
            "sequence": 7,
            "at": datetime(2031, 7, 25, 12, tzinfo=UTC),
            "operation": Operation.CREATED,
            "memory_id": "m1",
            "version": 1,
            "scope": ILKA,
            "actor": "Ilka",
            "request_id": "r1",
            "config_hash": "c1",
            "reason": "moved",
            "change": {"b": 1, "a": [1.0, None]},
            "previous": "00ff",
            "digest": "",
            "salt": SALT,
            "seal": "",
            **fields,
        }
    )
    entry = replace(entry, seal=sealed(entry))
    return replace(entry, digest=digest_of(entry))


@pytest.mark.parametrize(
    "altered",
    [
        {"at": datetime(2031, 7, 25, 12, 0, 0, 1, UTC)},
        {"operation": Operation.UPDATED},
        {"memory_id": "m2"},
        {"version": 2},
        {"actor": "Ben"},
        {"request_id": "r2"},
        {"config_hash": "c2"},
        {"reason": None},
        {"reason": ""},
        {"change": {"b": 1, "a": [1, None]}},
        {"change": {"b": 1}},
        {"previous": "00fe"},
        {"salt": "11" * 16},
    ],
    ids=str,
)
def test_a_digest_covers_what_an_entry_says(altered):
    entry = an_entry()
    assert digest_of(entry) == entry.digest
    assert digest_of(replace(entry, **altered)) != entry.digest


def test_the_place_in_the_store_is_not_covered():
    # A copy of a journal in another store keeps its chain.
    assert digest_of(replace(an_entry(), sequence=9)) == an_entry().digest


def test_the_order_of_keys_does_not_matter():
    assert an_entry(change={"a": [1.0, None], "b": 1}).digest == an_entry().digest


def test_a_digest_is_sixteen_bytes_in_hexadecimal():
    assert len(bytes.fromhex(an_entry().digest)) == 16
    assert chained(GENESIS, b"x") != chained("00", b"x")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"actor": "ab", "request_id": "c"}, {"actor": "a", "request_id": "bc"}),
        ({"actor": "a\x1fb", "request_id": "c"}, {"actor": "a", "request_id": "b\x1fc"}),
        ({"memory_id": "m1", "version": 11}, {"memory_id": "m11", "version": 1}),
        ({"actor": "é"}, {"actor": "e\u0301"}),
        ({"config_hash": "1,2;x"}, {"config_hash": "1,2", "seal": ";x00"}),
    ],
)
def test_no_two_entries_share_their_bytes(one, other):
    assert payload(**{**PARTS, **one}) != payload(**{**PARTS, **other})


@pytest.mark.parametrize(
    ("one", "other"),
    [((None, "{}"), ("", "{}")), (("a", "{}"), ("a{", "}")), (("1;x", "{}"), ("1", ";x{}"))],
)
def test_no_two_contents_share_their_seal(one, other):
    assert seal_of(SALT, *one) != seal_of(SALT, *other)


def test_an_emptied_entry_says_nothing_and_keeps_its_digest():
    entry = an_entry()
    left = emptied(entry)
    assert (left.change, left.reason, left.salt) == ({}, None, "")
    assert left.is_emptied
    assert not entry.is_emptied
    assert digest_of(left) == entry.digest == left.digest
    assert emptied(left) == left


def test_a_seal_confirms_no_guess_without_the_salt():
    guessed = {emptied(an_entry(salt=salt)).seal for salt in (SALT, "00" * 16, "5b" * 16)}
    assert len(guessed) == 3


@pytest.mark.parametrize("altered", [{"seal": "00" * 16}, {"actor": "Ben"}, {"version": 9}])
def test_an_emptied_entry_is_still_covered(altered):
    left = emptied(an_entry())
    assert digest_of(replace(left, **altered)) != left.digest


def test_an_emptied_memory_is_journalled_whole_once():
    before = a_memory(importance=0.9)
    after = successor(before, state=State.ARCHIVED, content="")
    last = successor(after, importance=0.5)
    whole, further = lines_of(
        a_change_set(
            a_change(after, before=before, operation=Operation.ARCHIVED),
            a_change(last, before=after),
            emptied=frozenset({before.id}),
        )
    )
    assert whole.change == encode(after)
    assert further.change == {"version": 3, "importance": 0.5}


def test_canonical_text_is_sorted_compact_and_readable():
    assert canonical({"b": 1.0, "a": ["茶", None, True]}) == '{"a":["茶",null,true],"b":1.0}'
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(json_values)
def test_canonical_text_is_what_the_standard_library_writes(value):
    expected = json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    assert canonical(value) == expected
    assert json.loads(canonical(value)) == value


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [float("-inf")], object(), {"a": b""}]
)
def test_what_is_no_json_has_no_canonical_text(value):
    with pytest.raises((ValueError, TypeError)):
        canonical(value)


def test_each_change_is_a_line_with_what_changed():
    new = a_memory(kind=Kind.EPISODIC)
    before = a_memory(scope=Scope(user="ben"), importance=0.9)
    after = successor(before, importance=0.5)
    created, updated = lines_of(
        a_change_set(
            new,
            a_change(after, before=before, reason="less so", at=NOON - timedelta(1), actor="x"),
            at=NOON,
            actor="Ilka",
        )
    )
    assert created.change == encode(new)
    assert (created.operation, created.version, created.at, created.actor) == (
        Operation.CREATED,
        1,
        NOON,
        "Ilka",
    )
    assert (created.memory_id, created.scope, created.reason) == (new.id, ILKA, None)
    assert updated.change == {"version": 2, "importance": 0.5}
    assert (updated.version, updated.scope, updated.reason) == (2, before.scope, "less so")
    assert (updated.at, updated.actor) == (NOON - timedelta(1), "x")


def test_accesses_are_lines_after_the_changes():
    memory = a_memory()
    access = Accesses(memory_id="m9", scope=ILKA, count=3, last_at=NOON)
    _, line = lines_of(a_change_set(memory, accesses=(access,), at=NOON + timedelta(1)))
    assert (line.operation, line.memory_id, line.version) == (Operation.ACCESSED, "m9", 0)
    assert line.change == {"count": 3, "last_at": "2031-07-25T12:00:00+00:00"}
    assert line.at == NOON + timedelta(1)
