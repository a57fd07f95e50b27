"""The text of a journal entry without what the entry says anyway.

The entry that begins a memory holds the whole record: a third of it repeats the memory's id and
scope and says one moment up to four times. The digest covers the whole text; only what is on the
disk is shorter.
"""

from __future__ import annotations

import json
from typing import Any

from perdure.domain.codec import Document
from perdure.domain.journal import canonical
from perdure.domain.scope import Scope

_WHOLE = "+"
"""Marks a whole record; JSON of any other change begins with a brace."""


def abridged(change: Document, text: str, *, at: str) -> str:
    """What to keep of a change whose canonical JSON is `text`, written at `at` (ISO)."""
    if "id" not in change:
        return text
    recorded, occurred, valid = (
        change["recorded_at"], change["occurred_at"], change["valid_from"]
    )  # fmt: skip
    short = dict(change)
    del short["id"], short["scope"]
    if valid == occurred:
        del short["valid_from"]
    if occurred == recorded:
        del short["occurred_at"]
    if recorded == at:
        del short["recorded_at"]
    return _WHOLE + canonical(short)


def unabridged(text: str, *, memory_id: str, scope: Scope, at: str) -> dict[str, Any]:
    """The change that `abridged` shortened. Raises ValueError for a text that is none."""
    if not text.startswith(_WHOLE):
        change: dict[str, Any] = json.loads(text)
        return change
    change = json.loads(text[len(_WHOLE) :])
    parts = {"tenant": scope.tenant, "agent": scope.agent, "user": scope.user,
             "session": scope.session}  # fmt: skip
    change["id"] = memory_id
    change["scope"] = {name: part for name, part in parts.items() if part}
    recorded = change.setdefault("recorded_at", at)
    occurred = change.setdefault("occurred_at", recorded)
    change.setdefault("valid_from", occurred)
    return change
