"""Editing a task's tree: one place, or many at once by JSON Patch. Nothing here changes its input.

Source of the operations: RFC 6902.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from perdure.domain.filters import json_value
from perdure.domain.pointers import END, Parts, child, index_in, nothing_at, parts_of, resolve
from perdure.domain.records import Json
from perdure.domain.text import sanitise, shown
from perdure.domain.working import Limits, Tree
from perdure.domain.working_steps import UNSET
from perdure.domain.working_tree import as_text, depth_of, require_size
from perdure.errors import Conflict, InvalidInput, NotFound, PerdureError

_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "add": ("value",),
    "remove": (),
    "replace": ("value",),
    "move": ("from",),
    "copy": ("from",),
    "test": ("value",),
}


def put(tree: Json, pointer: str, value: Json) -> Json:
    """The tree with this value there: a member is added or replaced, an item replaced.

    A path ending in `/-` appends to an array. `NotFound` when what would hold it is not there.
    """
    return _put(tree, parts_of(pointer), value, pointer)


def _put(node: Json, parts: Parts, value: Json, pointer: str) -> Json:
    if not parts:
        return value
    first, rest = parts[0], parts[1:]
    if isinstance(node, dict):
        inner = child(node, first, pointer) if rest else None
        return {**node, first: _put(inner, rest, value, pointer)}
    if not isinstance(node, list):
        raise nothing_at(pointer)
    if first == END and not rest:
        return [*node, value]
    at = index_in(node, first, pointer)
    return [*node[:at], _put(node[at], rest, value, pointer), *node[at + 1 :]]


def without(tree: Json, pointer: str) -> Json:
    """The tree without what is there. `NotFound` when nothing is."""
    parts = parts_of(pointer)
    if not parts:
        raise InvalidInput("the whole tree cannot be removed; discard() ends the task")
    return _without(tree, parts, pointer)


def _without(node: Json, parts: Parts, pointer: str) -> Json:
    first, rest = parts[0], parts[1:]
    inner = child(node, first, pointer)
    if isinstance(node, dict):
        if rest:
            return {**node, first: _without(inner, rest, pointer)}
        return {name: item for name, item in node.items() if name != first}
    at = index_in(node, first, pointer)
    kept = [_without(inner, rest, pointer)] if rest else []
    return [*node[:at], *kept, *node[at + 1 :]]


def marked(tree: Tree, pointer: str, importance: object) -> Tree:
    """The tree with a mark on a place; None takes it away, and unset leaves what is."""
    if importance is UNSET:
        return tree
    others = {path: mark for path, mark in tree["marks"].items() if path != pointer}
    marks = others if importance is None else {**others, pointer: importance}
    return {**tree, "marks": marks}


def operations_of(operations: object) -> list[dict[str, Any]]:
    """A JSON Patch in checked form; `InvalidInput` names the operation at fault."""
    if isinstance(operations, str | bytes | Mapping) or not isinstance(operations, Iterable):
        raise InvalidInput(
            'a patch is a list of operations such as {"op": "add", "path": "/results/city", '
            f'"value": "Graz"}}, not {shown(operations)}'
        )
    return [_operation(item, f"operation {number}") for number, item in enumerate(operations)]


def _operation(item: object, where: str) -> dict[str, Any]:
    if not isinstance(item, Mapping):
        raise InvalidInput(f"{where} must be an object with op and path, not {shown(item)}")
    name = item.get("op")
    if not isinstance(name, str) or name not in _MEMBERS:
        raise InvalidInput(
            f"{where}: {shown(name)} is no operation; they are {', '.join(_MEMBERS)}"
        )
    missing = [member for member in ("path", *_MEMBERS[name]) if member not in item]
    if missing:
        raise InvalidInput(f"{where}: {name} needs {' and '.join(missing)}")
    made: dict[str, Any] = {"op": name}
    for member in ("path", *_MEMBERS[name]):
        given = item[member]
        made[member] = json_value(given, name=where) if member == "value" else _path(given, where)
    return made


def _path(pointer: object, where: str) -> str:
    try:
        parts_of(pointer)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    return sanitise(str(pointer))


def patched(tree: Tree, operations: Iterable[Mapping[str, Any]], limits: Limits) -> Json:
    """The tree after all operations of `operations_of`, in order.

    `Conflict` when a test fails, `NotFound` when a path leads nowhere. A patch whose middle would
    exceed the limits is refused there: copies of copies grow faster than any list of values.
    """
    after: Json = copy.deepcopy(tree)
    for number, operation in enumerate(operations):
        try:
            after = _applied(after, operation, limits)
        except PerdureError as error:
            raise type(error)(f"operation {number}: {error}") from error
    return after


def _applied(tree: Json, operation: Mapping[str, Any], limits: Limits) -> Json:
    name, path = operation["op"], operation["path"]
    if name == "test":
        _test(tree, path, operation["value"])
        return tree
    if name == "remove":
        return without(tree, path)
    value = resolve(tree, operation["from"]) if "from" in operation else operation["value"]
    if len(parts_of(path)) + depth_of(value) > limits.depth:
        raise InvalidInput(
            f"{shown(path)} would be nested deeper than {limits.depth} levels "
            "(settings.working_depth). Flatten the value, or keep it as text"
        )
    after = _by_library(tree, operation)
    if name == "copy":
        require_size(after, limits)
    return after


def _test(tree: Json, path: str, value: Json) -> None:
    # Not left to the library, whose older versions take 1 and true for equal.
    try:
        found = resolve(tree, path)
    except NotFound as error:
        raise Conflict(f"the test failed: {error}") from None
    if not same_json(found, value):
        raise Conflict(f"the test failed: {shown(path)} holds something else by now; read it again")


def _by_library(tree: Json, operation: Mapping[str, Any]) -> Json:
    import jsonpatch  # loads half a megabyte that few programs use

    try:
        return jsonpatch.apply_patch(tree, [dict(operation)], in_place=True)
    except jsonpatch.InvalidJsonPatch:
        raise InvalidInput(
            f"{operation['op']} cannot be applied to {shown(operation['path'])}"
        ) from None
    except jsonpatch.JsonPatchConflict:
        if _is_below(operation):
            raise InvalidInput("a value cannot be moved into itself") from None
        raise nothing_at(operation["path"]) from None
    except jsonpatch.JsonPointerException:
        raise nothing_at(operation["path"]) from None


def _is_below(operation: Mapping[str, Any]) -> bool:
    """Whether a move's target lies inside what is moved."""
    if operation["op"] != "move":
        return False
    source, target = parts_of(operation["from"]), parts_of(operation["path"])
    return target[: len(source)] == source


def same_json(one: Json, other: Json) -> bool:
    """Equality as JSON has it: the order of members is nothing, 1 is 1.0, and true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return bool(one == other)


def is_unchanged(before: Tree, after: Tree) -> bool:
    """Whether two trees are written alike, the order of their members included."""
    return as_text(before) == as_text(after)
