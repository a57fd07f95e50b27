"""Files of units, one JSON object, plain or compressed with gzip: `units`, and `meta` with `lang`."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from typing import TypeVar

from perdure.errors import InvalidInput
from perdure.evaluation.lines import Fields

Unit = TypeVar("Unit")


def units_of(raw: bytes, unit_of: Callable[[Fields, int, str], Unit]) -> list[Unit]:
    """What `unit_of` makes of each unit, its number from 1 and the file's language ("?": unknown).

    Raises `InvalidInput`, which names the unit, for a file of another format.
    """
    try:
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
        fields = Fields(json.loads(text))
        parts = fields.parts("units")
        meta = fields.part("meta") if "meta" in fields else Fields({})
        language = meta.optional_text("lang") or "?"
    except KeyError as error:
        raise InvalidInput(f'the file has no "{error.args[0]}"') from error
    except (EOFError, OSError, TypeError, ValueError, zlib.error) as error:
        raise InvalidInput(f"the file holds no units: {error}") from error
    units = []
    for number, part in enumerate(parts, 1):
        try:
            units.append(unit_of(part, number, language))
        except KeyError as error:
            raise InvalidInput(f'unit {number}: something has no "{error.args[0]}"') from error
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"unit {number}: {error}") from error
    if not units:
        raise InvalidInput("the file holds no units")
    return units
