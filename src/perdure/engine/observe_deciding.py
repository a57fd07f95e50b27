"""One message: from its words to decisions and the changes they ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from perdure.domain.changes import Vectors
from perdure.domain.decisions import NOTHING_HELD, Ruling, is_statement, may_report, rule
from perdure.domain.predicates import Predicates
from perdure.domain.proposals import Statement, in_parts, is_same_name
from perdure.domain.readings import USER, Claim, Intent, Modality, Reading, Sentence, Span
from perdure.domain.recaps import is_recap
from perdure.domain.records import Memory, Source
from perdure.domain.results import Decision
from perdure.domain.scope import Scope
from perdure.engine.core import Core
from perdure.engine.observe_aliases import names_in
from perdure.engine.observe_applying import Part, carry_out, words_of
from perdure.engine.observe_history import Said
from perdure.engine.observe_known import Standing, standing_of
from perdure.engine.observe_turns import ASSISTANT_ROLE, Turn
from perdure.engine.observe_withdrawing import request_in, requests_to_forget, withdraw
from perdure.engine.observe_working import Working

NOT_THE_USERS = "words of the {role}, kept as context"
TIDYING = "asks for what is remembered to be tidied"
LOST = "asks for it to be lost"
NOTHING_TO_LOSE = "asks for something to be lost, of which nothing is stored"
CONTEXT_TURNS = 3
CONFIRMED = 0.9
"""Confidence of what the assistant guessed and the user confirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The decisions on one message, and the memories it touched; `parts` keep its words."""

    decisions: tuple[Decision, ...]
    memories: tuple[Memory, ...] = ()
    parts: tuple[str, ...] = ()


async def decide_turn(
    working: Working,
    scope: Scope,
    turn: Turn,
    said: Sequence[Said],
    predicates: Predicates,
) -> Decided:
    """Decide what becomes of a message; the changes are added to `working`."""
    if not turn.is_users:
        return await _kept_only(working, scope, turn)
    return await _Message(working, scope, turn, said, predicates).decide()


async def _kept_only(working: Working, scope: Scope, turn: Turn) -> Decided:
    """Words of an assistant, a system or a tool: kept, and nobody's facts."""
    [vectors] = await working.core.embedding.vectors([turn.content], speakers=[turn.speaker])
    memory = _words(working, scope, turn, turn.content)
    working.create(memory, vectors)
    reason = NOT_THE_USERS.format(role=turn.role)
    decision = Decision(operation="none", reason=reason, evidence=turn.content, memories=(memory,))
    return Decided(decisions=(decision,), memories=(memory,), parts=(memory.id,))


def _words(working: Working, scope: Scope, turn: Turn, content: str) -> Memory:
    return words_of(
        content,
        memory_id=working.part_id(),
        scope=scope,
        source=Source(role=turn.role, speaker=turn.speaker, message_ids=(turn.message_id,)),
        said_at=turn.said_at,
        now=working.now,
    )


