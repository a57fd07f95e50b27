"""Finding what matters: both arms, one ranking, one rule of what may be seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from perdure.domain.analysis import query_lexemes
from perdure.domain.certainty import Certainty
from perdure.domain.diversity import without_repeats
from perdure.domain.duplicates import gist, repeats
from perdure.domain.late_interaction import QuestionTokens
from perdure.domain.query import Condition, Search
from perdure.domain.ranking import Preset, Scored, explain, likelihood, rank
from perdure.domain.records import Memory
from perdure.domain.replay import replay
from perdure.domain.results import Hit, Recall
from perdure.domain.text import holds_han, is_blank, sanitise, shown, truncate
from perdure.domain.visibility import Include, is_believed, status
from perdure.engine.certainty import certainty_for
from perdure.engine.core import Core
from perdure.engine.successors import may_be_answered_by_successors, successors_of
from perdure.engine.word_by_word import with_tokens
from perdure.errors import InvalidInput, Unavailable
from perdure.ports.embedder import FloatArray

MIN_CANDIDATES = 30
LOOKED_AT_AGAIN = 60
"""The same where candidates are compared word by word: neither arm need have them among its best."""
SHORTENED = "the query was shortened to its first {limit:,} characters of {length:,}"
NO_VECTORS = "the embedder is out of reach, so only words were compared: {cause}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """A checked query: its words, its vector, or both."""

    text: str | None
    vector: FloatArray | None
    notes: tuple[str, ...] = ()


def question_of(core: Core, query: object) -> Question:
    """Read a query: text, or a vector of the store's dimension."""
    if isinstance(query, str):
        return _text_question(query, core.settings.max_query_chars)
    if query is None:
        raise InvalidInput("recall needs a query: a text, or a vector to search by")
    return Question(text=None, vector=_query_vector(core, query))


def _text_question(query: str, limit: int) -> Question:
    text = sanitise(query)
    if is_blank(query):
        raise InvalidInput("the query is empty; use list() to read without a question")
    if len(text) <= limit:
        return Question(text=text, vector=None)
    note = SHORTENED.format(limit=limit, length=len(text))
    return Question(text=truncate(text, limit), vector=None, notes=(note,))


