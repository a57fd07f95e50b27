"""What one message says and asks, offline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from perdure.domain.readings import (
    Intent,
    Reading,
    Sentence,
    Span,
    Target,
    When,
)
from perdure.understanding.facts import facts_by_pattern
from perdure.understanding.forms import form_of
from perdure.understanding.intents import Ask, ask_by_rules
from perdure.understanding.languages.known import LANGUAGES
from perdure.understanding.languages.language import Language
from perdure.understanding.modality import modality_of
from perdure.understanding.sentences import split_sentences
from perdure.understanding.signs import Signs
from perdure.understanding.times import find_times

Vectors = Callable[[str], "Sequence[float] | None"]

_ORDER = (Intent.DELETE, Intent.CONSOLIDATE, Intent.UPDATE, Intent.CREATE, Intent.NONE)


def read(
    message: str,
    *,
    at: datetime,
    context: Sequence[tuple[str, str]] = (),
    speaker: str | None = None,
    vectors: Vectors | None = None,
) -> Reading:
    """What the message says and asks, given when it was sent and the turns before it.

    `context` holds (role, content), oldest first. `speaker` is the name the speaker goes by,
    where it is known. `vectors` gives the bundled encoder's vector of a sentence, or None where
    it has none at hand; everything works without. Never fails on any text.
    """
    form = form_of(message)
    languages = _languages(form)
    read_parts = [
        _sentence(message, form, span, languages, at) for span in split_sentences(message)
    ]
    sentences = tuple(sentence for sentence, _ in read_parts)
    asks = [ask for _, ask in read_parts]
    if not asks:
        return Reading(language=languages[0].code, intent=Intent.NONE, leaned_on=("nothing",))
    best = min(range(len(asks)), key=lambda place: _ORDER.index(asks[place].intent))
    chosen, where = asks[best], sentences[best].span
    evidence = Span(start=where.start + chosen.start, end=where.start + chosen.end)
    answers = _answer(form, context)
    return Reading(
        language=languages[0].code,
        intent=chosen.intent,
        confidence=chosen.confidence,
        evidence=evidence if chosen.end else where,
        sentences=sentences,
        targets=_targets(message, sentences),
        answers=answers,
        leaned_on=(chosen.rule,),
    )


def _languages(form: str) -> list[Language]:
    """The languages of a text, the one with most words first."""
    weight = {
        language.code: sum(len(run) > 1 or run > "z" for run in language.script.findall(form))
        for language in LANGUAGES
    }
    return sorted(LANGUAGES, key=lambda language: -weight[language.code])


def _sentence(
    message: str, form: str, span: Span, languages: Sequence[Language], at: datetime
) -> tuple[Sentence, Ask]:
    signs = Signs(span.of(form), languages)
    modality = modality_of(signs)
    claims = facts_by_pattern(message, form, span, languages, modality)
    ask = ask_by_rules(signs, modality, has_facts=any(c.modality.is_held for c in claims))
    return (
        Sentence(
            span=span,
            text=span.of(message),
            intent=ask.intent,
            modality=modality,
            is_worth_keeping=modality.is_held and not signs.has("courtesy", "task"),
            when=_when(span.of(message), at),
            claims=tuple(claims),
        ),
        ask,
    )


def _when(text: str, at: datetime) -> When | None:
    for found in find_times(text, reference=at):
        return When(
            start=found.interval.start,
            end=found.interval.end,
            precision=found.precision.value,
            words=found.text,
        )
    return None


def _targets(message: str, sentences: Sequence[Sentence]) -> tuple[Target, ...]:
    return tuple(
        Target(text=sentence.text, span=sentence.span)
        for sentence in sentences
        if sentence.intent is Intent.DELETE
    )


def _answer(form: str, context: Sequence[tuple[str, str]]) -> bool | None:
    if not context or context[-1][0] != "assistant":
        return None
    languages = _languages(form)
    before = Signs(form_of(context[-1][1]), LANGUAGES)
    if not before.has("offers_to_keep", "offers_to_lose", "guess"):
        return None
    signs = Signs(form.lstrip(), languages)
    if signs.has("no"):
        return False
    return True if signs.has("yes") else None