class _Message:
    """A person's message while it is decided upon."""

    def __init__(
        self,
        working: Working,
        scope: Scope,
        turn: Turn,
        said: Sequence[Said],
        predicates: Predicates,
    ) -> None:
        self._working = working
        self._core: Core = working.core
        self._scope = scope
        self._turn = turn
        self._said = said
        self._predicates = predicates
        self._decisions: list[Decision] = []
        self._memories: dict[str, Memory] = {}
        self._parts: list[str] = []
        self._requests: list[str] = []
        self._quiet: list[Decision] = []

    async def decide(self) -> Decided:
        """The decisions, with their changes added to the working state."""
        turn, core = self._turn, self._core
        reading = core.understanding.read(
            turn.content,
            at=turn.at,
            context=[(item.turn, item.content) for item in self._said[-CONTEXT_TURNS:]],
            speaker=turn.speaker,
        )
        sentences = in_parts(turn.content, reading.sentences) or [_whole(turn.content, reading)]
        contents = _cut(turn.content, sentences)
        me = await self._name_of_speaker()
        statements = [
            self._statement(content, sentence, me, reading)
            for content, sentence in zip(contents, sentences, strict=True)
        ]
        vectors = await self._embedded(statements)
        if reading.answers is True:
            await self._confirm(reading)
        for statement in statements:
            if statement.sentence.intent is Intent.DELETE:
                self._keep_words(statement, vectors)
                self._requests.append(self._parts[-1])
            else:
                await self._take(statement, vectors)
        request = request_in(core, turn, reading)
        if request is not None:
            await self._withdraw(request)
        if reading.intent is Intent.CONSOLIDATE:
            self._decisions.append(
                Decision(operation="consolidate", reason=TIDYING, evidence=_evidence(turn, reading))
            )
        return self._decided()

    async def _name_of_speaker(self) -> str:
        """The subject that the speaker's own facts have."""
        speaker = self._turn.speaker
        if speaker is None or is_same_name(speaker, self._scope.user):
            return USER
        return speaker

    def _statement(self, content: str, sentence: Sentence, me: str, reading: Reading) -> Statement:
        return Statement(
            sureness=reading.confidence if sentence.intent is reading.intent else 0.5,
            content=content,
            sentence=sentence,
            said_at=self._turn.said_at,
            speaker=self._turn.speaker,
            claims=tuple(_by(claim, me) for claim in sentence.claims),
        )

    async def _embedded(self, statements: Sequence[Statement]) -> dict[str, Vectors | None]:
        """The vectors of the words and of the facts they state, by text."""
        texts = list(
            dict.fromkeys(
                text
                for statement in statements
                for text in (
                    statement.content, *(claim.statement for claim in statement.claims)
                )
            )
        )  # fmt: skip
        words = {statement.content for statement in statements}
        speaker = self._turn.speaker
        made = await self._core.embedding.vectors(
            texts, speakers=[speaker if text in words else None for text in texts]
        )
        return dict(zip(texts, made, strict=True))

    async def _standing(
        self, statement: Statement, vectors: Vectors | None
    ) -> tuple[Statement, Standing]:
        """What the statement meets, with people and things under one name each."""
        working = self._working
        standing = await standing_of(
            self._core, working, self._scope, statement, vectors, aliases={}
        )
        aliases = names_in(fact for item in standing.current for fact in item.facts)
        if not aliases:
            return statement, standing
        named = replace(
            statement,
            claims=tuple(_under_one_name(claim, aliases) for claim in statement.claims),
        )
        again = await standing_of(self._core, working, self._scope, named, vectors, aliases=aliases)
        return named, again

    async def _take(self, statement: Statement, vectors: Mapping[str, Vectors | None]) -> None:
        """Decide on one statement and carry it out."""
        if not (is_statement(statement) or may_report(statement)):
            self._keep_words(statement, vectors)
            return
        own = vectors[statement.content]
        statement, standing = await self._standing(statement, own)
        ruling = rule(
            statement,
            standing.current,
            self._predicates,
            former=standing.former,
        )
        if not ruling.holds:
            self._keep_words(statement, vectors, ruling.reason)
            return
        words = _words(self._working, self._scope, self._turn, statement.content)
        await self._carry_out(statement, ruling, standing, Part(memory=words, vectors=own), vectors)

    async def _carry_out(
        self,
        statement: Statement,
        ruling: Ruling,
        standing: Standing,
        part: Part,
        vectors: Mapping[str, Vectors | None],
    ) -> None:
        done = await carry_out(
            self._working, statement, ruling, standing, part, vectors, self._predicates
        )
        if not part.is_stored:
            self._parts.append(part.memory.id)
        self._memories.update((memory.id, memory) for memory in done.memories)
        decision = Decision(
            operation=ruling.kind,
            reason=ruling.reason,
            evidence=statement.sentence.text,
            memories=done.memories,
            superseded=done.superseded,
            leaned_on=_leaned_on(statement, ruling),
        )
        (self._quiet if ruling.kind == "none" else self._decisions).append(decision)

    def _keep_words(
        self,
        statement: Statement,
        vectors: Mapping[str, Vectors | None],
        reason: str = NOTHING_HELD,
    ) -> None:
        """Keep the words of a part that nobody vouches for."""
        memory = _words(self._working, self._scope, self._turn, statement.content)
        self._working.create(memory, vectors[statement.content])
        self._parts.append(memory.id)
        self._memories[memory.id] = memory
        self._quiet.append(
            Decision(
                operation="none",
                reason=reason,
                evidence=statement.sentence.text,
                memories=(memory,),
            )
        )

    async def _confirm(self, reading: Reading) -> None:
        """What the assistant asked or guessed just before becomes the user's by a clear yes."""
        if not self._said or self._said[-1].turn != ASSISTANT_ROLE:
            return
        before = self._said[-1]
        if not before.memories:
            return
        guess = self._core.understanding.read(
            before.content, at=self._turn.at, speaker=self._turn.speaker, addressed=True
        )
        me = await self._name_of_speaker()
        claims = tuple(
            _answered(_by(claim, me)) for sentence in guess.sentences for claim in sentence.claims
        )
        sentence = Sentence(
            span=Span(start=0, end=len(before.content)),
            text=_evidence(self._turn, reading),
            intent=Intent.CREATE,
            claims=claims,
        )
        statement = Statement(
            content=before.content,
            sentence=sentence,
            said_at=self._turn.said_at,
            speaker=self._turn.speaker,
            claims=claims,
        )
        vectors = await self._embedded([statement])
        statement, standing = await self._standing(statement, vectors[statement.content])
        if _looks_back(statement, standing):
            return
        ruling = rule(statement, standing.current, self._predicates)
        words = self._working.note(before.memories[-1])
        part = Part(memory=words, vectors=None, is_stored=True)
        await self._carry_out(statement, ruling, standing, part, vectors)

    async def _withdraw(self, reading: Reading) -> None:
        """Lose what the message asks to be lost."""
        lost = await withdraw(
            self._core, self._working, self._scope, self._turn, reading, self._said,
            keep=frozenset(self._parts),
        )  # fmt: skip
        for change in requests_to_forget(
            self._core, self._working, self._turn, self._requests, lost
        ):
            self._working.add(change)
        self._decisions.append(
            Decision(
                operation="delete",
                reason=LOST if lost else NOTHING_TO_LOSE,
                evidence=_evidence(self._turn, reading),
                superseded=tuple(lost),
                leaned_on=reading.leaned_on,
            )
        )

    def _decided(self) -> Decided:
        decisions = self._decisions or [
            min(self._quiet, key=lambda decision: decision.reason == NOTHING_HELD)
        ]
        current = self._working.current
        memories = tuple(current.get(memory.id, memory) for memory in self._memories.values())
        return Decided(decisions=tuple(decisions), memories=memories, parts=tuple(self._parts))


