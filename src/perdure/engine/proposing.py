"""Reading a message with the help of a language model.

The model proposes, the rules check: what it answers is turned into the same readings and verdicts
as the rules', which `domain.decisions` decides upon. Where it is silent the rules speak.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from threading import Lock
from typing import Any

from perdure.domain.predicates import Predicates, are_opposites
from perdure.domain.proposals import is_same_name, is_same_value, name_form
from perdure.domain.readings import Claim, Intent, Reading, Relation, Span, Verdict
from perdure.domain.scope import Scope
from perdure.domain.text import fold
from perdure.domain.usage import Usage
from perdure.engine.proposal import SCHEMA, proposal_of
from perdure.engine.proposed_reading import Message, ProposedReading, reading_of
from perdure.engine.proposing_prompt import Shown, conversation, prompt_for
from perdure.errors import LanguageModelUnavailable, PerdureError
from perdure.ports.language_model import ChatMessage, LanguageModel, identity_of, usage_of
from perdure.ports.understanding import Understanding

log = logging.getLogger(__name__)

SAID_SO = 0.9
"""Probability of a relation that the model names."""
BY_ITS_FACT = 0.6
"""The same for a statement of which the model names one fact: enough to decide, and not enough
to take the statement's other facts along."""
BY_SLOT = 0.75
"""Probability of superseding when the model's fact takes a slot's value from another."""
MOST_QUIET = 100_000
"""Of how many users it is remembered that nothing of theirs waits."""
OUTWEIGHED = 0.5
"""What the rules must think of a gentler relation for it to stand against a slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearing:
    """A stored memory that may bear on a message, under the id it is shown with.

    `relatives` are the words of the facts drawn from it, or of the statements it was drawn from;
    `is_fact` tells which.
    """

    shown: Shown
    memory_id: str
    is_fact: bool
    relatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One message to be read, with all the model is told about it."""

    content: str
    at: datetime
    speaker: str | None
    speaker_names: tuple[str, ...]
    context: Sequence[tuple[str, str]]
    known: Sequence[Bearing]
    predicates: Predicates


