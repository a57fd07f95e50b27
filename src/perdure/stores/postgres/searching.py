"""Search: cosines and term counts from the database, scores and the choice in Python."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from perdure.domain.lexical import (
    CorpusStatistics,
    Turn,
    beside,
    lexical_score,
    rarities,
    with_neighbours,
    with_sessions,
)
from perdure.domain.query import Found, Search
from perdure.domain.ranking import Candidate
from perdure.domain.times import to_micros
from perdure.stores.postgres.conditions import admitting
from perdure.stores.postgres.rows import Row, array_literal
from perdure.stores.postgres.transactions import Session


async def search_rows(session: Session, search: Search) -> Found:
    """Both arms' best among what the condition admits, exactly."""
    sql, values = admitting("search", search.condition)
    has_vector = search.vector is not None
    rows = await session.composed_rows(
        sql,
        {
            **values,
            "terms": array_literal(search.terms),
            "vector": search.vector,
            "model": search.model if has_vector else None,
            "limit": search.limit,
        },
    )
    considered = rows[0]["considered"]
    in_question = [row for row in rows if row["id"] is not None]
    corpus, counted = _statistics(in_question, search.terms, rows[0])
    scores = _lexical_scores(counted, search.terms, corpus)
    candidates = _chosen(in_question, scores, search.limit)
    chosen = {candidate.id for candidate in candidates}
    return Found(
        candidates=candidates,
        considered=considered,
        without_vector=considered - rows[0]["with_vector"] if has_vector else 0,
        rarities=rarities(search.terms, corpus),
        beside=beside(_turns([row for row in in_question if row["id"] in chosen])),
    )


Counts = list[tuple[Row, dict[int, int]]]
"""The rows that have a term of the question, and how often each term occurs in them."""


def _statistics(
    rows: Sequence[Row], terms: tuple[int, ...], totals: Row
) -> tuple[CorpusStatistics, Counts]:
    matching = [
        (row, dict(zip(terms, json.loads(row["frequencies"]), strict=True)))
        for row in rows
        if row["frequencies"] is not None
    ]
    considered = totals["considered"]
    corpus = CorpusStatistics(
        documents=considered,
        length=int(totals["total_length"]) / considered if considered else 0.0,
        containing={term: sum(counts[term] > 0 for _, counts in matching) for term in terms},
    )
    return corpus, matching


def _lexical_scores(
    matching: Counts, terms: tuple[int, ...], corpus: CorpusStatistics
) -> dict[str, float]:
    """The scores above 0 of the rows that have a term."""
    scores = {
        row["id"]: lexical_score(terms, counts, row["length"], corpus) for row, counts in matching
    }
    found = {memory_id: score for memory_id, score in scores.items() if score > 0}
    raised = with_neighbours(found, _turns([row for row, _ in matching]))
    return with_sessions(
        raised,
        terms,
        {row["id"]: counts for row, counts in matching},
        {row["id"]: _session(row) for row, _ in matching},
        corpus,
    )


def _session(row: Row) -> tuple[str, str, str] | None:
    """The tenant is the same in all rows."""
    return (row["user_id"], row["agent"], row["session"]) if row["session"] else None


def _turns(rows: Sequence[Row]) -> dict[str, Turn]:
    return {
        row["id"]: Turn(
            (row["user_id"], row["agent"], row["session"]),
            row["turn"],
            to_micros(row["occurred_at"]),
        )
        for row in rows
        if row["turn"] is not None
    }


def _chosen(rows: Sequence[Row], scores: Mapping[str, float], limit: int) -> tuple[Candidate, ...]:
    cosines = {row["id"]: row["cosine"] for row in rows if row["cosine"] is not None}
    chosen = _best(cosines, limit) | _best(scores, limit)
    return tuple(
        Candidate(
            id=row["id"],
            cosine=row["cosine"],
            lexical=scores.get(row["id"], 0.0),
            importance=row["importance"],
            occurred_us=to_micros(row["occurred_at"]),
            accessed_count=row["accessed_count"],
            is_han=row["is_han"],
        )
        for row in rows
        if row["id"] in chosen
    )


def _best(values: Mapping[str, float], limit: int) -> set[str]:
    return set(sorted(values, key=lambda memory_id: (-values[memory_id], memory_id))[:limit])
