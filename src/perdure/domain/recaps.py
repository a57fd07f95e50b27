"""Whether words tell again what no longer holds: a recap, which revives nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

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


def names_only_known(content: str, values: Sequence[str], known: Iterable[str]) -> bool:
    """Whether all that the words name is named in what is known, and they name something of it.

    `values` are what the words state. Beside these, numbers, words with a capital letter inside a
    sentence, and words in quotation marks count as names.
    """
    texts = [fold(text) for text in known]
    names = {fold(value) for value in (*values, *_names_in(content))}
    return bool(texts) and all(any(name in text for text in texts) for name in names)


_NAME = re.compile(
    r"[《“\"「『]([^》”\"」』]+)[》”\"」』]|(?<=[\w,;:] )([A-Z][\w'-]+)|(\d[\w.:,]*)"
)


def _names_in(content: str) -> Iterator[str]:
    for match in _NAME.finditer(content):
        name = next(group for group in match.groups() if group is not None)
        if name not in _NO_NAMES:
            yield name.removesuffix("'s")


_NO_NAMES = frozenset(("I", "I'm", "I've", "I'd", "I'll", "OK"))


def _terms(texts: Iterable[str]) -> set[int]:
    return {term for text in texts for term in query_lexemes(text)}
