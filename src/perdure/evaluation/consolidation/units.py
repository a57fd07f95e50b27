"""Stores of dated statements, some of which contradict older ones, and questions about them.

One JSON object, plain or compressed with gzip: `units`, each with `unit` (its name), `docs` (`id`,
`text`, `time` as a whole number that grows, and optionally `speaker` and `session`) and `queries`
(`qid`, `text`, `newest` and `stale`, lists of the ids of statements).
"""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass

from perdure.errors import InvalidInput
from perdure.evaluation.lines import Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    id: str
    text: str
    time: int
    speaker: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`newest` hold; `stale` were said earlier of the same and hold no more."""

    id: str
    text: str
    newest: frozenset[str]
    stale: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    name: str
    language: str
    statements: tuple[Statement, ...]
    questions: tuple[Question, ...]


def read_units(raw: bytes) -> list[Unit]:
    """The units of a file. Raises `InvalidInput`, which names the unit."""
    try:
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
        fields = Fields(json.loads(text))
        parts = fields.parts("units")
        meta = fields.part("meta") if "meta" in fields else Fields({})
    except KeyError as error:
        raise InvalidInput(f'the file has no "{error.args[0]}"') from error
    except (EOFError, OSError, TypeError, ValueError, zlib.error) as error:
        raise InvalidInput(f"the file holds no units: {error}") from error
    units = []
    for number, part in enumerate(parts, 1):
        try:
            units.append(_unit(part, meta.optional_text("lang") or "?"))
        except KeyError as error:
            raise InvalidInput(f'unit {number}: something has no "{error.args[0]}"') from error
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"unit {number}: {error}") from error
    if not units:
        raise InvalidInput("the file holds no units")
    return units


def _unit(fields: Fields, language: str) -> Unit:
    return Unit(
        name=fields.text("unit"),
        language=language,
        statements=tuple(
            Statement(
                id=part.text("id"),
                text=part.text("text"),
                time=part.whole("time"),
                speaker=part.optional_text("speaker"),
                session=part.optional_text("session"),
            )
            for part in fields.parts("docs")
        ),
        questions=tuple(
            Question(
                id=part.text("qid"),
                text=part.text("text"),
                newest=frozenset(part.texts("newest")),
                stale=frozenset(part.texts("stale", may_lack=True)),
            )
            for part in fields.parts("queries")
        ),
    )
