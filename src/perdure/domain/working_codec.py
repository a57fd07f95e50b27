"""A task as a JSON document and back, and snapshots of its tree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from perdure.domain.text import shown
from perdure.domain.times import as_utc, iso
from perdure.domain.working import Closing, Limits, Task, TaskKey, Tree
from perdure.domain.working_tree import as_text, checked_tree, steps_of
from perdure.errors import InvalidInput

Document = dict[str, Any]
_FORMAT = 1
_NO_LIMIT = Limits(bytes=2**62, depth=2**31, steps=2**31)
"""For what was stored: a limit lowered since binds the next edit, and hides nothing."""


def encoded(task: Task, *, write: str) -> str:
    """The text a store keeps. `write` is unlike that of any other write."""
    document: Document = {
        "run": task.run,
        "write": write,
        "created_at": iso(task.created_at),
        "updated_at": iso(task.updated_at),
        "tree": task.tree,
    }
    if task.until is not None:
        document["until"] = iso(task.until)
    if task.closing is not None:
        document["closing"] = {
            "outcome": task.closing.outcome,
            "summary": task.closing.summary,
            "at": iso(task.closing.at),
            "actor": task.closing.actor,
        }
    if task.episodes is not None:
        document["episodes"] = list(task.episodes)
    return as_text(document)


def decoded(key: TaskKey, text: str, *, version: int, expires_at: datetime) -> Task:
    """The inverse of `encoded`."""
    document: Document = json.loads(text)
    closing = document.get("closing")
    episodes = document.get("episodes")
    return Task(
        key=key,
        run=document["run"],
        version=version,
        created_at=as_utc(document["created_at"]),
        updated_at=as_utc(document["updated_at"]),
        expires_at=expires_at,
        until=_time(document.get("until")),
        tree=document["tree"],
        steps=steps_of(document["tree"]["steps"], _NO_LIMIT),
        closing=None if closing is None else Closing(**{**closing, "at": as_utc(closing["at"])}),
        episodes=None if episodes is None else tuple(episodes),
    )


def _time(value: str | None) -> datetime | None:
    return None if value is None else as_utc(value)


def snapshot_of(task: Task, now: datetime) -> Document:
    """The task's tree with where it came from, as a JSON value of the caller's own."""
    return {
        "format": _FORMAT,
        "task": task.name,
        "version": task.version,
        "taken_at": iso(now),
        "tree": json.loads(as_text(task.tree)),
    }


def tree_in(snapshot: object, limits: Limits) -> Tree:
    """The tree of a snapshot, or `InvalidInput` when it is none."""
    if not isinstance(snapshot, Mapping) or "tree" not in snapshot or "format" not in snapshot:
        raise InvalidInput(
            f"what snapshot() gave is needed to restore a task, not {shown(snapshot)}"
        )
    if snapshot["format"] != _FORMAT:
        raise InvalidInput(
            f"this snapshot has the format {shown(snapshot['format'])}, and this version of "
            f"perdure reads {_FORMAT}; restore it with the version that took it"
        )
    return checked_tree(snapshot["tree"], limits)[0]
