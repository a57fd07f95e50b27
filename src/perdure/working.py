"""One task's working memory, as callers see it: `memory.working(task)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from perdure.domain.pointers import parts_of, pointer_to, resolve
from perdure.domain.records import Json
from perdure.domain.results import RecalledText
from perdure.domain.scope import Scope
from perdure.domain.text import sanitise
from perdure.domain.working import FinishedTask, StepState, Task, TaskOutcome
from perdure.domain.working_codec import snapshot_of, tree_in
from perdure.domain.working_edits import marked, operations_of, patched, put, without
from perdure.domain.working_steps import UNSET, Unset, new_steps, with_step
from perdure.domain.working_tree import markable
from perdure.engine import working, working_finishing, working_prompt
from perdure.engine.asking import limit_of
from perdure.engine.core import Core
from perdure.engine.drafts import Moment, flag
from perdure.engine.gate import Gate
from perdure.engine.working import Edit
from perdure.errors import InvalidInput
from perdure.running import Portal


class AsyncWorking:
    """One task: its goal, plan, steps and intermediate results, for as long as it takes.

    Every edit is atomic and gives back the task as it is then. With `expected_version` it is made
    on that version or refused as `Conflict`; without, on whatever version is there. `NotFound`
    when there is no such task in the scope, `InvalidInput` when it would break a rule or exceed a
    limit, `Unavailable` when the tasks are kept on a server that is out of reach. A refused call
    changes nothing.
    """

    def __init__(self, core: Core, gate: Gate, task: str, scope: Scope) -> None:
        self._core = core
        self._gate = gate
        self._key = working.key_for(scope, task)

    @contextmanager
    def _inside(self) -> Iterator[datetime]:
        self._gate.enter()
        try:
            yield self._core.now()
        finally:
            self._gate.leave()

    async def _edit(self, change: Edit, expected_version: int | None) -> Task:
        with self._inside() as now:
            return await working.edit(
                self._core, self._key, change, expected=expected_version, now=now
            )

    async def begin(
        self,
        goal: str | None = None,
        *,
        plan: str | None = None,
        steps: Iterable[str | Mapping[str, Json]] = (),
        expires_at: Moment | timedelta | None = None,
        resume: bool = False,
    ) -> Task:
        """Start the task. `Conflict` when it is under way; with `resume` that one is the answer.

        Steps are titles, or objects with `title` and whatever else a step has. The task is gone at
        `expires_at` (a moment, or a time from now); without one, `settings.working_idle_hours`
        after its last change.
        """
        with self._inside() as now:
            tree = working.fresh_tree(goal, plan, new_steps(steps, (), now))
            return await working.begin(
                self._core,
                self._key,
                tree,
                until=working.until_of(expires_at, now),
                resume=flag(resume, "resume"),
                now=now,
            )

    async def get(self) -> Task:
        """The task as it stands: its version, goal, plan, steps and results."""
        with self._inside() as now:
            return await working.require(self._core, self._key, now)

    async def read(self, path: str = "") -> Json:
        """The value at a path (JSON Pointer, such as `/results/city`); the whole tree at "".

        `NotFound` when there is nothing.
        """
        with self._inside() as now:
            parts_of(path)
            return resolve((await working.require(self._core, self._key, now)).tree, path)

    async def set(self, path: str, value: Json, *, expected_version: int | None = None) -> Task:
        """Put a JSON value at a path: a member is added or replaced, an item replaced, and a path
        that ends in `/-` appends. `NotFound` when what would hold it is not there."""
        return await self._edit(lambda task: put(task.tree, path, value), expected_version)

    async def remove(self, path: str, *, expected_version: int | None = None) -> Task:
        """Take away what is at a path; `NotFound` when nothing is."""
        return await self._edit(lambda task: without(task.tree, path), expected_version)

    async def patch(
        self, operations: Iterable[Mapping[str, Any]], *, expected_version: int | None = None
    ) -> Task:
        """Apply a JSON Patch (RFC 6902), all operations or none.

        A failed `test` is a `Conflict`, a path that leads nowhere `NotFound`; both name the
        operation.
        """
        checked = operations_of(operations)
        limits = working.limits_of(self._core)
        return await self._edit(lambda task: patched(task.tree, checked, limits), expected_version)

    async def set_goal(self, goal: str | None, *, expected_version: int | None = None) -> Task:
        """State what is to be reached, or with None nothing."""
        return await self.set("/goal", goal, expected_version=expected_version)

    async def set_plan(self, plan: str | None, *, expected_version: int | None = None) -> Task:
        """State how, in words, or with None nothing."""
        return await self.set("/plan", plan, expected_version=expected_version)

    async def add_steps(
        self,
        steps: Iterable[str | Mapping[str, Json]],
        *,
        expected_version: int | None = None,
    ) -> Task:
        """Add steps behind those there are. Those without an id get the next number."""
        given = steps if isinstance(steps, str | bytes | Mapping) else tuple(steps)

        def added(task: Task) -> Json:
            new = new_steps(given, (step.id for step in task.steps), self._core.now())
            return {**task.tree, "steps": [*task.tree["steps"], *new]}

        return await self._edit(added, expected_version)

    async def set_step(
        self,
        step_id: str,
        state: StepState | str,
        *,
        reason: str | Unset | None = UNSET,
        result: Json | Unset = UNSET,
        importance: float | Unset | None = UNSET,
        expected_version: int | None = None,
    ) -> Task:
        """Move a step along: `pending`, `active`, `done`, `failed` (with the reason), `skipped`.

        `InvalidInput` when the state cannot follow the present one (`domain.working.TRANSITIONS`).
        A step with an importance (above 0, up to 1) is promoted when the task is finished.
        """
        return await self._edit(
            lambda task: with_step(
                task,
                step_id,
                state,
                reason=reason,
                result=result,
                importance=importance,
                now=self._core.now(),
            ),
            expected_version,
        )

    async def set_result(
        self,
        name: str,
        value: Json,
        *,
        importance: float | Unset | None = UNSET,
        expected_version: int | None = None,
    ) -> Task:
        """Keep an intermediate result under a name; with an importance it is marked, with None
        its mark is taken away."""
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput("a result is named by text that is not blank")
        path = pointer_to("results", sanitise(name))
        return await self._edit(
            lambda task: marked(put(task.tree, path, value), path, importance),
            expected_version,
        )

    async def mark(
        self, path: str, importance: float | None = 0.8, *, expected_version: int | None = None
    ) -> Task:
        """Say that the plan, a result or a part of one is worth an episode when the task is
        finished; with None, that it is not. `NotFound` when nothing is at the path."""

        def changed(task: Task) -> Json:
            pointer = pointer_to(*markable(path))
            resolve(task.tree, pointer)
            return marked(task.tree, pointer, importance)

        return await self._edit(changed, expected_version)

    async def keep_until(
        self, expires_at: Moment | timedelta | None, *, expected_version: int | None = None
    ) -> Task:
        """Let the task be gone at another moment; None: some time after its last change."""
        with self._inside() as now:
            return await working.keep_until(
                self._core,
                self._key,
                working.until_of(expires_at, now),
                expected=expected_version,
                now=now,
            )

    async def snapshot(self) -> dict[str, Any]:
        """The task's tree as a JSON value of your own, for `restore`, also when the task is gone."""
        with self._inside() as now:
            return snapshot_of(await working.require(self._core, self._key, now), now)

    async def restore(
        self, snapshot: Mapping[str, Any], *, expected_version: int | None = None
    ) -> Task:
        """Give the task the tree of a snapshot, as a new version; begin it anew where it is gone.

        Steps go back to the states they had, whatever they are now.
        """
        with self._inside() as now:
            tree = tree_in(snapshot, working.limits_of(self._core))
            return await working.restore(
                self._core, self._key, tree, expected=expected_version, now=now
            )

    async def render(self, *, max_tokens: int | None = None) -> RecalledText:
        """The task as a block of text for a prompt, at most `max_tokens` long
        (`settings.context_tokens` when None), marked as data that is not to be obeyed.

        What matters most now goes in first; what does not fit is shortened or left out, and the
        block says how much that is.
        """
        with self._inside() as now:
            budget = limit_of(max_tokens, self._core.settings.context_tokens, "max_tokens")
            task = await working.require(self._core, self._key, now)
            return working_prompt.render(
                task, max_tokens=budget, count_tokens=self._core.count_tokens
            )

    async def finish(
        self,
        outcome: TaskOutcome = "done",
        *,
        summary: str | None = None,
        expected_version: int | None = None,
        actor: str | None = None,
    ) -> FinishedTask:
        """End the task as `done`, `failed` or `abandoned`, and keep what matters as episodes.

        They are the outcome with goal and summary, failed steps with their reasons, steps with an
        importance, and what was marked; nothing else is kept. Durable when this returns. The same
        call again gives the same answer and stores nothing, also after an interruption; another
        outcome is a `Conflict`.
        """
        with self._inside() as now:
            return await working_finishing.finish(
                self._core,
                self._key,
                outcome=outcome,
                summary=summary,
                expected=expected_version,
                now=now,
                actor=actor,
            )

    async def discard(self, *, expected_version: int | None = None) -> bool:
        """Drop the task and keep nothing of it; whether there was one."""
        with self._inside() as now:
            return await working.discard(self._core, self._key, expected=expected_version, now=now)


