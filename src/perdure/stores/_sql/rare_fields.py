"""The fields few memories have, as one JSON text in the journal's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perdure.domain.codec import Document, decode, encode
from perdure.domain.records import NEW_STRENGTH, Memory
from perdure.domain.scope import Scope
from perdure.domain.times import EPOCH

_NAMES = (
    "supersedes", "causes", "provenance", "attachments", "strength", "supports", "contradicts",
)  # fmt: skip

_BLANK = Memory(
    id="", content="", scope=Scope(), occurred_at=EPOCH, recorded_at=EPOCH, valid_from=EPOCH
)
_REQUIRED = encode(_BLANK)


def rare_document(memory: Memory) -> Document:
    """What the memory has of these fields, and the ids of its source's messages; often empty."""
    if not (
        memory.supersedes
        or memory.causes
        or memory.provenance
        or memory.supports
        or memory.contradicts
        or memory.attachments
        or memory.source.message_ids
        or memory.strength != NEW_STRENGTH
    ):
        return {}
    document = encode(memory)
    rare = {name: document[name] for name in _NAMES if name in document}
    if memory.source.message_ids:
        rare["source"] = {"message_ids": document["source"]["message_ids"]}
    return rare


def rare_fields(document: Mapping[str, Any] | None) -> Memory:
    """A memory that has the rare fields and is otherwise blank."""
    return decode({**_REQUIRED, **document}) if document else _BLANK
