"""Facts by pattern: what each language's closed forms state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perdure.domain.readings import USER, Claim, Modality, Span
from perdure.understanding.languages.language import FactPattern, Language
from perdure.understanding.predicates import FAVOURITE, is_single_valued
from perdure.understanding.statements import statement_of


def facts_by_pattern(
    text: str, form: str, sentence: Span, languages: Sequence[Language], modality: Modality
) -> list[Claim]:
    """The facts that patterns find in one sentence, in order of place, none overlapping."""
    part = form[sentence.start : sentence.end]
    found: list[Claim] = []
    for language in languages:
        if language.script.search(part):
            found.extend(_of_language(text, part, sentence, language, modality))
    found.sort(key=lambda claim: (claim.span.start, -claim.span.end, claim.polarity == "+"))
    kept: list[Claim] = []
    for claim in found:
        if not kept or claim.span.start >= kept[-1].span.end:
            kept.append(claim)
    return kept


def _of_language(
    text: str, part: str, sentence: Span, language: Language, modality: Modality
) -> Iterator[Claim]:
    for pattern in language.facts:
        for match in pattern.pattern.finditer(part):
            span = Span(
                start=sentence.start + match.start("o"), end=sentence.start + match.end("o")
            )
            yield _claim(text, span, pattern, match.groupdict().get("k") or "", language, modality)


def _claim(
    text: str,
    span: Span,
    pattern: FactPattern,
    kind: str,
    language: Language,
    modality: Modality,
) -> Claim:
    predicate = pattern.predicate
    if predicate == FAVOURITE:
        predicate += language.kinds.get(kind, kind)
    polarity = pattern.polarity
    return Claim(
        subject=USER,
        predicate=predicate,
        object=span.of(text),
        span=span,
        statement=statement_of(
            language,
            subject=USER,
            predicate=predicate,
            value=span.of(text),
            polarity=polarity,
            is_passing=modality is Modality.TEMPORARY,
            kind=kind,
        ),
        polarity=polarity,
        modality=modality,
        is_single_valued=is_single_valued(predicate),
        confidence=0.8,
        leaned_on=(f"pattern:{language.code}:{pattern.predicate}",),
    )
