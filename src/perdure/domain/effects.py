"""What a new statement does to one stored one: pure rules over readings and verdicts.

A verdict (`domain.readings.Verdict`) only proposes. It decides alone when it is sure; facts that
meet in one slot may decide with less. Wrongly superseding is worse than missing a change, so
every doubt falls on the side of keeping.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from perdure.domain.clauses import is_within, reach_of, shares_head
from perdure.domain.duplicates import differs_in_detail, differs_in_negation
from perdure.domain.likeness import is_alike, is_elsewhere, is_over
from perdure.domain.meetings import Meeting, is_one_more, meeting
from perdure.domain.predicates import Predicates, is_one_thing
from perdure.domain.proposals import Known, Statement, is_same_name
from perdure.domain.readings import Intent, Relation, Verdict
from perdure.domain.records import Memory
from perdure.domain.text import identity_text

SURE = 0.5
"""Probability from which a verdict decides by itself."""
WITH_A_SLOT = 0.15
"""Probability of superseding that is enough when two values meet in one slot."""
DENIED = 0.6
"""Probability of another relation that outweighs what a slot says."""
DETAIL_SURE = 0.7
"""Probability from which a verdict about a whole sentence overrules its facts."""
REPLACES_ONE_OF_MANY = 0.9
"""Probability of superseding that is enough for a further value of what people have several of."""
SAYS_CHANGE = 0.6
"""Sureness from which a message says that something changed."""
BY_LIKENESS = 0.8
"""Probability of superseding that is enough without it, for statements that speak of the same."""
SURELY_PAST = 0.7
"""Probability from which a statement about a time gone by is older news, with no word in common."""
FOR_GOOD = 0.75
"""Probability of superseding from which what was read as temporary is no exception."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What the statement does to one stored one.

    `outdated` are the facts of it that no longer hold; `is_whole` says that nothing of it does.
    """

    relation: Relation
    memory: Memory
    probability: float
    outdated: tuple[Memory, ...] = ()
    is_whole: bool = False
    by_slot: bool = False
    leaned_on: tuple[str, ...] = ()


def effect_of(statement: Statement, known: Known, predicates: Predicates) -> Effect:
    """What the statement does to one stored one."""
    if identity_text(statement.content) == identity_text(known.memory.content):
        return _effect(Relation.RESTATES, known, 1.0)
    known = replace(known, verdict=_with_intent(known.verdict, statement))
    meetings = {
        fact.id: _strongest(meeting(claim, fact, predicates) for claim in statement.claims)
        for fact in known.facts
    }
    met = [fact for fact in known.facts if meetings[fact.id] in _REPLACING]
    by_slot = bool(met) or shares_head(known.memory.content, statement.content)
    relation, probability = _relation(statement, known, meetings.values(), by_slot)
    if relation is Relation.SUPERSEDES and not by_slot:
        if probability < REPLACES_ONE_OF_MANY and is_one_more(statement, known):
            relation = Relation.ADDS
        else:
            relation = _with_evidence(statement, known, probability)
    is_past = is_over(statement) and probability >= SURELY_PAST
    if (
        relation is Relation.PRECEDES
        and not (by_slot or is_past)
        and is_elsewhere(statement, known)
    ):
        relation = Relation.UNRELATED
    if relation is Relation.RESTATES and differs_in_negation(
        known.memory.content, statement.content
    ):
        relation = Relation.CONTRADICTS
    elif relation is Relation.RESTATES and differs_in_detail(
        known.memory.content, statement.content
    ):
        # A near-duplicate that differs in a digit or a name is another statement.
        relation, probability = _other_than_restating(known.verdict)
    if relation is not Relation.SUPERSEDES:
        return _effect(relation, known, probability)
    outdated, is_whole = _reach(statement, known, met)
    return Effect(
        relation=relation,
        memory=known.memory,
        probability=probability,
        outdated=outdated,
        is_whole=is_whole,
        by_slot=by_slot,
        leaned_on=known.verdict.leaned_on,
    )


def _with_intent(verdict: Verdict, statement: Statement) -> Verdict:
    """The verdict weighed with what the message says it does.

    A message that surely tells a change is no restatement: that share falls, in proportion to how
    sure the reading is.
    """
    if not _says_change(statement):
        return verdict
    sure = statement.sureness
    shares = dict(verdict.probabilities)
    if not shares:
        return verdict
    shares[Relation.RESTATES] = shares.get(Relation.RESTATES, 0.0) * (1.0 - sure)
    total = sum(shares.values())
    weighed = {relation: share / total for relation, share in shares.items()} if total else shares
    likeliest = max(weighed, key=lambda relation: weighed[relation])
    return replace(
        verdict, relation=likeliest, probability=weighed[likeliest], probabilities=weighed
    )


_REPLACING = (Meeting.OTHER_VALUE, Meeting.REVERSED)


def _effect(relation: Relation, known: Known, probability: float) -> Effect:
    return Effect(
        relation=relation,
        memory=known.memory,
        probability=probability,
        leaned_on=known.verdict.leaned_on,
    )


def _strongest(meetings: Iterable[Meeting]) -> Meeting:
    found = set(meetings)
    order = (Meeting.REVERSED, Meeting.OTHER_VALUE, Meeting.SAME)
    return next((kind for kind in order if kind in found), Meeting.APART)


def probability(verdict: Verdict, relation: Relation) -> float:
    """How likely a relation is, by a verdict."""
    if verdict.probabilities:
        return verdict.probabilities.get(relation, 0.0)
    return verdict.probability if verdict.relation is relation else 0.0


def _relation(
    statement: Statement, known: Known, meetings: Iterable[Meeting], meets_slot: bool
) -> tuple[Relation, float]:
    """The relation the rules accept, and how likely it is."""
    verdict = known.verdict
    replaced = probability(verdict, Relation.SUPERSEDES)
    denied = max(
        probability(verdict, relation)
        for relation in (
            Relation.ADDS, Relation.EXCEPTS, Relation.PRECEDES, Relation.UNRELATED,
            Relation.CONTRADICTS,
        )
    )  # fmt: skip
    if meets_slot and _is_one_thing(statement) and denied < DENIED and replaced >= WITH_A_SLOT:
        relation, likely = Relation.SUPERSEDES, max(replaced, SURE)
    elif Meeting.SAME in meetings and probability(verdict, Relation.RESTATES) >= WITH_A_SLOT:
        relation, likely = Relation.RESTATES, probability(verdict, Relation.RESTATES)
    else:
        relation, likely = _by_verdict(verdict)
    if known.is_later:
        return _turned(relation), likely
    return _guarded(statement, known, relation), likely


def _is_one_thing(statement: Statement) -> bool:
    return all(is_one_thing(claim.subject) for claim in statement.claims)


def _by_verdict(verdict: Verdict) -> tuple[Relation, float]:
    if verdict.probability >= SURE and verdict.relation is not Relation.RETRACTS:
        return verdict.relation, verdict.probability
    replaced = probability(verdict, Relation.SUPERSEDES)
    in_conflict = replaced + probability(verdict, Relation.CONTRADICTS)
    if in_conflict >= SURE:
        return Relation.CONTRADICTS, in_conflict
    # A request to lose something is carried out only where the message was read as one.
    return Relation.UNRELATED, verdict.probability


def _with_evidence(statement: Statement, known: Known, likely: float) -> Relation:
    """A verdict alone takes nothing's place: the words must show that something changed, or
    speak of the same.

    Two statements of one pattern with a word or number exchanged are two, however sure it is.
    """
    old = known.memory.content
    if differs_in_negation(old, statement.content):
        return Relation.SUPERSEDES
    if differs_in_detail(old, statement.content):
        return Relation.ADDS
    says_change = _says_change(statement)
    if is_elsewhere(statement, known):
        return Relation.UNRELATED
    if says_change or (likely >= BY_LIKENESS and is_alike(statement, known)):
        return Relation.SUPERSEDES
    return Relation.CONTRADICTS


def _other_than_restating(verdict: Verdict) -> tuple[Relation, float]:
    return Relation.ADDS, probability(verdict, Relation.ADDS)


def _turned(relation: Relation) -> Relation:
    """The relation of news that is older than what is stored."""
    return Relation.PRECEDES if relation is Relation.SUPERSEDES else relation


def _guarded(statement: Statement, known: Known, relation: Relation) -> Relation:
    """The relation after what a verdict on two sentences cannot know."""
    if relation is not Relation.SUPERSEDES:
        return relation
    if statement.is_temporary and not _is_for_good(statement, known.verdict):
        return Relation.EXCEPTS
    speakers = (statement.speaker, known.memory.source.speaker)
    if speakers[0] != speakers[1]:
        # Each speaks for themselves; about anything else neither has the last word.
        speaks_of_self = statement.speaker is not None and any(
            is_same_name(claim.subject, statement.speaker) for claim in statement.claims
        )
        return Relation.UNRELATED if speaks_of_self else Relation.CONTRADICTS
    return relation


def _is_for_good(statement: Statement, verdict: Verdict) -> bool:
    """Whether a change is one for good though its words name a time ("this term I moved to …").

    The message then says that something changed, and superseding is the likelier of the two.
    """
    replaced = probability(verdict, Relation.SUPERSEDES)
    excepted = probability(verdict, Relation.EXCEPTS)
    if _says_change(statement):
        return replaced > excepted
    return replaced >= FOR_GOOD and excepted < WITH_A_SLOT


def _says_change(statement: Statement) -> bool:
    return statement.sentence.intent is Intent.UPDATE and statement.sureness >= SAYS_CHANGE


def _reach(
    statement: Statement, known: Known, met: Sequence[Memory]
) -> tuple[tuple[Memory, ...], bool]:
    """Which facts of a superseded statement fall, and whether all of it does.

    A sentence with a clause of its own about something else is outdated in part only.
    """
    reach = reach_of(known.memory.content, statement.content)
    if reach.standing:
        outdated = tuple(
            fact
            for fact in known.facts
            if fact in met or not is_within(fact.object or fact.content, reach.standing)
        )
        return outdated, False
    if len(known.facts) <= 1:
        return known.facts, True
    fallen = {fact.id for fact in met}
    fallen |= {
        fact_id
        for fact_id, verdict in known.fact_verdicts.items()
        if probability(verdict, Relation.SUPERSEDES) >= SURE
    }
    outdated = tuple(fact for fact in known.facts if fact.id in fallen)
    if not outdated and probability(known.verdict, Relation.SUPERSEDES) >= DETAIL_SURE:
        return known.facts, True
    return outdated, len(outdated) == len(known.facts)
