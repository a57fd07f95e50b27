"""The second look at what a search found: a question's words against the words of each candidate."""

from __future__ import annotations

from perdure.domain.late_interaction import QuestionTokens, evidence, similarities, weights
from perdure.domain.query import Found, Search
from perdure.domain.ranking import Candidate
from perdure.engine.core import Core


async def with_tokens(
    core: Core, search: Search, found: Found, question: QuestionTokens | None
) -> tuple[Candidate, ...]:
    """The candidates, with what late interaction says of those that have vectors of words.

    A candidate without a cosine is passed over: its stored vectors, if any, belong to other words
    than those that are looked at.
    """
    model = core.embedding.token_model
    if question is None or model is None or not found.candidates:
        return found.candidates
    ids = [item.id for item in found.candidates if item.cosine is not None]
    stored = await core.store.token_vectors(search.condition.view, ids, model=model)
    width = question.rows.shape[1]
    rows = {id_: item.rows for id_, item in stored.items() if item.rows.shape[1] == width}
    weight = weights(question.words, dict(zip(search.terms, found.rarities, strict=True)))
    alike = similarities(question.rows, weight, list(rows.values()))
    said = evidence(
        {id_: value for id_, value in zip(rows, alike, strict=True) if value is not None},
        found.beside,
    )
    return tuple(
        item._replace(tokens=said[item.id]) if item.id in said else item
        for item in found.candidates
    )
