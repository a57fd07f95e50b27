"""Adding steps to a task and moving them along."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum

from perdure.domain.records import Json
from perdure.domain.text import shown
from perdure.domain.times import iso
from perdure.domain.working import StepState, Task, Tree
from perdure.domain.working_tree import state_named
from perdure.errors import InvalidInput, NotFound

_NUMBER = re.compile("[0-9]{1,9}")
_SHAPE = {"id": None, "title": None, "state": StepState.PENDING}


class Unset(Enum):
    """What stands for "leave it as it is", where None is a value."""

    UNSET = "unset"


UNSET = Unset.UNSET


def new_steps(steps: object, taken: Iterable[str], now: datetime) -> list[Json]:
    """Steps as the tree holds them; each is given as a title, or as an object with `title`.

    Those without an id get the next number.
    """
    if isinstance(steps, str | bytes | Mapping) or not isinstance(steps, Iterable):
        raise InvalidInput(f"steps are a list of titles, not {shown(steps)}")
    given = [_as_object(step) for step in steps]
    ids = {*taken, *(str(step["id"]) for step in given if "id" in step)}
    numbers = (int(name) for name in ids if _NUMBER.fullmatch(name))
    number = 1 + max(numbers, default=0)
    made: list[Json] = []
    for step in given:
        if "id" not in step:
            step["id"] = str(number)
            number += 1
        made.append({**_SHAPE, "changed_at": iso(now), **step})
    return made


def _as_object(step: object) -> dict[str, Json]:
    if isinstance(step, str):
        return {"title": step}
    if isinstance(step, Mapping):
        return dict(step)
    raise InvalidInput(f"a step is a title, or an object with one, not {shown(step)}")


def with_step(
    task: Task,
    step_id: object,
    state: object,
    *,
    reason: object = UNSET,
    result: Json | Unset = UNSET,
    importance: object = UNSET,
    now: datetime,
) -> Tree:
    """The tree with one step in another state, or with more said about it.

    A reason belongs to the state it was given for: another state drops it.
    """
    steps = list(task.tree["steps"])
    at = next((n for n, step in enumerate(task.steps) if step.id == step_id), None)
    if at is None:
        raise NotFound(f"task {shown(task.name)} has no step {shown(step_id)}")
    before, named = task.steps[at], state_named(state)
    step = dict(steps[at])
    if named is not before.state:
        step |= {"state": named.value, "changed_at": iso(now)}
        step.pop("reason", None)
    for name, value in (("reason", reason), ("result", result), ("importance", importance)):
        if value is None:
            step.pop(name, None)
        elif value is not UNSET:
            step[name] = value
    steps[at] = step
    return {**task.tree, "steps": steps}
