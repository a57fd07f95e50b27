"""Reading JSON piece by piece gives what reading it whole gives."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.importers import entries
from perdure.importers.entries import entries_of, layout_of
from perdure.importers.turns import Entry, LeftOut

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def array(data: bytes) -> list[Entry | LeftOut]:
    return list(entries_of(io.BytesIO(data), "array"))


@given(values=st.lists(JSON), chunk=st.integers(1, 9), spaced=st.booleans(), escaped=st.booleans())
def test_an_array_read_in_pieces_is_the_array(
    values: list[Any], chunk: int, spaced: bool, escaped: bool
) -> None:
    text = json.dumps(values, indent=1 if spaced else None, ensure_ascii=escaped)
    data = text.encode("utf-8", "surrogatepass" if escaped else "replace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "CHUNK_BYTES", chunk)
        found = array(data)
    assert [entry.value for entry in found if isinstance(entry, Entry)] == json.loads(data)
    assert [entry.place for entry in found] == [f"entry {n + 1}" for n in range(len(values))]


def test_an_array_that_breaks_off_gives_what_came_before() -> None:
    found = array(b'[{"a": 1}, {"a": 2}, {"a": ')
    assert [type(entry) for entry in found] == [Entry, Entry, LeftOut]
    assert found[2].place == "entry 3"


def test_an_array_without_its_end_is_reported() -> None:
    assert [type(entry) for entry in array(b'[{"a": 1}')] == [Entry, LeftOut]


def test_damage_is_found_without_reading_the_rest() -> None:
    class Endless(io.RawIOBase):
        """The rest of the file is larger than anybody's memory."""

        asked = 0

        def read(self, size: int = -1) -> bytes:
            self.asked += 1
            assert self.asked < 20, "it reads on and on"
            return b'[{"a": oops}, ' if self.asked == 1 else b"1, " * (size // 3 + 1)

    found = list(entries_of(Endless(), "array"))  # type: ignore[arg-type]
    assert [type(entry) for entry in found] == [LeftOut]


def test_nesting_beyond_reason_is_reported() -> None:
    assert [type(entry) for entry in array(b"[" * 100_000)] == [LeftOut]


def test_damaged_bytes_are_reported() -> None:
    found = array(b'[{"a": 1}, "\xff\xfe"]')
    assert isinstance(found[-1], LeftOut)


def test_each_line_stands_for_itself() -> None:
    data = b'{"a": 1}\n\n{oops\n"\xff"\n{"a": 2}'
    found = list(entries_of(io.BytesIO(data), "lines"))
    assert [(entry.place, type(entry)) for entry in found] == [
        ("line 1", Entry),
        ("line 3", LeftOut),
        ("line 4", LeftOut),
        ("line 5", Entry),
    ]


@pytest.mark.parametrize(
    ("data", "layout"),
    [
        (b"[]", "array"),
        (b"\xef\xbb\xbf\n [1]", "array"),
        (b'{"a": 1}', "lines"),
        (b'{"a": 1}\n{"a": 2}', "lines"),
        (b'{oops\n{"a": 2}', "lines"),
        (b'{\n "a": 1\n}', "object"),
    ],
)
def test_the_layout_is_told_from_the_beginning(data: bytes, layout: str) -> None:
    assert layout_of(io.BytesIO(data), "x") == layout