def _query_vector(core: Core, query: object) -> FloatArray:
    if isinstance(query, bool | int | float | bytes | bytearray | Mapping | Set):
        raise InvalidInput(
            f"a query is a text, or a vector of numbers to search by, not {shown(query)}"
        )
    model = core.embedding.embedder.model if core.embedding.embedder is not None else None
    if model is None:
        raise InvalidInput("searching by a vector needs a store opened with an embedder")
    try:
        vector = np.asarray(query, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(
            f"a query is a text, or a vector of numbers to search by, not {shown(query)}"
        ) from error
    if vector.shape != (model.dimension,):
        raise InvalidInput(
            f"the query vector has shape {vector.shape}; {model.identity} needs "
            f"({model.dimension},): one vector, made by the same model as the memories'"
        )
    norm = float(np.linalg.norm(vector))
    if not np.isfinite(norm) or norm == 0.0:
        raise InvalidInput("the query vector must be finite and not zero")
    return np.ascontiguousarray(vector / np.float32(norm))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Asked:
    """A question's vectors: of the whole, and of its words."""

    vector: FloatArray | None
    tokens: QuestionTokens | None = None
    notes: tuple[str, ...] = ()


async def _vectors_for(core: Core, question: Question) -> _Asked:
    if question.text is None:
        return _Asked(vector=question.vector)
    if not any(map(str.isalnum, question.text)):
        # Signs and pictures are one and the same to most models; as words they are told apart.
        return _Asked(vector=None)
    try:
        vector = await core.embedding.query(question.text)
        return _Asked(vector=vector, tokens=await core.embedding.query_tokens(question.text))
    except Unavailable as failure:
        return _Asked(vector=None, notes=(NO_VECTORS.format(cause=failure),))


def candidates_for(limit: int, preset: Preset, *, fewest: int = MIN_CANDIDATES) -> int:
    """How many candidates each arm must give, `fewest` or more, so that the best `limit` are among
    them.

    The more weight lies on what the arms do not know (importance, recency, frequency), the
    further down a winner may come from: two candidates for a hit with relevance alone, more in
    proportion, up to twelve.
    """
    unseen = 1.0 - preset.similarity
    return max(fewest, ceil(limit * (2 + 10 * unseen)))


async def recall(
    core: Core,
    question: Question,
    condition: Condition,
    *,
    limit: int,
    min_score: float | None,
) -> Recall:
    """The best `limit` memories the condition admits, or an abstention."""
    asked = await _vectors_for(core, question)
    with core.searching:
        found = await _recall(core, question, asked, condition, limit=limit, min_score=min_score)
    return replace(found, notes=(*question.notes, *asked.notes))


async def _recall(
    core: Core,
    question: Question,
    asked: _Asked,
    condition: Condition,
    *,
    limit: int,
    min_score: float | None,
) -> Recall:
    floor = core.settings.relevance_threshold if min_score is None else min_score
    now = condition.view.now
    certainty = _certainty(core, question, asked)
    considered, ranked = await _ranked(core, question, asked, condition, certainty, limit=limit)
    likely = None
    if certainty is not None:
        preset = core.settings.preset
        likely = likelihood(ranked, preset=preset, certainty=certainty, considered=considered)
    hits: list[Hit] = []
    least = core.settings.answer_threshold if min_score is None else 0.0
    is_silent = likely is not None and likely < least
    if not is_silent:
        hits = await _hits(core, ranked, condition, certainty, limit=limit, floor=floor)
    if not hits and not is_silent and may_be_answered_by_successors(condition.view):
        wider = replace(condition, view=replace(condition.view, include=_OUTDATED))
        _, ranked = await _ranked(core, question, asked, wider, certainty, limit=limit)
        fit = [item for item in ranked if item.score >= floor][:limit]
        hits = await _in_their_place(core, fit, condition, wider, certainty)
    return Recall(
        hits=tuple(hits),
        abstained=not hits,
        query_time=now,
        query=question.text,
        considered=considered,
        likelihood=likely,
    )


_OUTDATED: frozenset[Include] = frozenset(("superseded",))


def _certainty(core: Core, question: Question, asked: _Asked) -> Certainty | None:
    """What reads strengths as probabilities; nothing does for a question that is a vector alone,
    or where the scores are to be something else."""
    if question.text is None or not core.settings.preset.is_probability:
        return None
    return certainty_for(
        core.embedding,
        has_vector=asked.vector is not None,
        has_tokens=asked.tokens is not None,
    )


async def _ranked(
    core: Core,
    question: Question,
    asked: _Asked,
    condition: Condition,
    certainty: Certainty | None,
    *,
    limit: int,
) -> tuple[int, Sequence[Scored]]:
    """How many memories were in question, and the best of them, best first."""
    preset = core.settings.preset
    fewest = MIN_CANDIDATES if asked.tokens is None else LOOKED_AT_AGAIN
    search = Search(
        condition=condition,
        vector=asked.vector,
        model=core.embedding.identity if asked.vector is not None else None,
        terms=() if question.text is None else query_lexemes(question.text),
        limit=candidates_for(limit, preset, fewest=fewest),
    )
    found = await core.store.search(search)
    candidates = await with_tokens(core, search, found, asked.tokens)
    ranked = rank(
        candidates,
        preset=preset,
        calibration=core.embedding.calibration,
        now=condition.view.now,
        considered=found.considered,
        asks_in_han=None if question.text is None else holds_han(question.text),
        unwritten=core.accesses.counts(item.id for item in candidates),
        certainty=certainty,
    )
    return found.considered, ranked


async def _in_their_place(
    core: Core,
    ranked: Sequence[Scored],
    condition: Condition,
    wider: Condition,
    certainty: Certainty | None,
) -> list[Hit]:
    """What took the place of outdated memories that answer the question, with their scores."""
    records = await _records(core, [item.candidate.id for item in ranked], wider)
    successors = await successors_of(core, list(records.values()), condition)
    placed: dict[str, tuple[Scored, Memory]] = {}
    for item in ranked:
        successor = successors.get(item.candidate.id)
        if successor is not None:
            placed.setdefault(successor.id, (item, successor))
    return await _shown(core, list(placed.values()), condition, certainty)


async def _hits(
    core: Core,
    ranked: Sequence[Scored],
    condition: Condition,
    certainty: Certainty | None,
    *,
    limit: int,
    floor: float,
) -> list[Hit]:
    """Read the best records until `limit` of them, none below `floor`, are fit to be shown.

    The record is the truth: what it does not admit any more is dropped, whatever an index said.
    """
    readable: list[tuple[Scored, Memory]] = []
    distinct: list[tuple[Scored, Memory]] = []
    start, step = 0, limit + 2
    while start < len(ranked) and len(distinct) < limit:
        batch = [item for item in ranked[start : start + step] if item.score >= floor]
        if not batch:
            break
        records = await _records(core, [item.candidate.id for item in batch], condition)
        readable.extend(
            (item, record)
            for item in batch
            if (record := records.get(item.candidate.id)) is not None and condition.admits(record)
        )
        distinct = without_repeats(readable, _repeats, gist=_gist, limit=limit)
        start += step
    return await _shown(core, _as_useful(distinct), condition, certainty)


async def _shown(
    core: Core,
    items: Sequence[tuple[Scored, Memory]],
    condition: Condition,
    certainty: Certainty | None,
) -> list[Hit]:
    """The hits, in this order."""
    now = condition.view.now
    config_hash = core.hash_config()
    preset = core.settings.preset
    contested = await _contested(core, [record for _, record in items], condition)
    return [
        Hit(
            memory=record,
            score=item.score,
            status=status(record, now, contested=record.id in contested),
            explanation=explain(item, preset=preset, config_hash=config_hash, certainty=certainty),
        )
        for item, record in items
    ]


SAID_ALREADY = 0.8
"""Share of its strength with which a fact is placed when the words it was drawn from come before it.
The words are never placed behind their fact: they may say more."""
UNVOUCHED = 0.85
"""The same for words that nobody vouches for, such as an assistant's."""


def _as_useful(items: Sequence[tuple[Scored, Memory]]) -> list[tuple[Scored, Memory]]:
    """The items in the order of what each adds; their strengths and scores stay what they are."""
    shown: set[str] = set()
    placed: list[tuple[float, int]] = []
    for place, (item, memory) in enumerate(items):
        weight = UNVOUCHED if memory.confidence <= 0 else 1.0
        if not shown.isdisjoint(memory.provenance):
            weight *= SAID_ALREADY
        shown.add(memory.id)
        placed.append((-item.strength * weight, place))
    return [items[place] for _, place in sorted(placed)]


async def _contested(
    core: Core, memories: Sequence[Memory], condition: Condition
) -> frozenset[str]:
    """Ids of those that something still believed contradicts."""
    ids = {other for memory in memories for other in memory.contradicts}
    if not ids:
        return frozenset()
    now = condition.view.now
    others = (await _records(core, sorted(ids), condition)).values()
    believed = {other.id for other in others if is_believed(other, now)}
    return frozenset(
        memory.id for memory in memories if not believed.isdisjoint(memory.contradicts)
    )


def _gist(item: tuple[Scored, Memory]) -> int:
    return gist(item[1].content)


def _repeats(earlier: tuple[Scored, Memory], item: tuple[Scored, Memory]) -> bool:
    return repeats(earlier[1], item[1])


async def _records(core: Core, ids: list[str], condition: Condition) -> dict[str, Memory]:
    """The records as they stand, or as they stood at the asked moment of knowledge."""
    scope, known_as_of = condition.view.scope, condition.view.known_as_of
    if known_as_of is None:
        return await core.store.get(scope, ids)
    past: dict[str, Memory] = {}
    for memory_id in ids:
        entries = await core.store.history(scope, memory_id)
        past |= replay(entries, until=known_as_of)
    return past
