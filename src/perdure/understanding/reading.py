"""What one message says and asks, offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from perdure.domain.readings import Claim, Intent, Reading, Sentence, Span, Target, When
from perdure.understanding.facts import Scene, facts_of, with_names
from perdure.understanding.forms import form_of
from perdure.understanding.intents import Ask, ask_of
from perdure.understanding.languages.known import LANGUAGES
from perdure.understanding.languages.language import Language
from perdure.understanding.learned.reader import LearnedReading
from perdure.understanding.learned.weights import learned
from perdure.understanding.modality import modality_of
from perdure.understanding.roles import roles_in
from perdure.understanding.sentences import split_sentences
from perdure.understanding.signs import Signs, signs_of
from perdure.understanding.times import find_times

LEAST_SURE_TARGET = 0.6
"""Below it a span that looks like what is to be lost is passed over."""

MOST = 0.5

SURELY_NOTHING = 0.85
"""Above it a sentence that the networks find to ask nothing is not worth keeping."""


def read(
    message: str,
    *,
    at: datetime,
    context: Sequence[tuple[str, str]] = (),
    speaker: str | None = None,
    addressed: bool = False,
) -> Reading:
    """What the message says and asks, given when it was sent and the turns before it.

    `context` holds (role, content), oldest first. `speaker` is the name the speaker goes by,
    where it is known. `addressed`: the words were said to the speaker, who agreed to them, and are
    read as if the speaker had said them; places are then those in these words. Never fails on
    any text.
    """
    if addressed:
        message = as_first_person(message)
    return _Reader(message, at, context, speaker).reading()


def as_first_person(text: str) -> str:
    """What somebody is told about themselves ("You live in Riga, right?") as they would say it."""
    for language in languages_of(form_of(text)):
        if language.script.search(form_of(text)):
            for told, said in language.to_first_person:
                text = told.compiled.sub(said, text)
    return text


class _Reader:
    """One message on its way to a reading."""

    def __init__(
        self,
        message: str,
        at: datetime,
        context: Sequence[tuple[str, str]],
        speaker: str | None,
    ) -> None:
        self._message = message
        self._form = form_of(message)
        self._at = at
        self._context = context
        self._speaker = speaker
        self._languages = languages_of(self._form)
        self._learned = learned()
        self._spans = split_sentences(message)
        self._network = LearnedReading(
            self._learned, message, self._spans, context, language=self._languages[0].code
        )
        self._marked = self._network.marked()

    def reading(self) -> Reading:
        whole = signs_of(self._form)
        several = self._spans if len(self._spans) > 1 else ()
        shares, *shares_of = self._network.intents(several)
        tells = shares[Intent.CREATE] + shares[Intent.UPDATE] >= MOST
        scenes = [self._scene(span, tells=tells) for span in self._spans]
        claims = with_names([facts_of(scene, self._marked) for scene in scenes], self._languages[0])
        is_held = any(claim.modality.is_held for each in claims for claim in each)
        parts = [
            (self._part(scene, told, asked), asked)
            for scene, told, asked in zip(scenes, claims, shares_of, strict=False)
        ]
        ask = ask_of(
            shares,
            whole,
            self._learned.version,
            states_facts=is_held,
            is_loss_asked=any(sentence.intent is Intent.DELETE for sentence, _ in parts),
        )
        if len(scenes) == 1:
            parts = [(self._sentence(scenes[0], whole, ask, shares, claims[0]), shares)]
        sentences = tuple(sentence for sentence, _ in parts)
        if ask.intent is Intent.NONE and shares[Intent.NONE] >= MOST:
            sentences = tuple(map(_said_in_passing, sentences))
        return Reading(
            language=self._languages[0].code,
            intent=ask.intent,
            confidence=ask.confidence,
            evidence=_evidence(ask, parts),
            sentences=sentences,
            targets=self._targets(ask, sentences),
            answers=self._answer(whole),
            leaned_on=ask.leaned_on,
        )

    def _scene(self, span: Span, *, tells: bool) -> Scene:
        signs = signs_of(span.of(self._form))
        return Scene(
            text=self._message,
            form=self._form,
            sentence=span,
            languages=self._languages,
            signs=signs,
            modality=modality_of(signs),
            when=_when(span.of(self._message), self._at),
            speaker=self._speaker,
            tells=tells,
            version=self._learned.version,
        )

    def _part(
        self, scene: Scene, claims: tuple[Claim, ...], shares: Mapping[Intent, float]
    ) -> Sentence:
        is_held = any(claim.modality.is_held for claim in claims)
        ask = ask_of(shares, scene.signs, self._learned.version, states_facts=is_held)
        return self._sentence(scene, scene.signs, ask, shares, claims)

    def _sentence(
        self,
        scene: Scene,
        signs: Signs,
        ask: Ask,
        shares: Mapping[Intent, float],
        claims: tuple[Claim, ...],
    ) -> Sentence:
        is_news = (
            scene.modality.is_held
            and shares.get(Intent.NONE, 0.0) < SURELY_NOTHING
            and not signs.has("courtesy", "task")
        )
        return Sentence(
            span=scene.sentence,
            text=scene.sentence.of(self._message),
            intent=ask.intent,
            modality=scene.modality,
            is_worth_keeping=is_news
            or ask.intent in (Intent.CREATE, Intent.UPDATE)
            or any(claim.modality.is_held for claim in claims),
            shows_change=signs.has("change", "correction", "ended", "begins"),
            is_retold=signs.has("retold"),
            when=scene.when,
            claims=claims,
        )

    def _targets(self, ask: Ask, sentences: Sequence[Sentence]) -> tuple[Target, ...]:
        """What is to be lost: all that is named, or one target that points back."""
        if ask.intent is not Intent.DELETE:
            return ()
        asking = [each for each in sentences if each.intent is Intent.DELETE] or list(sentences)
        is_everything = any(signs_of(each.span.of(self._form)).has("everything") for each in asking)
        kinds = frozenset[str]().union(*(self._predicates(each.span) for each in asking))
        named = [
            Target(
                text=target.span.of(self._message),
                span=target.span,
                is_everything=is_everything,
                predicates=kinds,
            )
            for target in self._marked.targets
            if target.sureness >= LEAST_SURE_TARGET
            and any(each.span.start <= target.span.start < each.span.end for each in asking)
        ]
        return tuple(named) or (Target(text="", is_everything=is_everything, predicates=kinds),)

    def _predicates(self, span: Span) -> frozenset[str]:
        """The predicates that words name by kind, unless they name somebody else with it."""
        form = span.of(self._form)
        if roles_in(form):
            return frozenset()
        return frozenset(
            predicate
            for language in self._languages
            if language.script.search(form)
            for predicate, words in language.slots.items()
            if words.search(form)
        )

    def _answer(self, signs: Signs) -> bool | None:
        if not self._context or self._context[-1][0] != "assistant":
            return None
        before = signs_of(form_of(self._context[-1][1]))
        if not before.has("offers_to_keep", "offers_to_lose", "guess"):
            return None
        if signs.has("no"):
            return False
        return True if signs.has("yes") else None


def _said_in_passing(sentence: Sentence) -> Sentence:
    """A sentence of a message that says nothing: nothing either, unless it states a fact."""
    if any(claim.modality.is_held for claim in sentence.claims):
        return sentence
    if sentence.intent not in (Intent.CREATE, Intent.UPDATE):
        return sentence
    return replace(sentence, intent=Intent.NONE, is_worth_keeping=False)


def languages_of(form: str) -> list[Language]:
    """The languages, the one with most words in the text first."""
    weight = {
        language.code: sum(len(run) > 1 or run > "z" for run in language.script.findall(form))
        for language in LANGUAGES
    }
    return sorted(LANGUAGES, key=lambda language: -weight[language.code])


def _evidence(ask: Ask, parts: Sequence[tuple[Sentence, Mapping[Intent, float]]]) -> Span | None:
    """The sentence that shows the intent best."""
    if not parts:
        return None
    return max(parts, key=lambda part: part[1].get(ask.intent, 0.0))[0].span


def _when(text: str, at: datetime) -> When | None:
    for found in find_times(text, reference=at):
        return When(
            start=found.interval.start,
            end=found.interval.end,
            precision=found.precision.value,
            words=found.text,
        )
    return None
