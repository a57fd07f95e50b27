"""Stores of documents and questions with the documents that answer them.

One JSON object, plain or compressed with gzip: `units`, each with `docs` (`id`, `text`, and
optionally `speaker`, `session` and `time`) and `queries` (`qid`, `text`, `gold`, a list of document
ids, or `gold_sessions`, where only the sessions are known, and optionally `category`, `answer`, the
words that answer it, and `lang`, where it differs from the file's). `time` is ISO 8601, a time as people write it, or a whole number;
documents stand in the order they were written.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from perdure.evaluation.lines import Fields
from perdure.evaluation.unit_file import units_of
from perdure.understanding import find_times

ADVERSARIAL = "adversarial"
"""Questions whose answer the documents only seem to hold; not part of the figures of all."""
START = datetime(2024, 1, 1, tzinfo=UTC)
"""When documents were written of which that is not said: a minute after one another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    id: str
    text: str
    moment: datetime
    is_dated: bool
    speaker: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`gold` are the documents that answer it, or the sessions where `by_session`; none for what
    cannot be answered. `answer` is empty where it is not known in words."""

    id: str
    text: str
    gold: frozenset[str]
    category: str
    language: str
    answer: str = ""
    by_session: bool = False

    @property
    def is_answerable(self) -> bool:
        """Whether the documents hold the answer, rather than something like it."""
        return bool(self.gold) and self.category != ADVERSARIAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    name: str
    language: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]


def read_units(raw: bytes) -> list[Unit]:
    """The units of a file. Raises `InvalidInput`, which names the unit."""
    return units_of(raw, _unit)


def _unit(fields: Fields, number: int, language: str) -> Unit:
    documents = tuple(_document(part, place) for place, part in enumerate(fields.parts("docs")))
    known = {document.id for document in documents}
    known |= {document.session for document in documents if document.session}
    questions = tuple(_question(part, language) for part in fields.parts("queries"))
    for question in questions:
        if missing := question.gold - known:
            raise ValueError(f"question {question.id} names unknown documents: {min(missing)}")
    return Unit(
        name=fields.optional_text("unit") or f"unit {number}",
        language=language,
        documents=documents,
        questions=questions,
    )


def _question(fields: Fields, language: str) -> Question:
    documents = frozenset(fields.texts("gold", may_lack=True))
    sessions = frozenset(fields.texts("gold_sessions", may_lack=True))
    return Question(
        id=fields.text("qid"),
        text=fields.text("text"),
        gold=documents or sessions,
        category=fields.optional_text("category") or "",
        language=fields.optional_text("lang") or language,
        answer=_answer(fields),
        by_session=bool(sessions and not documents),
    )


def _answer(fields: Fields) -> str:
    """The answer as words; some files give it as a number."""
    if "answer" not in fields:
        return ""
    try:
        return str(fields.whole("answer"))
    except (TypeError, ValueError):
        return fields.text("answer")


def _document(fields: Fields, place: int) -> Document:
    moment = _moment(fields)
    return Document(
        id=fields.text("id"),
        text=fields.text("text"),
        moment=moment or START + timedelta(minutes=place),
        is_dated=moment is not None,
        speaker=fields.optional_text("speaker"),
        session=fields.optional_text("session"),
    )


def _moment(fields: Fields) -> datetime | None:
    """The document's own time; None when none is given that can be read."""
    if "time" not in fields:
        return None
    try:
        return START + timedelta(minutes=fields.whole("time"))
    except TypeError:
        text = fields.text("time")
    try:
        read = datetime.fromisoformat(text)
        return read if read.tzinfo else read.replace(tzinfo=UTC)
    except ValueError:
        named = find_times(text, reference=START)
        return named[0].interval.start if named else None
