"""The statements of `queries/*.sql`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from perdure.stores._sql.statements import load


@cache
def statements() -> Mapping[str, str]:
    """Every statement by its name."""
    return load(__package__)
