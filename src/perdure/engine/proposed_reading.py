"""From a language model's proposal about a message to a reading of it.

The sentences, and whatever the model leaves out, come from the rules' own reading; what the model
says takes precedence where it can be checked against the message. What cannot be taken is left out
and listed: facts about the assistant, facts drawn from a question, targets that do not exist, and
requests to lose something that no words of the message show.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from perdure.domain.predicates import Predicates
from perdure.domain.proposals import is_same_name, is_same_value, name_form
from perdure.domain.readings import (
    Claim,
    Intent,
    Modality,
    Reading,
    Relation,
    Sentence,
    Span,
    Target,
    When,
)
from perdure.engine.proposal import Proposal, ProposedFact, ProposedOperation
from perdure.engine.proposed_names import (
    in_words,
    is_in_language_of,
    predicate_of,
    subject_of,
)
from perdure.engine.proposed_places import likeliest_sentence, place_of, sentence_at

USUAL_CONFIDENCE, MOST_CONFIDENCE, LEAST_CONFIDENCE = 0.8, 0.95, 0.3
UNSHOWN_CONFIDENCE = 0.5
"""The most for a fact whose words do not stand in the message."""
BESIDE_THE_MODEL = 0.9
"""How sure the rules must be of a fact in a sentence from which the model drew others only."""
SURE_OTHERWISE = 0.85
"""How sure the rules must be of another intent for a delete to be refused: "don't forget to…" is not
one, and losing something by mistake is the worst that can happen."""

ABOUT_ASSISTANT = "about the assistant"
FROM_QUESTION = "drawn from a question"
UNKNOWN_TARGET = "an id that was not shown"
UNSHOWN_DELETE = "no words of the message ask for it"
NO_DELETE = "the rules are sure that the message asks for nothing of the kind"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What was read: the words, what the rules make of them, and who is speaking.

    `shown` are the words of each memory the model was shown, by the id it was shown under, and
    `stored` those ids by the ones the memories have in the store.
    """

    content: str
    offline: Reading
    speaker_names: tuple[str, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    stored: Mapping[str, str] = field(default_factory=dict)

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the rules' reading; the whole where it has none."""
        whole = Span(start=0, end=len(self.content))
        return self.offline.sentences or (
            Sentence(span=whole, text=self.content, intent=Intent.NONE, is_worth_keeping=False),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedReading:
    """The reading, what it does to shown memories, and what of the proposal was refused.

    `relations` maps the position of a sentence to what it does to memories, by the id shown.
    """

    reading: Reading
    relations: Mapping[int, Mapping[str, Relation]]
    refused: tuple[str, ...]


def reading_of(
    proposal: Proposal, message: Message, predicates: Predicates, *, leaned_on: Sequence[str]
) -> ProposedReading:
    """The reading that a proposal amounts to."""
    return _Drawing(proposal, message, predicates, tuple(leaned_on)).draw()


class _Drawing:
    """One proposal on its way to a reading."""

    def __init__(
        self,
        proposal: Proposal,
        message: Message,
        predicates: Predicates,
        leaned_on: tuple[str, ...],
    ) -> None:
        self._proposal = proposal
        self._message = message
        self._predicates = predicates
        self._leaned_on = leaned_on
        self._sentences = message.sentences
        self._claims: dict[int, list[Claim]] = {}
        self._refused = list(proposal.refused)
        self._relations: dict[int, dict[str, Relation]] = {}
        self._asked: dict[int, Intent] = {}
        self._targets: list[Target] = []
        self._evidence: Span | None = None

    def draw(self) -> ProposedReading:
        for fact in self._proposal.facts:
            self._take_fact(fact)
        for operation in self._proposal.operations:
            self._take_operation(operation)
        sentences = tuple(map(self._sentence, range(len(self._sentences)), self._sentences))
        offline = self._message.offline
        reading = replace(
            offline,
            intent=self._intent(sentences),
            evidence=self._evidence or (None if self._is_denied else offline.evidence),
            sentences=sentences,
            targets=tuple(self._targets) or (() if self._is_denied else offline.targets),
            leaned_on=(*self._leaned_on, *offline.leaned_on),
        )
        return ProposedReading(
            reading=reading, relations=self._relations, refused=tuple(self._refused)
        )

    @property
    def _is_denied(self) -> bool:
        """Whether the model says that the message neither states nor asks anything."""
        asked = {item.operation for item in self._proposal.operations}
        return asked == {"none"} and not self._proposal.facts

    def _refuse(self, what: str, why: str) -> None:
        self._refused.append(f"{what}: {why}")

    def _take_fact(self, fact: ProposedFact) -> None:
        subject = subject_of(fact.subject, self._message.speaker_names)
        if subject is None:
            self._refuse("a fact", ABOUT_ASSISTANT)
            return
        content = self._message.content
        quoted, valued = place_of(fact.evidence, content), place_of(fact.object, content)
        shown = quoted or valued
        words = " ".join(filter(None, (fact.evidence, fact.statement, fact.object)))
        position = (
            likeliest_sentence(words, self._sentences)
            if shown is None
            else sentence_at(shown, self._sentences)
        )
        sentence = self._sentences[position]
        modality = fact.modality or sentence.modality
        if sentence.modality is Modality.QUESTION and _asks(sentence) and modality.is_held:
            self._refuse("a fact", FROM_QUESTION)
            return
        twin = _twin(fact, subject, sentence.claims)
        claim = self._claim(fact, subject, modality, sentence, twin)
        span = valued if valued is not None and _lies_in(valued, sentence.span) else quoted
        claim = replace(
            claim,
            span=span or sentence.span,
            confidence=_confidence(fact, is_shown=shown is not None),
        )
        self._claims.setdefault(position, []).append(claim)

    def _claim(
        self,
        fact: ProposedFact,
        subject: str,
        modality: Modality,
        sentence: Sentence,
        twin: Claim | None,
    ) -> Claim:
        predicate = predicate_of(fact.predicate)
        is_same_claim = twin is not None and twin.predicate == predicate
        return Claim(
            subject=subject,
            predicate=predicate,
            object=fact.object,
            span=sentence.span,
            statement=self._statement(fact, subject, predicate, sentence, twin),
            # "Dislikes" and "does not like" are one thing said in two ways.
            polarity=fact.polarity or (twin.polarity if twin and is_same_claim else "+"),
            modality=modality,
            is_single_valued=self._predicates.is_single_valued(predicate),
            when=_when(fact, sentence),
            replaces=fact.replaces or (None if twin is None else twin.replaces),
            leaned_on=self._leaned_on,
        )

    def _statement(
        self,
        fact: ProposedFact,
        subject: str,
        predicate: str,
        sentence: Sentence,
        twin: Claim | None,
    ) -> str:
        """The fact in words, in the speaker's own language."""
        said = fact.statement
        if said and is_in_language_of(said, self._message.content):
            return said
        if twin is not None and twin.predicate == predicate:
            return twin.statement
        if not said and place_of(fact.object, sentence.text) is None:
            return in_words(subject, predicate, fact.object, self._message.content)
        return (
            fact.evidence
            if fact.evidence and place_of(fact.evidence, self._message.content)
            else sentence.text.strip()
        )

    def _take_operation(self, operation: ProposedOperation) -> None:
        evidence = place_of(operation.evidence, self._message.content)
        match operation.operation:
            case "delete":
                self._take_delete(operation, evidence)
            case "consolidate":
                self._ask(Intent.CONSOLIDATE, evidence)
            case "update":
                self._relate(operation, evidence, Relation.SUPERSEDES)
            case "create":
                self._relate(operation, evidence, Relation.ADDS)
            case "none":
                return

    def _take_delete(self, operation: ProposedOperation, evidence: Span | None) -> None:
        offline = self._message.offline
        asks_offline = offline.intent is Intent.DELETE or bool(offline.targets)
        if not asks_offline and self._states_something(evidence):
            # "I can't stand it any more" ends something; it does not ask for it to be lost.
            self._relate(replace(operation, relation=None), evidence, Relation.SUPERSEDES)
            return
        if evidence is None and not asks_offline:
            self._refuse("a delete", UNSHOWN_DELETE)
            return
        if not asks_offline and offline.confidence >= SURE_OTHERWISE:
            self._refuse("a delete", NO_DELETE)
            return
        ids, unknown = self._known(operation.targets)
        is_everything = any(target.is_everything for target in offline.targets)
        targets = [Target(text=self._message.shown[name], span=evidence) for name in ids]
        if operation.about and not targets:
            targets.append(Target(text=operation.about, span=evidence, is_everything=is_everything))
        if unknown and not targets:
            self._refuse("a delete", UNKNOWN_TARGET)
            if not asks_offline:
                return
        self._targets.extend(targets)
        # The whole message asks: which part of it retracts what is decided there.
        for position in range(len(self._sentences)):
            self._note(position, ids, Relation.RETRACTS)
        self._ask(Intent.DELETE, evidence)

    def _states_something(self, evidence: Span | None) -> bool:
        """Whether the model drew facts that hold from the words, or from any."""
        where = None if evidence is None else sentence_at(evidence, self._sentences)
        return any(
            claim.modality.is_held
            for position, claims in self._claims.items()
            if where is None or position == where
            for claim in claims
        )

    def _relate(self, operation: ProposedOperation, evidence: Span | None, usual: Relation) -> None:
        ids, unknown = self._known(operation.targets)
        for _ in unknown:
            self._refuse(f"a target of {operation.operation}", UNKNOWN_TARGET)
        relation = operation.relation or usual
        if relation is Relation.RETRACTS:
            relation = usual  # to lose something is an operation of its own, with its own checks
        if evidence is not None:
            positions: Collection[int] = [sentence_at(evidence, self._sentences)]
        else:
            positions = self._claims or range(len(self._sentences))
        for position in positions:
            self._note(position, ids, relation)
        if operation.operation in ("update", "delete") and (evidence is not None or ids):
            self._ask(Intent.UPDATE, evidence)

    def _note(self, position: int, ids: Sequence[str], relation: Relation) -> None:
        if ids:
            self._relations.setdefault(position, {}).update(dict.fromkeys(ids, relation))

    def _ask(self, intent: Intent, evidence: Span | None) -> None:
        if evidence is not None:
            self._asked[sentence_at(evidence, self._sentences)] = intent
            self._evidence = self._evidence or evidence
        elif len(self._sentences) == 1:
            self._asked[0] = intent
        else:
            self._asked.setdefault(-1, intent)

    def _known(self, targets: Sequence[str]) -> tuple[list[str], list[str]]:
        """The ids among the targets, and the targets that name nothing the model was shown."""
        ids: list[str] = []
        unknown: list[str] = []
        for target in targets:
            named = target.strip(" #\"'")
            named = self._message.stored.get(named, named)
            found = named if named in self._message.shown else self._by_words(named)
            (unknown if found is None else ids).append(found or named)
        return list(dict.fromkeys(ids)), unknown

    def _by_words(self, words: str) -> str | None:
        return next(
            (name for name, text in self._message.shown.items() if is_same_name(text, words)), None
        )

    def _sentence(self, position: int, sentence: Sentence) -> Sentence:
        """The sentence with the model's claims, and the rules' where the model is silent."""
        mine = self._claims.get(position, [])
        if self._is_denied:
            return replace(sentence, intent=Intent.NONE, is_worth_keeping=False, claims=())
        rest = [
            claim
            for claim in sentence.claims
            if not mine
            or (
                claim.confidence >= BESIDE_THE_MODEL
                and not any(_covers(own, claim, self._message.content) for own in mine)
            )
        ]
        held = [claim for claim in mine if claim.modality.is_held]
        asked = self._asked.get(position)
        intent = asked or sentence.intent
        if held and intent in (Intent.NONE, Intent.CONSOLIDATE):
            intent = Intent.CREATE
        modality = sentence.modality
        if mine and not held and asked is None:
            modality = mine[0].modality  # somebody else's words, a wish, a question
        if held and not modality.is_held:
            is_passing = all(claim.modality is Modality.TEMPORARY for claim in held)
            modality = Modality.TEMPORARY if is_passing else Modality.ASSERTED
        return replace(
            sentence,
            intent=intent,
            modality=modality,
            is_worth_keeping=sentence.is_worth_keeping or bool(held) or asked is Intent.UPDATE,
            claims=(*mine, *rest),
        )

    def _intent(self, sentences: Sequence[Sentence]) -> Intent:
        if self._is_denied:
            return Intent.NONE
        asked = set(self._asked.values())
        found = next((intent for intent in _WEIGHTIEST if intent in asked), None)
        if found is not None:
            return found
        offline = self._message.offline.intent
        told = any(claim.modality.is_held for item in sentences for claim in item.claims)
        return Intent.CREATE if told and offline is Intent.NONE else offline


_WEIGHTIEST = (Intent.DELETE, Intent.CONSOLIDATE, Intent.UPDATE)


def _asks(sentence: Sentence) -> bool:
    return sentence.text.rstrip(" \n\"'”’」)）").endswith(("?", "？"))


def _lies_in(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _confidence(fact: ProposedFact, *, is_shown: bool) -> float:
    given = USUAL_CONFIDENCE if fact.confidence is None else fact.confidence
    most = MOST_CONFIDENCE if is_shown else UNSHOWN_CONFIDENCE
    return min(most, max(LEAST_CONFIDENCE, given))


def _twin(fact: ProposedFact, subject: str, claims: Sequence[Claim]) -> Claim | None:
    """The rules' claim that says the same thing, if there is one."""
    same = [claim for claim in claims if is_same_value(claim.object, fact.object)]
    return next(
        (claim for claim in same if is_same_name(claim.subject, subject)),
        None,
    )


def _covers(own: Claim, other: Claim, message: str) -> bool:
    """Whether the model has said what the rules say, in its way."""
    if is_same_value(own.object, other.object):
        return True
    place = place_of(own.object, message)
    if place is not None and _overlap(place, other.span):
        return True  # "red" and "red kayak", cut in two ways
    if is_same_name(own.subject, other.object) and name_form(other.subject) in name_form(
        own.object
    ):
        return True  # the same from the other end: "uses", "is used by"
    return is_same_name(own.subject, other.subject) and own.predicate == other.predicate


def _when(fact: ProposedFact, sentence: Sentence) -> When | None:
    """When it holds. Moments are computed by the rules, never by the model."""
    same = (claim for claim in sentence.claims if is_same_value(claim.object, fact.object))
    named_by_rules = next((claim.when for claim in same if claim.when is not None), None)
    if named_by_rules is not None:
        return named_by_rules
    if sentence.when is None or fact.when is None:
        return None
    words, named = sentence.when.words.casefold(), fact.when.casefold()
    return sentence.when if words in named or named in words else None
