"""Facts: what the networks found, completed and checked with each language's closed forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from perdure.domain.readings import USER, Claim, Modality, Polarity, Span, When
from perdure.understanding.forms import form_of
from perdure.understanding.languages.language import Language
from perdure.understanding.learned.reader import NAMED, NO_FACT, OTHER, Found, Marked
from perdure.understanding.modality import is_passing
from perdure.understanding.predicates import ATTRIBUTE, FAVOURITE, RELATIONS, is_single_valued
from perdure.understanding.roles import roles_in
from perdure.understanding.signs import Signs
from perdure.understanding.statements import statement_of

LEAST_SURE = 0.55
"""Below it a span that looks like a fact is passed over."""

LEAST_HELD = 0.6
"""Below it a fact is not taken as asserted."""

CLEARLY_HELD = 0.97
"""Above it a fact is asserted even in a sentence that asks or supposes something."""

_SAYING_NO = frozenset({"dislikes", "avoids", "likes", "prefers"})
"""Predicates that a negation belongs to ("I don't eat meat") or may ask the contrary of."""

_OFTEN_PASSING = frozenset({"located_in", "health_condition"})
"""Predicates of people that hold only for now where the sentence says so."""

_NAMES = frozenset({"name", "nickname", "pet_name"})
_ROLE_OF = {**{role: role for role in RELATIONS}, "pet_name": "pet"}
_OF_PETS = frozenset({"has_pet", "pet_name"})

SURELY_USER = 0.8
"""Above it a fact is the speaker's own although somebody else is named before it."""

_BY_PATTERN = 0.8
MARGIN = 0.1
"""A pattern takes the place of what the networks found only where they are less sure by this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One sentence with what has to be known to read its facts.

    `modality` is the sentence's own, `when` the time it names; `speaker` the speaker's name;
    `tells` whether the message is more likely than not to say something to keep.
    """

    text: str
    form: str
    sentence: Span
    languages: Sequence[Language]
    signs: Signs
    modality: Modality
    when: When | None
    speaker: str | None
    tells: bool
    version: str


def facts_of(scene: Scene, marked: Marked) -> tuple[Claim, ...]:
    """The facts of one sentence, in order of place, none overlapping."""
    names = _whole_names(scene, marked)
    claims = [
        claim
        for found in marked.facts
        if _is_inside(found.span, scene.sentence)
        for claim in _learned(scene, found, names)
    ]
    more = [*_by_pattern(scene), *_attributes(scene)] if scene.tells else []
    for claim in more:
        rivals = [known for known in claims if _overlap(claim.span, known.span)]
        if all(known.confidence < claim.confidence - MARGIN for known in rivals):
            claims = [known for known in claims if known not in rivals]
            claims.append(claim)
    claims.extend(_own_name(scene, claims))
    claims.sort(key=lambda claim: claim.span.start)
    return tuple(_replacing(scene, claims))


def _replacing(scene: Scene, claims: Sequence[Claim]) -> Iterator[Claim]:
    """The claims without those that only name a value that gives way, which is noted instead."""
    part = scene.form[scene.sentence.start : scene.sentence.end]
    gone = None
    for language in scene.languages:
        if gone is None and language.script.search(part):
            gone = language.replaced.search(part)
    if gone is None:
        yield from claims
        return
    start, end = (scene.sentence.start + place for place in gone.span("o"))
    span = Span(start=start, end=end)
    apart = [claim for claim in claims if not _overlap(claim.span, span)]
    held = [each for each in apart if each.modality.is_held and each.polarity == "+"]
    for claim in claims:
        if len(held) == 1 and claim is held[0]:
            yield replace(claim, replaces=span.of(scene.text))
        elif claim in apart or all(claim.predicate != each.predicate for each in held):
            yield claim