class Proposer:
    """A language model together with the rules that check it and stand in for it."""

    def __init__(self, model: LanguageModel, rules: Understanding) -> None:
        self._model = model
        self._rules = rules
        self._lock = Lock()
        self._usage = Usage()
        self._quiet: dict[tuple[str, str], set[Scope]] = {}

    @property
    def identity(self) -> str:
        """Names the model, and the prompts and rules it works with."""
        prompts = ", ".join(prompt_for(language).identity for language in ("en", "zh"))
        return f"{identity_of(self._model)} ({prompts}) over {self._rules.identity}"

    @property
    def model(self) -> str:
        """The name of the model."""
        return identity_of(self._model)

    @property
    def usage(self) -> Usage:
        """What asking came to since this manager was opened, as far as the model tells."""
        return self._usage

    def may_wait(self, scope: Scope) -> bool:
        """Whether messages of the scope may be waiting to be read: false once none were found.

        What another process leaves waiting is that one's to read, or `catch_up`'s.
        """
        return scope not in self._quiet.get(scope.walls, ())

    def note_waiting(self, scope: Scope, *, is_any: bool) -> None:
        """Remember whether messages of the scope wait; if any do, they may of all that meet it."""
        with self._lock:
            if is_any:
                self._quiet.pop(scope.walls, None)
            elif len(self._quiet) < MOST_QUIET:
                self._quiet[scope.walls] = self._quiet.get(scope.walls, set()) | {scope}

    async def propose(self, asking: Asking) -> Proposed:
        """The model's reading of a message, checked.

        Raises `Unavailable` (`UnreadableAnswer` among them) or `Misconfigured` when there is
        none. Whatever else the model raises counts as being out of reach.
        """
        offline = self._rules.read(
            asking.content, at=asking.at, context=asking.context, speaker=asking.speaker
        )
        prompt = prompt_for(offline.language)
        messages = conversation(
            prompt,
            message=asking.content,
            at=asking.at,
            speaker=asking.speaker,
            before=asking.context,
            known=[item.shown for item in asking.known],
        )
        answer = await self.ask(messages, schema=SCHEMA)
        proposal = proposal_of(answer)
        message = Message(
            content=asking.content,
            offline=offline,
            speaker_names=asking.speaker_names,
            shown={item.shown.id: item.shown.text for item in asking.known},
            stored={item.memory_id: item.shown.id for item in asking.known},
        )
        leaned_on = (self.model, prompt.identity)
        read = reading_of(proposal, message, asking.predicates, leaned_on=leaned_on)
        return Proposed(asking=asking, read_as=read, rules=self._rules, leaned_on=leaned_on)

    async def ask(self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any]) -> object:
        """The model's answer to any question, unchecked; what it takes is added to `usage`.

        Raises `Unavailable` or `Misconfigured` when there is none.
        """
        try:
            answer: object = await self._model.complete(messages, schema=schema)
        except PerdureError:
            raise
        except Exception as error:
            # A foreign model may raise anything; what was said must be kept all the same.
            raise LanguageModelUnavailable(
                f"the language model {self.model} failed: {type(error).__name__}"
            ) from error
        usage = usage_of(answer)
        with self._lock:
            self._usage += usage
        log.info(
            "language_model.answered",
            extra={"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
        )
        return answer


class Proposed:
    """An understanding in which one message is read as a language model proposed.

    Everything else is read by the rules.
    """

    def __init__(
        self,
        *,
        asking: Asking,
        read_as: ProposedReading,
        rules: Understanding,
        leaned_on: tuple[str, ...],
    ) -> None:
        self._asking = asking
        self._read_as = read_as
        self._rules = rules
        self._leaned_on = leaned_on
        self._positions = _positions(asking.content, read_as.reading)
        self._named = _named(asking.known)

    @property
    def leaned_on(self) -> tuple[str, ...]:
        """The model and the prompt."""
        return self._leaned_on

    @property
    def refused(self) -> tuple[str, ...]:
        """What of the proposal was not taken, and why."""
        return self._read_as.refused

    @property
    def identity(self) -> str:
        """As the port says."""
        return f"{', '.join(self._leaned_on)} over {self._rules.identity}"

    def split(self, text: str) -> Sequence[Span]:
        """As the port says."""
        return self._rules.split(text)

    def read(
        self,
        message: str,
        *,
        at: datetime,
        context: Sequence[tuple[str, str]] = (),
        speaker: str | None = None,
        addressed: bool = False,
    ) -> Reading:
        """As the port says."""
        if message == self._asking.content and not addressed:
            return self._read_as.reading
        return self._rules.read(
            message, at=at, context=context, speaker=speaker, addressed=addressed
        )

    def relate(
        self,
        old: str,
        new: str,
        *,
        cosine: float | None = None,
        old_claims: Sequence[Claim] = (),
        new_claims: Sequence[Claim] = (),
    ) -> Verdict:
        """As the port says."""
        offline = self._rules.relate(
            old, new, cosine=cosine, old_claims=old_claims, new_claims=new_claims
        )
        said = new.strip()
        if said == self._asking.content.strip():
            asked = self._for_whole(old, offline)
            if asked is not None:
                return asked
        position = self._positions.get(said)
        if position is None:
            return offline
        return self._for_part(position, old, offline, old_claims)

    def _for_whole(self, old: str, offline: Verdict) -> Verdict | None:
        """What a message that asks for particular memories to be lost does to one memory."""
        retracted = {
            name
            for named in self._read_as.relations.values()
            for name, relation in named.items()
            if relation is Relation.RETRACTS
        }
        if not retracted:
            return None
        names = self._named.get(old.strip(), {})
        is_meant = any(name in retracted for name in names)
        if is_meant:
            return self._verdict(Relation.RETRACTS, SAID_SO)
        # A wrong loss is the worst mistake: of what was shown, only what was named.
        return self._verdict(Relation.UNRELATED, SAID_SO) if names else offline

    def _for_part(
        self, position: int, old: str, offline: Verdict, old_claims: Sequence[Claim]
    ) -> Verdict:
        relations = self._read_as.relations.get(position, {})
        names = self._named.get(old.strip(), {})
        for name, probability in names.items():
            if name in relations:
                relation = relations[name]
                if probability == SAID_SO or relation is Relation.SUPERSEDES:
                    return self._verdict(relation, probability)
        if names and Relation.SUPERSEDES in relations.values():
            # The model named what becomes outdated; what it was shown and did not name stays.
            if offline.relation is Relation.SUPERSEDES:
                return self._verdict(Relation.UNRELATED, SAID_SO)
            return offline
        return self._by_facts(position, offline, old_claims, is_shown=bool(names))

    def _by_facts(
        self, position: int, offline: Verdict, old_claims: Sequence[Claim], *, is_shown: bool
    ) -> Verdict:
        """The verdict where the model's facts meet stored ones and it names no relation."""
        mine = [
            claim
            for claim in self._read_as.reading.sentences[position].claims
            if claim.leaned_on == self._leaned_on and claim.modality.is_held
        ]
        pairs = [(claim, old) for claim in mine for old in old_claims]
        if not pairs:
            return offline
        if offline.relation in _GENTLER and offline.probability >= OUTWEIGHED:
            return offline
        if any(self._takes_place(claim, old) for claim, old in pairs):
            return self._verdict(Relation.SUPERSEDES, BY_SLOT)
        sentence = self._read_as.reading.sentences[position]
        if sentence.intent is Intent.UPDATE and any(self._is_moved(*pair) for pair in pairs):
            return self._verdict(Relation.SUPERSEDES, BY_SLOT)
        if any(_is_same(claim, old) for claim, old in pairs):
            return self._verdict(Relation.RESTATES, BY_SLOT)
        if offline.relation is Relation.RESTATES:
            # What differs in a name or a number is another fact, however alike it sounds.
            return self._verdict(Relation.ADDS, BY_SLOT)
        is_of_one_kind = any(_is_of_one_kind(claim, old) for claim, old in pairs)
        if is_shown and not (is_of_one_kind and offline.relation is Relation.SUPERSEDES):
            # The model saw it and did not name it: only the rules' clear word on the same kind of
            # fact makes it give way.
            return self._verdict(Relation.ADDS, BY_SLOT)
        return offline

    def _takes_place(self, new: Claim, old: Claim) -> bool:
        if not is_same_name(new.subject, old.subject):
            return False
        same_value = is_same_value(new.object, old.object)
        if new.predicate != old.predicate:
            is_turned = are_opposites(new.predicate, old.predicate) and same_value
            return is_turned and new.polarity == "+" == old.polarity
        if same_value:
            return new.polarity != old.polarity
        if new.replaces is not None and is_same_value(new.replaces, old.object):
            return True
        single = self._asking.predicates.is_single_valued(new.predicate)
        return single and new.polarity == "+" == old.polarity

    def _is_moved(self, new: Claim, old: Claim) -> bool:
        """Whether a correction says the old fact of somebody else: "that was Ann, not Bea"."""
        return (
            new.predicate == old.predicate
            and new.polarity == old.polarity
            and is_same_value(new.object, old.object)
            and not is_same_name(new.subject, old.subject)
            and name_form(old.subject) in fold(self._asking.content)
        )

    def _verdict(self, relation: Relation, probability: float) -> Verdict:
        rest = Relation.ADDS if relation is Relation.UNRELATED else Relation.UNRELATED
        return Verdict(
            relation=relation,
            probability=probability,
            probabilities={relation: probability, rest: 1 - probability},
            leaned_on=self._leaned_on,
        )


_GENTLER = (Relation.EXCEPTS, Relation.PRECEDES)


def _is_of_one_kind(new: Claim, old: Claim) -> bool:
    return is_same_name(new.subject, old.subject) and new.predicate == old.predicate


def _is_same(new: Claim, old: Claim) -> bool:
    return (
        _is_of_one_kind(new, old)
        and new.polarity == old.polarity
        and is_same_value(new.object, old.object)
    )


def _positions(content: str, reading: Reading) -> dict[str, int]:
    """The position of each sentence, by the words of the part of the message it stands for."""
    starts = [0, *(item.span.start for item in reading.sentences[1:]), len(content)]
    parts = [content[start:end].strip() for start, end in pairwise(starts)]
    return {part: position for position, part in reversed(list(enumerate(parts)))}


def _named(known: Sequence[Bearing]) -> dict[str, dict[str, float]]:
    """By the words of a memory: the shown ids that stand for it, and how surely."""
    made: dict[str, dict[str, float]] = {}
    for item in known:
        made.setdefault(item.shown.text.strip(), {})[item.shown.id] = SAID_SO
    for item in known:
        sure = BY_ITS_FACT if item.is_fact else SAID_SO
        for words in item.relatives:
            made.setdefault(words.strip(), {}).setdefault(item.shown.id, sure)
    return made
