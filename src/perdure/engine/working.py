"""Working memory: beginning a task, editing its tree, and reading it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from perdure.domain.records import Json
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.domain.working import Limits, Task, TaskKey, Tree, empty_tree, expiry, require_open
from perdure.domain.working_codec import decoded, encoded
from perdure.domain.working_edits import is_unchanged
from perdure.domain.working_tree import checked_tree, require_transitions
from perdure.engine.core import Core
from perdure.engine.drafts import Moment, expiry_of, key_of
from perdure.engine.writing import Retry, deciding
from perdure.errors import Conflict, InvalidInput, NotFound
from perdure.ports.working_store import StoredTask

Edit = Callable[[Task], Json]
"""What a task's tree becomes; called again, with the task as it is then, after a lost race."""


def key_for(scope: Scope, name: object) -> TaskKey:
    """The key of the task that callers call so."""
    known = key_of(name, "task")
    if known is None:
        raise InvalidInput("a task needs a name: text that is not blank")
    return TaskKey(scope=scope, name=known)


def limits_of(core: Core) -> Limits:
    """How large a tree may be."""
    settings = core.settings
    return Limits(
        bytes=settings.working_bytes, depth=settings.working_depth, steps=settings.working_steps
    )


async def find(core: Core, key: TaskKey, now: datetime) -> Task | None:
    """The task of that name in exactly this scope, else the one in a narrower scope.

    `Conflict` when agents or sessions have several of that name.
    """
    stored = await core.working.load(key, now=now)
    if stored is None and not (key.scope.agent and key.scope.session):
        stored = await _narrower(core, key, now)
    return None if stored is None else _task(stored)


async def _narrower(core: Core, key: TaskKey, now: datetime) -> StoredTask | None:
    seen = await core.working.tasks(key.scope, now=now)
    named = [stored for stored in seen if stored.key.name == key.name]
    if len(named) > 1:
        raise Conflict(
            f"{len(named)} agents or sessions have a task {shown(key.name)}; "
            "say whose is meant: scope=Scope(agent=…, session=…)"
        )
    return named[0] if named else None


async def require(core: Core, key: TaskKey, now: datetime) -> Task:
    """The task, or `NotFound` with what to do."""
    task = await find(core, key, now)
    if task is None:
        raise NotFound(
            f"there is no task {shown(key.name)} in this scope: it was never begun, was discarded "
            "or has expired; begin() starts it, and restore() brings a snapshot back"
        )
    return task


async def tasks(core: Core, scope: Scope, now: datetime) -> list[Task]:
    """The tasks under way that a search in this scope sees, the latest change first."""
    found = [_task(stored) for stored in await core.working.tasks(scope, now=now)]
    under_way = [task for task in found if not task.is_finished]
    return sorted(under_way, key=lambda task: task.updated_at, reverse=True)


def _task(stored: StoredTask) -> Task:
    return decoded(
        stored.key, stored.document, version=stored.version, expires_at=stored.expires_at
    )


async def store(core: Core, task: Task, *, expected: int, now: datetime) -> bool:
    """Write a version; false when another one than `expected` is there."""
    write = core.new_id(now)
    stored = StoredTask(
        key=task.key,
        version=task.version,
        document=encoded(task, write=write),
        write=write,
        expires_at=task.expires_at,
    )
    return await core.working.write(stored, expected=expected, now=now)


def _idle(core: Core) -> timedelta:
    return timedelta(hours=core.settings.working_idle_hours)


def until_of(expires_at: Moment | timedelta | None, now: datetime) -> datetime | None:
    """When a task is to be gone, whatever happens to it; None: some time after its last change."""
    until = expiry_of(expires_at, now)
    if until is not None and until <= now:
        raise InvalidInput(f"expires_at {until} is not in the future; discard() ends a task now")
    return until