def _own_name(scene: Scene, claims: Sequence[Claim]) -> Iterator[Claim]:
    """The speaker's name, where the speaker is known by it and says it of themselves."""
    if not scene.speaker:
        return
    part = scene.form[scene.sentence.start : scene.sentence.end]
    name = form_of(scene.speaker)
    place = part.find(name)
    following = part[place + len(name) :][:1]
    if place < 0 or (following.isascii() and following.isalnum()):
        return
    if not any(
        language.script.search(part) and language.own_name.fullmatch(part[:place])
        for language in scene.languages
    ):
        return
    start = scene.sentence.start + place
    span = Span(start=start, end=start + len(name))
    if not any(_overlap(span, claim.span) for claim in claims):
        yield _claim(
            scene,
            span=span,
            subject=USER,
            predicate="name",
            kind="",
            polarity="+",
            modality=scene.modality,
            confidence=_BY_PATTERN,
            leaned_on="speaker",
        )


def with_names(
    sentences: Sequence[tuple[Claim, ...]], language: Language
) -> list[tuple[Claim, ...]]:
    """The claims of a message, about somebody by name where the message gives their name."""
    names: dict[str, str] = {}
    for claims in sentences:
        for claim in claims:
            role = _ROLE_OF.get(claim.predicate)
            if role and claim.subject == USER and claim.polarity == "+" and claim.modality.is_held:
                names[f"{USER}.{role}"] = claim.object if f"{USER}.{role}" not in names else ""
    return [
        tuple(
            _about(claim, names[claim.subject], language) if names.get(claim.subject) else claim
            for claim in claims
        )
        for claims in sentences
    ]


def _about(claim: Claim, subject: str, language: Language) -> Claim:
    """The claim about a subject by another name."""
    kind = claim.predicate.partition(":")[2]
    return replace(
        claim,
        subject=subject,
        statement=statement_of(
            language,
            subject=subject,
            predicate=claim.predicate,
            value=claim.object,
            polarity=claim.polarity,
            is_passing=claim.modality is Modality.TEMPORARY,
            kind=kind,
        ),
    )


def _is_inside(span: Span, sentence: Span) -> bool:
    return sentence.start <= span.start < sentence.end


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


_AFTER_TITLE = re.compile(r"\.?\s+[^\W\d_][\w'-]*")


def _titled(scene: Scene, span: Span) -> Span:
    """A title ("Dr") with the name after it; anything else as it is."""
    for language in scene.languages:
        if language.title and language.title.fullmatch(span.of(scene.form)):
            named = _AFTER_TITLE.match(scene.text, span.end)
            return Span(start=span.start, end=named.end()) if named else span
    return span


def _whole(scene: Scene, span: Span) -> Span:
    """A name of one character with the character that belongs to it, in languages with such names."""
    if span.end - span.start > 1:
        return _titled(scene, span)
    for language in scene.languages:
        if language.name_rest is None or not language.script.match(span.of(scene.form)):
            continue
        if language.name_rest.match(scene.form[span.end : span.end + 1]):
            return Span(start=span.start, end=span.end + 1)
    return span


def _whole_names(scene: Scene, marked: Marked) -> list[Span]:
    """The names that facts are about, in order of place, each as whole as an object that holds it."""
    objects = [
        _whole(scene, found.span)
        for found in marked.facts
        if (found.predicate in RELATIONS or found.predicate in _NAMES)
        and found.sureness >= LEAST_SURE
    ]
    names = [
        next((span for span in objects if _overlap(span, name.span)), _whole(scene, name.span))
        for name in marked.names
    ]
    return sorted({(name.start, name.end): name for name in names}.values(), key=lambda n: n.start)


def _learned(scene: Scene, found: Found, names: Sequence[Span]) -> Iterator[Claim]:
    if found.predicate == NO_FACT or found.sureness < LEAST_SURE:
        return
    role = _introduced(scene, found)
    subject = USER if role else _subject(scene, found, names)
    if subject is None:
        return
    predicate, kind = (role, "") if role else _predicate(scene, found)
    is_name = predicate in RELATIONS or predicate in _NAMES
    yield _claim(
        scene,
        span=_whole(scene, found.span) if is_name else found.span,
        subject=subject,
        predicate=predicate,
        kind=kind,
        polarity=_polarity(scene, found),
        modality=_modality(scene, found),
        confidence=min(found.sureness, max(found.subject_sureness, 0.5)),
        leaned_on=f"network:{scene.version}",
    )


