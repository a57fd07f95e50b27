"""Edits of a task's tree: what they give, and that their input stays as it was."""

import copy

import pytest

from perdure.domain.working import Limits
from perdure.domain.working_edits import operations_of, patched, put, same_json, without
from perdure.domain.working_tree import depth_of
from perdure.errors import Conflict, NotFound

ROOMY = Limits(bytes=10_000, depth=20, steps=10)


def patch(document, *operations):
    before = copy.deepcopy(document)
    after = patched(document, operations_of(operations), ROOMY)
    assert document == before
    return after


# RFC 6902, appendix A
@pytest.mark.parametrize(
    ("document", "operation", "after"),
    [
        ({"foo": "bar"}, {"op": "add", "path": "/baz", "value": "qux"}, {"baz": "qux", "foo": "bar"}),
        ({"foo": ["a", "b"]}, {"op": "add", "path": "/foo/1", "value": "q"}, {"foo": ["a", "q", "b"]}),
        ({"baz": "q", "foo": "bar"}, {"op": "remove", "path": "/baz"}, {"foo": "bar"}),
        ({"foo": ["a", "q", "b"]}, {"op": "remove", "path": "/foo/1"}, {"foo": ["a", "b"]}),
        ({"baz": "q", "foo": 1}, {"op": "replace", "path": "/baz", "value": "b"}, {"baz": "b", "foo": 1}),
        (
            {"foo": {"bar": 1, "waldo": 2}, "qux": {"c": 3}},
            {"op": "move", "from": "/foo/waldo", "path": "/qux/thud"},
            {"foo": {"bar": 1}, "qux": {"c": 3, "thud": 2}},
        ),
        ({"foo": [1, 2, 3, 4]}, {"op": "move", "from": "/foo/1", "path": "/foo/3"}, {"foo": [1, 3, 4, 2]}),
        ({"foo": 1}, {"op": "add", "path": "/child", "value": {"g": {}}}, {"foo": 1, "child": {"g": {}}}),
        ({"foo": 1}, {"op": "add", "path": "/baz", "value": 2, "xyz": 3}, {"foo": 1, "baz": 2}),
        ({"/": 9, "~1": 10}, {"op": "test", "path": "/~01", "value": 10}, {"/": 9, "~1": 10}),
        ({"foo": ["a"]}, {"op": "add", "path": "/foo/-", "value": ["b"]}, {"foo": ["a", ["b"]]}),
    ],
)  # fmt: skip
def test_the_examples_of_the_standard(document, operation, after):
    assert patch(document, operation) == after


@pytest.mark.parametrize(
    ("document", "operation", "error"),
    [
        ({"baz": "qux"}, {"op": "test", "path": "/baz", "value": "bar"}, Conflict),
        ({"foo": "bar"}, {"op": "add", "path": "/baz/bat", "value": "qux"}, NotFound),
        ({"/": 9, "~1": 10}, {"op": "test", "path": "/~01", "value": "10"}, Conflict),
    ],
)
def test_the_errors_of_the_standard(document, operation, error):
    with pytest.raises(error, match="operation 0"):
        patch(document, operation)


def test_a_copy_is_one_of_its_own():
    after = patch(
        {"a": {"n": [1]}},
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "add", "path": "/b/n/-", "value": 2},
    )
    assert after == {"a": {"n": [1]}, "b": {"n": [1, 2]}}


def test_putting_and_removing_leave_their_input_alone():
    tree = {"results": {"a": [1, {"b": 2}]}, "goal": None}
    before = copy.deepcopy(tree)
    assert put(tree, "/results/a/1/b", 3)["results"] == {"a": [1, {"b": 3}]}
    assert put(tree, "/results/a/-", 3)["results"] == {"a": [1, {"b": 2}, 3]}
    assert without(tree, "/results/a/0")["results"] == {"a": [{"b": 2}]}
    assert without(tree, "/results/a/1/b")["results"] == {"a": [1, {}]}
    assert tree == before


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True), (1, True, False), (0, False, False), (None, False, False), ("1", 1, False),
        ([1, 2], [2, 1], False), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), ([True], [1], False),
        ({"a": 1}, {"a": 1, "b": None}, False), ([], {}, False), (2**60, 2.0**60, True),
    ],
)  # fmt: skip
def test_equality_is_that_of_json(one, other, equal):
    assert same_json(one, other) is equal
    assert same_json(other, one) is equal


@pytest.mark.parametrize(
    ("value", "depth"), [(1, 0), ([], 1), ({"a": 1}, 1), ({"a": [1, [2]]}, 3), ([[], [[[]]]], 4)]
)
def test_depth_counts_objects_and_arrays(value, depth):
    assert depth_of(value) == depth
