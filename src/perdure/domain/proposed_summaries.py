"""Whether what a language model wrote as a summary may stand for its sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from perdure.domain.analysis import query_lexemes
from perdure.domain.summaries import MOST_LINE_CHARS, MOST_LINES, Line
from perdure.domain.text import fold, holds_han, is_blank

SUMMARY_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "sources": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["text", "sources"],
            },
        }
    },
    "required": ["lines"],
}

LEAST_FROM_SOURCES = 0.5
"""Of a line's terms, how many must stand in the sources it cites: it may rephrase, not invent."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<=[\w,;]\s)[A-Z][^\W\d_]+")
_NEGATION = re.compile(r"\b(?:not|no|never|none|without|\w+n['’]t)\b|[不没沒別别無无未]", re.I)


def checked_lines(
    answer: Mapping[str, Any], sources: Mapping[str, tuple[str, str]]
) -> tuple[Line, ...] | str:
    """The lines of an answer, or why it is refused. A summary is taken whole or not at all.

    `sources` maps the short ids the model was shown to (memory id, words). A line must cite some
    of them and be in their script; its numbers, its names and most of its other words must stand
    there, and it may deny something only where they do.
    """
    proposed = answer.get("lines")
    if not isinstance(proposed, Sequence) or isinstance(proposed, str) or not proposed:
        return "it has no lines"
    if len(proposed) > MOST_LINES:
        return f"it has more than {MOST_LINES} lines"
    lines: list[Line] = []
    for number, item in enumerate(proposed, start=1):
        fault = _fault(item, sources)
        if fault is not None:
            return f"line {number} {fault}"
        cited = tuple(dict.fromkeys(sources[name][0] for name in item["sources"]))
        lines.append(Line(text=" ".join(item["text"].split()), sources=cited))
    return tuple(lines)


def _fault(item: Any, sources: Mapping[str, tuple[str, str]]) -> str | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
        return "has no text"
    text, cited = item["text"], item.get("sources")
    if is_blank(text) or len(text) > MOST_LINE_CHARS:
        return f"is empty or longer than {MOST_LINE_CHARS} characters"
    if not isinstance(cited, Sequence) or isinstance(cited, str) or not cited:
        return "cites nothing"
    if not all(isinstance(name, str) and name in sources for name in cited):
        return "cites what it was not shown"
    words = "\n".join(sources[name][1] for name in cited)
    return _invention(text, words)


def _invention(text: str, words: str) -> str | None:
    if holds_han(text) != holds_han(words):
        return "is in another script than its sources"
    if not set(_NUMBER.findall(fold(text))) <= set(_NUMBER.findall(fold(words))):
        return "has a number that is not in its sources"
    folded = fold(words)
    if not all(fold(name) in folded for name in _NAME.findall(text)):
        return "has a name that is not in its sources"
    if _NEGATION.search(text) and not _NEGATION.search(words):
        return "denies what its sources do not"
    terms, known = query_lexemes(text), set(query_lexemes(words))
    if sum(term in known for term in terms) < LEAST_FROM_SOURCES * len(terms):
        return "says more than its sources"
    return None
