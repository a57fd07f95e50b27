"""Working memory: one task's goal, plan, steps and intermediate results, as a tree.

The tree is a JSON object with five members, all of which are always there:

    goal     text, or null
    plan     text, or null
    steps    [{"id", "title", "state"}, …], each with "reason", "result", "importance" and
             "changed_at" where they are set
    results  {name: any JSON value}
    marks    {path: importance}, what is worth an episode when the task ends
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

from perdure.domain.records import Json, Memory
from perdure.domain.scope import Scope
from perdure.errors import Conflict

Tree = dict[str, Any]
TaskOutcome = Literal["done", "failed", "abandoned"]
OUTCOMES: tuple[TaskOutcome, ...] = ("done", "failed", "abandoned")


def empty_tree() -> Tree:
    """The tree of a task of which nothing is known."""
    return {"goal": None, "plan": None, "steps": [], "results": {}, "marks": {}}


class StepState(StrEnum):
    """How far a step is."""

    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


TRANSITIONS: Mapping[StepState, frozenset[StepState]] = {
    StepState.PENDING: frozenset(set(StepState) - {StepState.PENDING}),
    StepState.ACTIVE: frozenset(set(StepState) - {StepState.ACTIVE}),
    StepState.DONE: frozenset({StepState.ACTIVE}),
    StepState.FAILED: frozenset({StepState.PENDING, StepState.ACTIVE, StepState.SKIPPED}),
    StepState.SKIPPED: frozenset({StepState.PENDING, StepState.ACTIVE}),
}
"""What a step may become. What was done is taken up again before it can fail; what failed is tried
again before it can be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a plan. `importance`, when it has one, is worth an episode at the end."""

    id: str
    title: str
    state: StepState = StepState.PENDING
    reason: str | None = None
    result: Json = None
    importance: float | None = None
    changed_at: datetime | None = None

    def __hash__(self) -> int:
        return hash((self.id, self.state))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How large a tree may grow: bytes as JSON in UTF-8, levels of nesting, steps."""

    bytes: int
    depth: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """How a task is being finished, settled before anything is promoted."""

    outcome: TaskOutcome
    summary: str | None
    at: datetime
    actor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskKey:
    """Which task: a name inside exactly one scope. Names are opaque, as the parts of scopes are."""

    scope: Scope
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task as it stands at one version.

    `version` counts its changes from 1. It is gone at `expires_at`: `until` when that was set,
    otherwise some time after its last change. `steps` are read from the tree. `outcome` is None
    while it is worked on. Then the tree is empty and `episodes` are the ids of what was promoted.
    `run` tells two tasks apart that had the same name one after the other.
    """

    key: TaskKey
    run: str
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    until: datetime | None = None
    tree: Tree = field(default_factory=empty_tree)
    steps: tuple[Step, ...] = ()
    closing: Closing | None = None
    episodes: tuple[str, ...] | None = None

    def __hash__(self) -> int:
        return hash((self.run, self.version))

    @property
    def name(self) -> str:
        """What it is called in its scope."""
        return self.key.name

    @property
    def scope(self) -> Scope:
        """Whose it is."""
        return self.key.scope

    @property
    def goal(self) -> str | None:
        """What is to be reached."""
        goal: str | None = self.tree["goal"]
        return goal

    @property
    def plan(self) -> str | None:
        """How, in words."""
        plan: str | None = self.tree["plan"]
        return plan

    @property
    def results(self) -> dict[str, Json]:
        """Intermediate results by name."""
        results: dict[str, Json] = self.tree["results"]
        return results

    @property
    def marks(self) -> dict[str, float]:
        """Paths that are worth an episode at the end, and how important they are."""
        marks: dict[str, float] = self.tree["marks"]
        return marks

    @property
    def outcome(self) -> TaskOutcome | None:
        """How it ended; None while it is worked on."""
        return None if self.closing is None else self.closing.outcome

    @property
    def is_finished(self) -> bool:
        """Whether it ended and all that was to be kept is kept."""
        return self.episodes is not None

    def step(self, step_id: str) -> Step | None:
        """The step of that id."""
        return next((step for step in self.steps if step.id == step_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTask:
    """The answer to `finish`: how the task ended, and the episodes that are left of it.

    The first episode tells the outcome. `repeated`: it had been finished before.
    """

    task: str
    outcome: TaskOutcome
    episodes: tuple[Memory, ...]
    repeated: bool = False


def require_open(task: Task) -> None:
    """Refuse to change a task that ended, with what to do instead."""
    if task.is_finished:
        raise Conflict(
            f"task {task.name!r} was finished ({task.outcome}); begin() starts one of that name anew"
        )
    if task.closing is not None:
        raise Conflict(
            f"task {task.name!r} is being finished ({task.outcome}) and takes no more edits; "
            "finish() once more completes that"
        )


def expiry(now: datetime, until: datetime | None, idle: timedelta) -> datetime:
    """When a task changed now is gone, in whole milliseconds, which every store can keep."""
    try:
        moment = now + idle if until is None else until
    except OverflowError:
        moment = datetime.max.replace(tzinfo=now.tzinfo)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