def _leaned_on(statement: Statement, ruling: Ruling) -> tuple[str, ...]:
    """The rules and models behind the claims and the verdicts that decided."""
    claims = (name for claim in statement.claims for name in claim.leaned_on)
    verdicts = (name for effect in ruling.effects for name in effect.leaned_on)
    return tuple(dict.fromkeys((*claims, *verdicts)))


def _whole(content: str, reading: Reading) -> Sentence:
    return Sentence(
        span=Span(start=0, end=len(content)),
        text=content,
        intent=reading.intent,
        is_worth_keeping=False,
    )


def _cut(content: str, sentences: Sequence[Sentence]) -> list[str]:
    """The parts of the words, one for each sentence; joined they are the words."""
    starts = [0, *(sentence.span.start for sentence in sentences[1:]), len(content)]
    return [content[start:end] for start, end in pairwise(starts)]


_THE_USER = re.compile(r"^(?:The user(?='s|\b)|用户)")


def _by(claim: Claim, me: str) -> Claim:
    """The claim with the speaker's own name where it says "user"."""
    if me == USER:
        return claim
    place, dot, role = claim.subject.partition(".")
    if place != USER:
        return claim
    statement = _THE_USER.sub(lambda _: me, claim.statement)
    return replace(claim, subject=f"{me}{dot}{role}", statement=statement)


def _answered(claim: Claim) -> Claim:
    """What was asked, as asserted by who said yes to it."""
    if claim.modality is not Modality.QUESTION:
        return claim
    return replace(claim, modality=Modality.ASSERTED)


def _looks_back(guess: Statement, standing: Standing) -> bool:
    """Whether what was said yes to is outdated: it holds again only by the user's own words."""
    return is_recap(
        guess.content,
        [claim.object for claim in guess.claims],
        current=[item.memory.content for item in standing.current],
        former=[item.memory.content for item in standing.former],
    )


def _under_one_name(claim: Claim, aliases: Mapping[str, str]) -> Claim:
    for other, name in aliases.items():
        if is_same_name(claim.subject, other):
            return replace(claim, subject=name)
    return claim


def _evidence(turn: Turn, reading: Reading) -> str:
    return turn.content if reading.evidence is None else reading.evidence.of(turn.content)
