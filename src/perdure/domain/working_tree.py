"""What a task's tree must look like, whichever way it was edited."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from perdure.domain.filters import MAX_NESTING, json_value
from perdure.domain.pointers import parts_of, pointer_to, resolve
from perdure.domain.records import Json
from perdure.domain.text import is_blank, shown
from perdure.domain.times import as_utc
from perdure.domain.working import (
    TRANSITIONS,
    Limits,
    Step,
    StepState,
    Tree,
    empty_tree,
)
from perdure.errors import InvalidInput, NotFound

_STEP_MEMBERS = {"id", "title", "state", "reason", "result", "importance", "changed_at"}
MAX_DEPTH = MAX_NESTING


def checked_tree(tree: object, limits: Limits) -> tuple[Tree, tuple[Step, ...]]:
    """The tree in storable form and its steps, or `InvalidInput` with what to mend.

    Members left out get their empty values. Marks on what is no longer there are dropped.
    """
    clean = json_value(tree, name="task")
    if not isinstance(clean, dict):
        raise InvalidInput(f"the tree of a task is an object, not {shown(tree)}")
    unknown = clean.keys() - empty_tree().keys()
    if unknown:
        raise InvalidInput(
            f"a task has no {', '.join(map(shown, sorted(unknown)))}, only "
            f"{', '.join(empty_tree())}; anything of your own goes below /results"
        )
    whole = {**empty_tree(), **clean}
    for name in ("goal", "plan"):
        _require_text(whole[name], f"/{name}", optional=True)
    if not isinstance(whole["results"], dict):
        raise InvalidInput("/results must be an object: a name for each result")
    steps = steps_of(whole["steps"], limits)
    whole["marks"] = _marks(whole)
    require_size(whole, limits)
    return whole, steps


def require_size(tree: Tree, limits: Limits) -> None:
    """Refuse a tree that is too deep or too large, and say how to make it smaller."""
    deep = depth_of(tree)
    if deep > limits.depth:
        raise InvalidInput(
            f"the task would be nested {deep} levels deep; the limit is {limits.depth} "
            "(settings.working_depth). Flatten the value, or keep it as text"
        )
    size = len(as_text(tree).encode("utf-8"))
    if size > limits.bytes:
        raise InvalidInput(
            f"the task would take {size:,} bytes; the limit is {limits.bytes:,} "
            "(settings.working_bytes). Remove results no longer needed, or keep large ones "
            "elsewhere and store a reference"
        )


def as_text(value: Json) -> str:
    """JSON text with the members in their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def depth_of(value: Json) -> int:
    """How many levels of objects and arrays a JSON value has; 0 for a plain value."""
    deepest, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        deepest += 1
        level = [inner for item in level for inner in _inside(item)]
    return deepest


def _inside(value: Any) -> Iterable[Json]:
    return value.values() if isinstance(value, dict) else value


def steps_of(items: object, limits: Limits) -> tuple[Step, ...]:
    """The steps a list of objects describes, or `InvalidInput` naming the one at fault."""
    if not isinstance(items, list):
        raise InvalidInput("/steps must be an array of steps")
    if len(items) > limits.steps:
        raise InvalidInput(
            f"the task would have {len(items)} steps; the limit is {limits.steps} "
            "(settings.working_steps). Remove steps that are done, or give a part of the work a "
            "task of its own"
        )
    steps = tuple(_step(item, f"/steps/{position}") for position, item in enumerate(items))
    seen: set[str] = set()
    for step in steps:
        if step.id in seen:
            raise InvalidInput(f"two steps have the id {shown(step.id)}; ids are unique")
        seen.add(step.id)
    return steps


def _step(item: object, where: str) -> Step:
    if not isinstance(item, dict):
        raise InvalidInput(f"{where} must be an object with id, title and state")
    unknown = item.keys() - _STEP_MEMBERS
    if unknown:
        raise InvalidInput(
            f"{where}: a step has no {', '.join(map(shown, sorted(unknown)))}, only "
            f"{', '.join(sorted(_STEP_MEMBERS))}; what it found out belongs in its result"
        )
    for name in ("id", "title"):
        _require_text(item.get(name), f"{where}/{name}")
    state = state_named(item.get("state", StepState.PENDING), f"{where}/state")
    _require_text(item.get("reason"), f"{where}/reason", optional=state is not StepState.FAILED)
    changed_at: datetime | None = None
    if item.get("changed_at") is not None:
        changed_at = as_utc(item["changed_at"], name=f"{where}/changed_at")
    importance = item.get("importance")
    return Step(
        id=item["id"],
        title=item["title"],
        state=state,
        reason=item.get("reason"),
        result=item.get("result"),
        importance=None if importance is None else importance_of(importance, where),
        changed_at=changed_at,
    )


def state_named(state: object, where: str = "state") -> StepState:
    """The state of that name."""
    if isinstance(state, str) and state in set(StepState):
        return StepState(state)
    raise InvalidInput(f"{where}: {shown(state)} is no state; they are {', '.join(StepState)}")


def importance_of(value: object, where: str = "importance") -> float:
    """A number above 0 and at most 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise InvalidInput(
            f"{where}: an importance is a number above 0 and up to 1, not {shown(value)}"
        )
    return float(value)


def require_transitions(before: Iterable[Step], after: Iterable[Step]) -> None:
    """Refuse a step that would leap from one state to another it cannot be reached from."""
    states = {step.id: step.state for step in before}
    for step in after:
        was = states.get(step.id, step.state)
        if step.state is not was and step.state not in TRANSITIONS[was]:
            allowed = ", ".join(state for state in StepState if state in TRANSITIONS[was])
            raise InvalidInput(
                f"step {shown(step.id)} is {was} and cannot become {step.state}; "
                f"from {was} it can become {allowed}"
            )


def _require_text(value: object, where: str, *, optional: bool = False) -> None:
    if value is None and optional:
        return
    if not isinstance(value, str) or is_blank(value):
        raise InvalidInput(f"{where} must be text that is not blank, not {shown(value)}")


def _marks(tree: Mapping[str, Any]) -> dict[str, float]:
    marks = tree["marks"]
    if not isinstance(marks, dict):
        raise InvalidInput("/marks must be an object: an importance for each path")
    kept: dict[str, float] = {}
    for path, importance in marks.items():
        pointer = pointer_to(*markable(path))
        value = importance_of(importance, f"the mark on {shown(path)}")
        try:
            resolve(tree, pointer)
        except NotFound:
            continue  # what it marked was removed since
        kept[pointer] = value
    return kept


def markable(path: object) -> tuple[str, ...]:
    """The parts of a path that may be marked: the plan, or something in the results."""
    parts = parts_of(path)
    if parts == ("plan",) or (len(parts) > 1 and parts[0] == "results"):
        return parts
    raise InvalidInput(
        f"{shown(path)} cannot be marked as important, only /plan and what is below /results; "
        "a step takes an importance of its own, and the goal is always kept"
    )
