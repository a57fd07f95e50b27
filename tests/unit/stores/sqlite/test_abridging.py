"""Journal texts are shorter on the disk and whole again when read."""

from datetime import UTC, datetime, timedelta

import pytest

from perdure.domain.codec import encode
from perdure.domain.journal import canonical
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.domain.times import iso
from perdure.stores.sqlite.abridging import abridged, unabridged

NOW = datetime(2031, 5, 4, 3, 2, 1, 7, tzinfo=UTC)
EARLIER, LATER = NOW - timedelta(days=3), NOW + timedelta(days=1)


def a_record(scope, *, occurred, recorded, valid):
    return Memory(
        id="m-1", content='says "id":"m-1"', scope=scope, occurred_at=occurred,
        recorded_at=recorded, valid_from=valid, metadata={"id": "m-1", "scope": {"user": "x"}},
    )  # fmt: skip


@pytest.mark.parametrize(
    "times",
    [
        (NOW, NOW, NOW), (EARLIER, NOW, EARLIER), (NOW, NOW, EARLIER), (EARLIER, NOW, LATER),
        (NOW, EARLIER, NOW), (EARLIER, LATER, NOW),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "scope", [Scope(), Scope(user="bo"), Scope(tenant="t", agent="a", user="u", session="s")]
)
def test_a_whole_record_is_read_as_it_was_written(scope, times):
    occurred, recorded, valid = times
    change = encode(a_record(scope, occurred=occurred, recorded=recorded, valid=valid))
    kept = abridged(change, canonical(change), at=iso(NOW))
    assert len(kept) < len(canonical(change))
    assert unabridged(kept, memory_id="m-1", scope=scope, at=iso(NOW)) == change


def test_other_changes_are_kept_as_they_are():
    change = {"content": "new words", "version": 2}
    kept = abridged(change, canonical(change), at=iso(NOW))
    assert kept == canonical(change)
    assert unabridged(kept, memory_id="m-1", scope=Scope(), at=iso(NOW)) == change


@pytest.mark.parametrize("text", ["", "+", "+{", "{broken", "nothing"])
def test_a_text_that_is_none_is_refused(text):
    with pytest.raises(ValueError):
        unabridged(text, memory_id="m-1", scope=Scope(), at=iso(NOW))