class Working:
    """Blocking form of `AsyncWorking`, where each call is described."""

    def __init__(self, core: AsyncWorking, portal: Portal) -> None:
        self._core = core
        self._portal = portal

    def begin(
        self,
        goal: str | None = None,
        *,
        plan: str | None = None,
        steps: Iterable[str | Mapping[str, Json]] = (),
        expires_at: Moment | timedelta | None = None,
        resume: bool = False,
    ) -> Task:
        """Blocking form of `AsyncWorking.begin`."""
        return self._portal.call(
            lambda: self._core.begin(
                goal, plan=plan, steps=steps, expires_at=expires_at, resume=resume
            )
        )

    def get(self) -> Task:
        """Blocking form of `AsyncWorking.get`."""
        return self._portal.call(lambda: self._core.get())

    def read(self, path: str = "") -> Json:
        """Blocking form of `AsyncWorking.read`."""
        return self._portal.call(lambda: self._core.read(path))

    def set(self, path: str, value: Json, *, expected_version: int | None = None) -> Task:
        """Blocking form of `AsyncWorking.set`."""
        return self._portal.call(
            lambda: self._core.set(path, value, expected_version=expected_version)
        )

    def remove(self, path: str, *, expected_version: int | None = None) -> Task:
        """Blocking form of `AsyncWorking.remove`."""
        return self._portal.call(lambda: self._core.remove(path, expected_version=expected_version))

    def patch(
        self,
        operations: Iterable[Mapping[str, Any]],
        *,
        expected_version: int | None = None,
    ) -> Task:
        """Blocking form of `AsyncWorking.patch`."""
        return self._portal.call(
            lambda: self._core.patch(operations, expected_version=expected_version)
        )

    def set_goal(self, goal: str | None, *, expected_version: int | None = None) -> Task:
        """Blocking form of `AsyncWorking.set_goal`."""
        return self._portal.call(
            lambda: self._core.set_goal(goal, expected_version=expected_version)
        )

    def set_plan(self, plan: str | None, *, expected_version: int | None = None) -> Task:
        """Blocking form of `AsyncWorking.set_plan`."""
        return self._portal.call(
            lambda: self._core.set_plan(plan, expected_version=expected_version)
        )

    def add_steps(
        self,
        steps: Iterable[str | Mapping[str, Json]],
        *,
        expected_version: int | None = None,
    ) -> Task:
        """Blocking form of `AsyncWorking.add_steps`."""
        return self._portal.call(
            lambda: self._core.add_steps(steps, expected_version=expected_version)
        )

    def set_step(
        self,
        step_id: str,
        state: StepState | str,
        *,
        reason: str | Unset | None = UNSET,
        result: Json | Unset = UNSET,
        importance: float | Unset | None = UNSET,
        expected_version: int | None = None,
    ) -> Task:
        """Blocking form of `AsyncWorking.set_step`."""
        return self._portal.call(
            lambda: self._core.set_step(
                step_id,
                state,
                reason=reason,
                result=result,
                importance=importance,
                expected_version=expected_version,
            )
        )

    def set_result(
        self,
        name: str,
        value: Json,
        *,
        importance: float | Unset | None = UNSET,
        expected_version: int | None = None,
    ) -> Task:
        """Blocking form of `AsyncWorking.set_result`."""
        return self._portal.call(
            lambda: self._core.set_result(
                name, value, importance=importance, expected_version=expected_version
            )
        )

    def mark(
        self,
        path: str,
        importance: float | None = 0.8,
        *,
        expected_version: int | None = None,
    ) -> Task:
        """Blocking form of `AsyncWorking.mark`."""
        return self._portal.call(
            lambda: self._core.mark(path, importance, expected_version=expected_version)
        )

    def keep_until(
        self,
        expires_at: Moment | timedelta | None,
        *,
        expected_version: int | None = None,
    ) -> Task:
        """Blocking form of `AsyncWorking.keep_until`."""
        return self._portal.call(
            lambda: self._core.keep_until(expires_at, expected_version=expected_version)
        )

    def snapshot(self) -> dict[str, Any]:
        """Blocking form of `AsyncWorking.snapshot`."""
        return self._portal.call(lambda: self._core.snapshot())

    def restore(
        self,
        snapshot: Mapping[str, Any],
        *,
        expected_version: int | None = None,
    ) -> Task:
        """Blocking form of `AsyncWorking.restore`."""
        return self._portal.call(
            lambda: self._core.restore(snapshot, expected_version=expected_version)
        )

    def render(self, *, max_tokens: int | None = None) -> RecalledText:
        """Blocking form of `AsyncWorking.render`."""
        return self._portal.call(lambda: self._core.render(max_tokens=max_tokens))

    def finish(
        self,
        outcome: TaskOutcome = "done",
        *,
        summary: str | None = None,
        expected_version: int | None = None,
        actor: str | None = None,
    ) -> FinishedTask:
        """Blocking form of `AsyncWorking.finish`."""
        return self._portal.call(
            lambda: self._core.finish(
                outcome, summary=summary, expected_version=expected_version, actor=actor
            )
        )

    def discard(self, *, expected_version: int | None = None) -> bool:
        """Blocking form of `AsyncWorking.discard`."""
        return self._portal.call(lambda: self._core.discard(expected_version=expected_version))
