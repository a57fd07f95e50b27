"""Ids that sort by time."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.identity import ENTROPY_BYTES, uuid7

NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)
entropies = st.binary(min_size=ENTROPY_BYTES, max_size=ENTROPY_BYTES)


def test_the_example_of_the_standard():
    # RFC 9562, appendix A.6: 2022-02-22T19:22:22Z, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
    moment = datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC)
    bits = 0xCC3 << 62 | 0x18C4DC0C0C07398F
    assert uuid7(moment, bits.to_bytes(10, "big")) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@given(entropies)
def test_an_id_is_a_version_7_uuid_in_canonical_form(entropy):
    text = uuid7(NOON, entropy)
    assert str(UUID(text)) == text
    assert UUID(text).version == 7
    assert UUID(text).variant == "specified in RFC 4122"


@given(entropies, entropies, st.integers(1, 10**12))
def test_ids_sort_by_the_millisecond(one, other, millis):
    assert uuid7(NOON, one) < uuid7(NOON + timedelta(milliseconds=millis), other)


@given(entropies, entropies)
def test_entropy_orders_the_ids_of_a_millisecond(one, other):
    def counted(entropy):
        return int.from_bytes(entropy, "big") % 2**74

    first, second = uuid7(NOON, one), uuid7(NOON, other)
    assert (first < second) == (counted(one) < counted(other))


def test_a_moment_before_1970_gives_the_smallest_ids():
    assert uuid7(datetime(1969, 1, 1, tzinfo=UTC), bytes(10)).startswith("00000000-0000-7")
