"""Where the words that a language model quotes stand in a message."""

from __future__ import annotations

import re
from collections.abc import Sequence

from perdure.domain.analysis import lexemes
from perdure.domain.readings import Sentence, Span

_EDGES = " \t\r\n\"'“”‘’「」…."
_WORD = re.compile(r"\S+")


def place_of(words: str | None, message: str) -> Span | None:
    """The first place of the words, whatever their case and spacing; None when they are not there."""
    sought = (words or "").strip(_EDGES)
    if not sought:
        return None
    start = message.find(sought)
    if start >= 0:
        return Span(start=start, end=start + len(sought))
    loose = r"\s*".join(re.escape(part) for part in _WORD.findall(sought))
    found = re.search(loose, message, re.IGNORECASE)
    return Span(start=found.start(), end=found.end()) if found else None


def sentence_at(span: Span, sentences: Sequence[Sentence]) -> int:
    """The position of the sentence that has most of the span."""
    shared = [
        min(span.end, sentence.span.end) - max(span.start, sentence.span.start)
        for sentence in sentences
    ]
    return shared.index(max(shared))


def likeliest_sentence(words: str, sentences: Sequence[Sentence]) -> int:
    """The position of the sentence that shares most with words that stand nowhere as they are."""
    sought = set(lexemes(words))
    shared = [len(sought & set(lexemes(sentence.text))) for sentence in sentences]
    best = max(shared)
    if best:
        return shared.index(best)
    worth = [place for place, sentence in enumerate(sentences) if sentence.is_worth_keeping]
    return worth[0] if worth else 0
