"""Whether words tell again what no longer holds: a recap, which revives nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perdure.domain.analysis import query_lexemes
from perdure.domain.text import fold


def is_recap(
    content: str, values: Sequence[str], *, current: Iterable[str], former: Iterable[str]
) -> bool:
    """Whether the words tell a value that only outdated statements have.

    `values` are what the words state; without any, their terms are compared instead. `current`
    and `former` are the statements near them that hold and that do not.
    """
    holds, held_once = [fold(text) for text in current], [fold(text) for text in former]
    if values:
        return any(
            any(value in text for text in held_once) and not any(value in text for text in holds)
            for value in map(fold, values)
        )
    outdated = _terms(held_once) - _terms(holds)
    return not outdated.isdisjoint(query_lexemes(content))


def _terms(texts: Iterable[str]) -> set[int]:
    return {term for text in texts for term in query_lexemes(text)}
