"""Option values that are more than text. Times go to the engine as they are written."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import click

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LIFE = re.compile(r"(\d+)([smhdw])")


def json_object(value: str) -> dict[str, Any]:
    """A JSON object."""
    try:
        read = json.loads(value)
    except ValueError as error:
        raise click.BadParameter(f"it is not JSON: {error}") from error
    if not isinstance(read, dict):
        raise click.BadParameter('it is not a JSON object such as {"topic": "chess"}')
    return read


def life(value: str) -> str | timedelta:
    """A time to live such as 30d; anything else is a moment, which the engine reads."""
    match = _LIFE.fullmatch(value)
    if match is None:
        return value
    try:
        return timedelta(**{_UNITS[match.group(2)]: int(match.group(1))})
    except OverflowError as error:
        raise click.BadParameter(f"{value} is longer than time lasts") from error
