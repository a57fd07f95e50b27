"""Which part of a JSON value a pointer means."""

import pytest

from perdure.domain.pointers import parts_of, pointer_to, resolve
from perdure.errors import InvalidInput, NotFound

# RFC 6901, section 5
DOCUMENT = {
    "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6,
    " ": 7, "m~n": 8,
}  # fmt: skip


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1),
        ("/c%d", 2), ("/e^f", 3), ("/g|h", 4), ("/i\\j", 5), ('/k"l', 6), ("/ ", 7), ("/m~0n", 8),
    ],
)  # fmt: skip
def test_the_examples_of_the_standard(pointer, value):
    assert resolve(DOCUMENT, pointer) == value


def test_escapes_are_undone_once_and_in_order():
    assert parts_of("/~01/~10") == ("~1", "/0")
    assert pointer_to("~1", "/0", "", "名") == "/~01/~10//名"
    assert parts_of(pointer_to("~", "/", "~~//")) == ("~", "/", "~~//")


@pytest.mark.parametrize("pointer", ["foo", "/a~", "/a~2", "#/foo", None, 1, b"/a", ["foo"]])
def test_what_is_no_pointer_is_refused(pointer):
    with pytest.raises(InvalidInput):
        parts_of(pointer)


@pytest.mark.parametrize(
    "pointer",
    ["/no", "/foo/2", "/foo/-", "/foo/00", "/foo/+1", "/foo/１", "/foo/x", "/foo/0/b", "//a"],
)
def test_what_is_not_there_is_not_found(pointer):
    with pytest.raises(NotFound):
        resolve(DOCUMENT, pointer)
