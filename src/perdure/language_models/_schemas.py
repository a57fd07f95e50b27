"""Schemas as services take them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_BOUNDS = frozenset(
    "minimum maximum minLength maxLength minItems maxItems pattern default title".split()
)
"""Refused by one service or another. What comes back is checked against the whole schema."""


def portable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the strict dialect that services share: every property required, no others."""
    made = {name: _part(value) for name, value in schema.items() if name not in _BOUNDS}
    if "properties" in schema:
        made["properties"] = {name: portable(part) for name, part in schema["properties"].items()}
        made["required"] = list(schema["properties"])
        made["additionalProperties"] = False
    return made


def _part(value: Any) -> Any:
    return portable(value) if isinstance(value, Mapping) else value


def in_words(schema: Mapping[str, Any]) -> str:
    """A request for the schema, for services that do not enforce one."""
    return (
        "Answer with one JSON object and nothing else. It must fit this JSON Schema:\n"
        + json.dumps(portable(schema), ensure_ascii=False, separators=(",", ":"))
    )
