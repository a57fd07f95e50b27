"""Ids that sort by time."""

from __future__ import annotations

from datetime import datetime

from perdure.domain.times import to_micros

ENTROPY_BYTES = 10
_RANDOM_MASK = (1 << 74) - 1


def uuid7(moment: datetime, entropy: bytes) -> str:
    """A UUID version 7 as text: 48 bits of milliseconds, then 74 bits of `entropy`.

    `entropy` must hold ENTROPY_BYTES bytes, of which the last 74 bits count; as big-endian
    numbers they order the ids of one millisecond. The caller chooses where they come from.

    Source: RFC 9562, section 5.7.
    """
    millis = max(0, to_micros(moment) // 1000) & 0xFFFFFFFFFFFF
    bits = int.from_bytes(entropy, "big") & _RANDOM_MASK
    rand_a = bits >> 62
    rand_b = bits & 0x3FFFFFFFFFFFFFFF
    text = f"{millis << 80 | 0x7 << 76 | rand_a << 64 | 0b10 << 62 | rand_b:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
