"""Results as JSON values, with the names they have in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any

from perdure.domain.results import RecalledText
from perdure.domain.times import iso


def plain(value: Any) -> Any:
    """The same as JSON values: records as objects with all their fields, times as ISO 8601 text,
    lengths of time as seconds."""
    if isinstance(value, RecalledText):
        return {
            "text": str(value),
            "tokens": value.tokens,
            "citations": [plain(citation) for citation in value.citations],
        }
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return value
