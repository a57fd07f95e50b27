"""Stores of dated statements, some of which contradict older ones, and questions about them.

One JSON object, plain or compressed with gzip: `units`, each with `unit` (its name), `docs` (`id`,
`text`, `time` as a whole number that grows, and optionally `speaker` and `session`) and `queries`
(`qid`, `text`, `newest` and `stale`, lists of the ids of statements).
"""

from __future__ import annotations

from dataclasses import dataclass

from perdure.evaluation.lines import Fields
from perdure.evaluation.unit_file import units_of


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
    return units_of(raw, _unit)


def _unit(fields: Fields, _number: int, language: str) -> Unit:
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
