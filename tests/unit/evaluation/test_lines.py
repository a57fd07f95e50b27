"""Labelled files are read with errors that name the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.errors import InvalidInput, NotFound
from perdure.evaluation.lines import Fields, aware, bytes_of, lines_of, read_items


def read(*lines: str) -> list[str]:
    return read_items(lines, lambda fields: fields.text("word"))


def test_blank_lines_are_passed_over() -> None:
    assert read('{"id": "a", "word": "x"}', "", '{"id": "b", "word": "y"}', "") == ["x", "y"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: "),
        ("[1]", "line 2: it is not a JSON object"),
        ('{"id": "b"}', 'line 2: it has no "word"'),
        ('{"id": "b", "word": 3}', 'line 2: "word" is not text'),
        ('{"id": "a", "word": "x"}', "line 2: its id is that of line 1"),
        ('{"word": "x"}', 'line 2: it has no "id"'),
    ],
)
def test_a_line_that_is_no_item_is_named(line: str, message: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read('{"id": "a", "word": "x"}', line)
    assert message in str(raised.value)


def test_a_file_without_items_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no items"):
        read("", " ")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda f: f.text("t", of=("a", "b")), "none of a, b"),
        (lambda f: f.texts("t"), "not a list"),
        (lambda f: f.texts("mixed"), "not text"),
        (lambda f: f.texts("words", of=("a",)), "other than a"),
        (lambda f: f.whole("flag"), "not a whole number"),
        (lambda f: f.whole("n", least=4), "from 4 up"),
        (lambda f: f.wholes("words"), "not two whole numbers"),
        (lambda f: f.spans("words"), "a start and an end"),
        (lambda f: f.spans("empty"), "is empty"),
        (lambda f: f.moments("words"), "Invalid isoformat"),
        (lambda f: f.moments("empty"), "not two times"),
        (lambda f: f.part("t"), "not an object"),
    ],
)
def test_a_field_must_be_what_it_is_read_as(ask, message: str) -> None:  # type: ignore[no-untyped-def]
    fields = Fields(
        {"t": "c", "mixed": ["a", 1], "words": ["a", "b"], "flag": True, "n": 3, "empty": []}
    )
    with pytest.raises((TypeError, ValueError)) as raised:
        ask(fields)
    assert message in str(raised.value)


def test_a_missing_and_a_null_field_are_the_same_where_it_may_lack() -> None:
    fields = Fields({"null": None})
    assert fields.optional_text("null") is None
    assert fields.optional_text("missing") is None
    assert fields.texts("null", may_lack=True) == ()


def test_an_interval_does_not_end_before_it_begins() -> None:
    times = ["2031-01-02T00:00:00+00:00", "2031-01-01T00:00:00+00:00"]
    with pytest.raises(ValueError, match="ends before"):
        Fields({"i": times}).moments("i")


def test_a_time_needs_an_offset() -> None:
    with pytest.raises(ValueError, match="no offset"):
        aware("2031-01-02T00:00:00")


def test_a_missing_file_and_one_that_is_no_text_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file"):
        lines_of(tmp_path / "none.jsonl")
    with pytest.raises(InvalidInput, match="cannot be read"):
        bytes_of(tmp_path)
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        lines_of(binary)


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "marked.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "word": "x"}\r\n')
    assert read(*lines_of(path)) == ["x"]
