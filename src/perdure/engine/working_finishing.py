"""Finishing a task: what matters of it becomes episodes, once, however often that is asked.

First the outcome is written into the task, which takes no edits from then on. Then everything that
is promoted is stored in one transaction, under idempotency keys that belong to this run of the
task. Then the tree is dropped. Interrupted anywhere, the same call goes on; and a server that
forgets the task in between takes nothing with it that was stored.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import blake2b

from perdure.domain.promotion import Promotion, promotions
from perdure.domain.records import Kind, Memory
from perdure.domain.text import shown, truncate
from perdure.domain.working import (
    OUTCOMES,
    Closing,
    FinishedTask,
    Task,
    TaskKey,
    TaskOutcome,
    empty_tree,
    expiry,
)
from perdure.engine import drafts, remember, working
from perdure.engine.core import Core
from perdure.engine.writing import Retry, deciding
from perdure.errors import Conflict, InvalidInput

KEPT_AFTERWARDS = timedelta(days=1)
"""How long a finished task still answers `finish` with what became of it."""
_MAX_PATH_CHARS = 1000


async def finish(
    core: Core,
    key: TaskKey,
    *,
    outcome: object,
    summary: object,
    expected: object,
    now: datetime,
    actor: str | None,
) -> FinishedTask:
    """End the task and promote what the rules in `domain.promotion` name."""
    wanted = Closing(
        outcome=_outcome(outcome),
        summary=None if summary is None else drafts.text_of(summary, core.settings, name="summary"),
        at=now,
        actor=drafts.note_of(actor, "actor"),
    )

    async def attempt() -> Task:
        return await _closed(core, key, wanted, expected, now)

    task = await deciding(core, attempt, f"task {shown(key.name)}")
    if task.episodes is not None:
        found = await core.store.get(task.scope, task.episodes)
        kept = tuple(found[item] for item in task.episodes if item in found)
        return FinishedTask(task=task.name, outcome=wanted.outcome, episodes=kept, repeated=True)
    episodes = await _promote(core, task, now)
    after = replace(
        task,
        version=task.version + 1,
        tree=empty_tree(),
        steps=(),
        updated_at=now,
        until=None,
        expires_at=expiry(now, None, KEPT_AFTERWARDS),
        episodes=tuple(memory.id for memory in episodes),
    )
    # False when another process finished it at the same time, with the same episodes.
    await working.store(core, after, expected=task.version, now=now)
    return FinishedTask(task=task.name, outcome=wanted.outcome, episodes=tuple(episodes))


def _outcome(outcome: object) -> TaskOutcome:
    for known in OUTCOMES:
        if outcome == known:
            return known
    raise InvalidInput(f"a task ends as one of {', '.join(OUTCOMES)}, not {shown(outcome)}")


async def _closed(
    core: Core, key: TaskKey, wanted: Closing, expected: object, now: datetime
) -> Task:
    """The task with its outcome settled: as wanted, or as an earlier call for the same left it."""
    task = await working.require(core, key, now)
    if task.closing is not None:
        settled = task.closing
        if (settled.outcome, settled.summary) != (wanted.outcome, wanted.summary):
            raise Conflict(
                f"task {shown(key.name)} was finished before as {settled.outcome}, or with another "
                "summary; that stands. Nothing was changed"
            )
        return task
    working.require_version(task, expected)
    closed = replace(
        task,
        version=task.version + 1,
        closing=wanted,
        updated_at=now,
        until=None,
        expires_at=max(task.expires_at, expiry(now, None, KEPT_AFTERWARDS)),
    )
    _drafts(core, closed, wanted, now)  # what cannot be stored is refused before anything changes
    if not await working.store(core, closed, expected=task.version, now=now):
        raise Retry
    return closed


async def _promote(core: Core, task: Task, now: datetime) -> list[Memory]:
    assert task.closing is not None
    made = _drafts(core, task, task.closing, now)
    if not made:
        return []
    remembered = await remember.remember(core, made, now=now, actor=task.closing.actor)
    return [item.memory for item in remembered]


def _drafts(core: Core, task: Task, closing: Closing, now: datetime) -> list[drafts.Draft]:
    """What is to be stored; nothing where long-term memory is switched off."""
    if not core.settings.long_term:
        return []
    rules = promotions(task, closing, max_chars=core.settings.max_content_chars)
    return [_draft(core, task, item, now) for item in rules]


def _draft(core: Core, task: Task, item: Promotion, now: datetime) -> drafts.Draft:
    digest = blake2b(item.path.encode("utf-8"), digest_size=16).hexdigest()
    return drafts.draft(
        core.settings,
        memory_id=core.new_id(now),
        scope=task.scope,
        now=now,
        content=item.content,
        kind=Kind.EPISODIC,
        importance=item.importance,
        occurred_at=item.occurred_at,
        metadata={
            "task": task.name,
            "run": task.run,
            "path": truncate(item.path, _MAX_PATH_CHARS),
            "rule": item.rule,
        },
        idempotency_key=f"task {task.run} {digest}",
        understand=False,
    )