def _polarity(scene: Scene, found: Found) -> Polarity:
    """The networks' word, checked: a denial right before the object, or none anywhere."""
    if found.polarity == "-" and not scene.signs.has("negation", "ended", "change"):
        return "+"
    part = scene.form[scene.sentence.start : found.span.start]
    after = scene.form[found.span.end : scene.sentence.end]
    for language in scene.languages:
        if language.script.search(part):
            ends = [match.end() for match in language.clause.finditer(part)]
            clause = part[ends[-1] :] if ends else part
            told = _told_polarity(language, clause, after, found.predicate)
            if told:
                return told
    return found.polarity


def _told_polarity(language: Language, clause: str, after: str, predicate: str) -> Polarity | None:
    """What the words right around an object say: `clause` is its clause before it, `after` the rest."""
    denial = language.denying.search(clause)
    is_denied = denial is not None and len(clause) - denial.end() <= language.denial_reach
    if language.arriving.search(clause) and not is_denied:
        return "+"
    if predicate == "avoids":
        is_again = language.again.search(clause) or language.again.match(after)
        return "-" if is_again and not is_denied else "+" if is_denied else None
    if predicate in _SAYING_NO:
        return None
    is_left = language.leaving.search(clause) and language.left_for.match(after)
    return "-" if is_denied or is_left else None


def _modality(scene: Scene, found: Found) -> Modality:
    """How the fact is meant: the networks' word, unless the sentence's own forms say otherwise."""
    if scene.signs.has("code"):
        return Modality.QUOTED
    if found.predicate in _STATES and _is_intended(scene, found):
        return Modality.HYPOTHETICAL
    least = LEAST_HELD if scene.modality.is_held else CLEARLY_HELD
    if found.modality.is_held:
        if found.held >= least:
            if found.modality is Modality.TEMPORARY and scene.signs.has("begins"):
                return Modality.ASSERTED
            passes = found.predicate in _OFTEN_PASSING and is_passing(scene.signs)
            return (
                Modality.TEMPORARY
                if passes and found.subject != "user.office" and found.subject != NAMED
                else found.modality
            )
        return Modality.HYPOTHETICAL if scene.modality.is_held else scene.modality
    return found.modality


_STATES = frozenset(("lives_in", "works_at", "job_title", "studies_at", "owns", "has_pet"))
"""What somebody has, is or does only once the intention is carried out."""


def _is_intended(scene: Scene, found: Found) -> bool:
    """Whether the words before the object say that it is wanted or planned, not so yet."""
    before = scene.form[scene.sentence.start : found.span.start]
    for language in scene.languages:
        if language.script.search(before):
            ends = [match.end() for match in language.clause.finditer(before)]
            if language.intention.search(before[ends[-1] :] if ends else before):
                return True
    return False


def _subject(scene: Scene, found: Found, names: Sequence[Span]) -> str | None:
    """Whom the fact is about: the speaker, somebody of theirs, or the name nearest before it."""
    if found.subject == OTHER:
        return None
    if found.subject != NAMED:
        return _known_subject(scene, found)
    others = [name for name in names if not _overlap(name, found.span)]
    before = [name for name in others if name.end <= found.span.start]
    after = [name for name in others if name.start >= found.span.end]
    nearest = before[-1] if before else after[0] if after else None
    if nearest is None:
        return _of_role(scene, found.span)
    name = nearest.of(scene.text)
    is_speaker = scene.speaker is not None and name.casefold() == scene.speaker.casefold()
    return USER if is_speaker else name


def _known_subject(scene: Scene, found: Found) -> str:
    """The speaker or somebody of theirs: the word for what they are decides, where there is one."""
    is_own = found.predicate in RELATIONS or found.predicate in _OF_PETS
    if found.subject == USER and (is_own or found.subject_sureness >= SURELY_USER):
        return USER
    return _of_role(scene, found.span) or found.subject