async def begin(
    core: Core, key: TaskKey, tree: Json, *, until: datetime | None, resume: bool, now: datetime
) -> Task:
    """A new task. One under way is a `Conflict`, or with `resume` the answer."""
    checked, steps = checked_tree(tree, limits_of(core))

    async def attempt() -> Task:
        found = await core.working.load(key, now=now)
        present = None if found is None else _task(found)
        if present is not None and not present.is_finished:
            if resume:
                return present
            raise Conflict(
                f"task {shown(key.name)} is under way since {present.created_at:%Y-%m-%d %H:%M} "
                "UTC; begin(resume=True) goes on with it, discard() drops it"
            )
        made = Task(
            key=key,
            run=core.new_id(now),
            version=1 if present is None else present.version + 1,
            created_at=now,
            updated_at=now,
            expires_at=expiry(now, until, _idle(core)),
            until=until,
            tree=checked,
            steps=steps,
        )
        expected = 0 if present is None else present.version
        if not await store(core, made, expected=expected, now=now):
            raise Retry
        return made

    return await deciding(core, attempt, f"task {shown(key.name)}")


async def edit(core: Core, key: TaskKey, change: Edit, *, expected: object, now: datetime) -> Task:
    """The task after one edit. An edit that changes nothing writes nothing.

    Without `expected` the edit is made on whatever version is there, again when somebody else was
    faster.
    """
    limits = limits_of(core)

    async def attempt() -> Task:
        task = await require(core, key, now)
        require_open(task)
        require_version(task, expected)
        tree, steps = checked_tree(change(task), limits)
        require_transitions(task.steps, steps)
        if is_unchanged(task.tree, tree):
            return task
        return await _succeed(core, replace(task, tree=tree, steps=steps), expected, now)

    return await deciding(core, attempt, f"task {shown(key.name)}")


async def keep_until(
    core: Core, key: TaskKey, until: datetime | None, *, expected: object, now: datetime
) -> Task:
    """The task with another end."""

    async def attempt() -> Task:
        task = await require(core, key, now)
        require_open(task)
        require_version(task, expected)
        return await _succeed(core, replace(task, until=until), expected, now)

    return await deciding(core, attempt, f"task {shown(key.name)}")


async def restore(core: Core, key: TaskKey, tree: Tree, *, expected: object, now: datetime) -> Task:
    """The task with the tree of a snapshot; begun anew with it where there is none."""
    checked, steps = checked_tree(tree, limits_of(core))

    async def attempt() -> Task:
        task = await find(core, key, now)
        if task is None or task.is_finished:
            if expected is not None:
                raise _stale(key.name, 0 if task is None else task.version, expected)
            return await begin(core, key, checked, until=None, resume=False, now=now)
        require_open(task)
        require_version(task, expected)
        if is_unchanged(task.tree, checked):
            return task
        return await _succeed(core, replace(task, tree=checked, steps=steps), expected, now)

    return await deciding(core, attempt, f"task {shown(key.name)}")


async def discard(core: Core, key: TaskKey, *, expected: object, now: datetime) -> bool:
    """Drop the task with all it holds; whether there was one."""
    task = await find(core, key, now)
    if task is None:
        if expected is not None:
            raise _stale(key.name, 0, expected)
        return False
    require_version(task, expected)
    gone = await core.working.delete(
        task.key, expected=None if expected is None else task.version, now=now
    )
    if expected is not None and not gone:
        raise _stale(key.name, None, expected)
    return gone


async def _succeed(core: Core, task: Task, expected: object, now: datetime) -> Task:
    """Write the next version of a task that was changed."""
    after = replace(
        task,
        version=task.version + 1,
        updated_at=now,
        expires_at=expiry(now, task.until, _idle(core)),
    )
    if await store(core, after, expected=task.version, now=now):
        return after
    if expected is None:
        raise Retry
    raise _stale(task.name, None, expected)


def require_version(task: Task, expected: object) -> None:
    """Refuse an edit made for another version."""
    if expected is None:
        return
    if isinstance(expected, bool) or not isinstance(expected, int):
        raise InvalidInput(f"expected_version must be a number, not {shown(expected)}")
    if expected != task.version:
        raise _stale(task.name, task.version, expected)


def _stale(name: str, present: int | None, expected: object) -> Conflict:
    if present == 0:
        state = "is not there any more"
    else:
        state = "was changed meanwhile" if present is None else f"is at version {present} by now"
    return Conflict(
        f"task {shown(name)} {state}, and the edit was for version {shown(expected)}; nothing was "
        "changed. Read it again, then decide"
    )


def fresh_tree(goal: object, plan: object, steps: list[Json]) -> Tree:
    """A tree with only these."""
    return {**empty_tree(), "goal": goal, "plan": plan, "steps": steps}