def _introduced(scene: Scene, found: Found) -> str | None:
    """The role in which somebody is named right after the word for it: "my aunt, Bess"."""
    if found.predicate not in RELATIONS and found.predicate not in _NAMES:
        return None
    part = scene.form[scene.sentence.start : found.span.start]
    named = roles_in(part)
    if not named or named[-1].role not in RELATIONS:
        return None
    between = part[named[-1].end :]
    if any(language.introducing.fullmatch(between) for language in scene.languages):
        return named[-1].role
    return None


def _of_role(scene: Scene, span: Span) -> str | None:
    """Somebody of the speaker's, named by a role before the span with no other subject between."""
    part = scene.form[scene.sentence.start : span.start]
    named = roles_in(part)
    if not named or named[-1].role not in RELATIONS:
        return None
    between = part[named[-1].end :]
    for language in scene.languages:
        if language.script.search(between) and language.cues.first_person.search(between):
            return None
    return f"{USER}.{named[-1].role}"


def _predicate(scene: Scene, found: Found) -> tuple[str, str]:
    """The predicate, for a favourite with the kind of thing, and that kind in the words used."""
    if found.predicate != FAVOURITE:
        return found.predicate, ""
    part = scene.form[scene.sentence.start : scene.sentence.end]
    for language in scene.languages:
        named = language.favourite_kind.search(part)
        if named:
            word = named["k"].strip()
            return FAVOURITE + language.kinds.get(word, word), word
    return "likes", ""


def _by_pattern(scene: Scene) -> Iterator[Claim]:
    part = scene.form[scene.sentence.start : scene.sentence.end]
    for language in scene.languages:
        if not language.script.search(part):
            continue
        for pattern in language.facts:
            for match in pattern.pattern.finditer(part):
                kind = match.groupdict().get("k") or ""
                predicate = pattern.predicate
                if predicate == FAVOURITE:
                    predicate += language.kinds.get(kind, kind)
                yield _claim(
                    scene,
                    span=Span(
                        start=scene.sentence.start + match.start("o"),
                        end=scene.sentence.start + match.end("o"),
                    ),
                    subject=USER,
                    predicate=predicate,
                    kind=kind,
                    polarity=pattern.polarity,
                    modality=scene.modality,
                    confidence=_BY_PATTERN,
                    leaned_on=f"pattern:{language.code}:{pattern.predicate}",
                )


def _attributes(scene: Scene) -> Iterator[Claim]:
    """What something of the speaker's is, where its value is a name or holds a number."""
    part = scene.form[scene.sentence.start : scene.sentence.end]
    for language in scene.languages:
        if not (scene.modality.is_held and language.script.search(part)):
            continue
        for pattern in language.attributes:
            for match in pattern.finditer(part):
                span = Span(
                    start=scene.sentence.start + match.start("o"),
                    end=scene.sentence.start + match.end("o"),
                )
                if _is_definite(span.of(scene.text)) and "'s" not in match["k"]:
                    yield _claim(
                        scene,
                        span=span,
                        subject=USER,
                        predicate=ATTRIBUTE + match["k"].strip(),
                        kind="",
                        polarity="+",
                        modality=scene.modality,
                        confidence=_BY_PATTERN,
                        leaned_on=f"pattern:{language.code}:attribute",
                    )


def _is_definite(value: str) -> bool:
    return value[0].isupper() or any(char.isdigit() for char in value)


def _claim(
    scene: Scene,
    *,
    span: Span,
    subject: str,
    predicate: str,
    kind: str,
    polarity: Polarity,
    modality: Modality,
    confidence: float,
    leaned_on: str,
) -> Claim:
    span = _titled(scene, span)
    value = span.of(scene.text)
    return Claim(
        subject=subject,
        predicate=predicate,
        object=value,
        span=span,
        statement=statement_of(
            scene.languages[0],
            subject=subject,
            predicate=predicate,
            value=value,
            polarity=polarity,
            is_passing=modality is Modality.TEMPORARY,
            kind=kind,
        ),
        polarity=polarity,
        modality=modality,
        is_single_valued=is_single_valued(predicate),
        when=scene.when,
        confidence=confidence,
        leaned_on=(leaned_on,),
    )
