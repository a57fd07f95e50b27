"""What becomes of a new statement, given what is stored: pure rules over readings and verdicts.

A verdict (`domain.readings.Verdict`) only proposes. It decides alone when it is sure; facts that
meet in one slot may decide with less; what stays unsure leaves both memories as they are, marked
as possibly in conflict. Wrongly superseding is worse than missing a change, so every doubt
falls on the side of keeping.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal

from perdure.domain.analysis import query_lexemes
from perdure.domain.clauses import is_within, reach_of, shares_head
from perdure.domain.duplicates import differs_in_detail
from perdure.domain.predicates import Predicates, are_opposites, is_one_thing
from perdure.domain.proposals import Known, Statement, is_same_name, is_same_value
from perdure.domain.readings import Claim, Intent, Modality, Relation, Verdict
from perdure.domain.records import Memory
from perdure.domain.text import identity_text

DecisionKind = Literal["create", "update", "delete", "consolidate", "none"]

SURE = 0.5
"""Probability from which a verdict decides by itself."""
WITH_A_SLOT = 0.15
"""Probability of superseding that is enough when two values meet in one slot."""
DENIED = 0.6
"""Probability of another relation that outweighs what a slot says."""
DETAIL_SURE = 0.7
"""Probability from which a verdict about a whole sentence overrules its facts."""

SAYS_CHANGE = 0.6
"""Sureness from which a message says that something changed."""
FAR = 0.28
"""Cosine below which two statements without a word in common have nothing to do with one another."""
BY_LIKENESS, ALIKE, NEAR = 0.8, 0.4, 0.45
"""Probability of superseding that is enough without it, for statements with such a share of words
in common, or such a cosine."""
MOST_AT_ONCE = 3
"""Statements that one verdict each may outdate, or contest, at once; more is a misreading."""
DOUBTED, DOUBTED_CHANGE = 0.4, 0.6
"""Sureness of its intent, to tell something or to change it, below which a short remark without
facts says nothing."""
SURELY_NOTHING = 0.6
"""Sureness from which a statement that was read as no news is none."""
LEAST_TERMS = 4
"""Telling words from which a sentence is more than a remark; Chinese has twice as many terms."""
SAYS_SO = 0.97
"""Sureness from which a message is an update though nothing stored is outdated by it."""
FOR_GOOD = 0.75
"""Probability of superseding from which what was read as temporary is no exception."""
REPORT_SURE = 0.9
"""Probability from which what was read as a question is a second account that contradicts."""
RECAP_SURE = 0.6
"""Probability from which words that restate something outdated only recall it."""

NEW = "something new that holds"
KNOWN = "said before"
TAKES_PLACE = "takes the place of what was said before"
ENDS = "says that something changed or ended, of which nothing was stored"
CONFLICTS = "cannot hold beside what was said before, and nothing tells which does"
UNSURE = "may take the place of what was said before; both are kept"
FOR_A_WHILE = "holds for a while and leaves the usual as it is"
PAST = "tells of an earlier time"
RECAP = "tells again what no longer holds"
NOTHING_HELD = "says nothing that holds"


class Meeting(Enum):
    """How a new claim and a stored fact meet."""

    SAME = "same"
    OTHER_VALUE = "another value in one slot"
    REVERSED = "the opposite of the same"
    APART = "apart"


def meeting(claim: Claim, fact: Memory, predicates: Predicates) -> Meeting:
    """How a claim meets a fact about the same subject."""
    if fact.subject is None or fact.predicate is None or fact.object is None:
        return Meeting.APART
    if not is_same_name(claim.subject, fact.subject):
        return Meeting.APART
    same_value = is_same_value(claim.object, fact.object)
    if claim.predicate != fact.predicate:
        is_turned = are_opposites(claim.predicate, fact.predicate) and same_value
        both_hold = claim.polarity == "+" == fact.polarity
        return Meeting.REVERSED if is_turned and both_hold else Meeting.APART
    if same_value:
        return Meeting.SAME if claim.polarity == fact.polarity else Meeting.REVERSED
    if claim.replaces is not None and is_same_value(claim.replaces, fact.object):
        return Meeting.OTHER_VALUE
    single = predicates.is_single_valued(claim.predicate, otherwise=claim.is_single_valued)
    both_hold = claim.polarity == "+" == fact.polarity
    return Meeting.OTHER_VALUE if single and both_hold else Meeting.APART


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What becomes of a statement. `effects` are those to be carried out.

    `holds`: the statement is believed from now on, as something new or as support for what is.
    """

    kind: DecisionKind
    reason: str
    relation: Relation
    holds: bool
    effects: tuple[Effect, ...] = ()


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
        relation = _with_evidence(statement, known, probability)
    if relation is Relation.PRECEDES and not by_slot and _is_elsewhere(statement, known):
        relation = Relation.UNRELATED
    if relation is Relation.RESTATES and differs_in_detail(known.memory.content, statement.content):
        # A near-duplicate that differs in a digit, a name or a negation is another statement.
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
    if differs_in_detail(old, statement.content):
        return Relation.ADDS
    says_change = _says_change(statement)
    if _is_elsewhere(statement, known):
        return Relation.UNRELATED
    is_alike = _is_alike(statement, known)
    if says_change or (likely >= BY_LIKENESS and is_alike):
        return Relation.SUPERSEDES
    return Relation.CONTRADICTS


def _is_alike(statement: Statement, known: Known) -> bool:
    shared = _shared_words(known.memory.content, statement.content)
    return (known.cosine or 0.0) >= NEAR or shared >= ALIKE


def _is_elsewhere(statement: Statement, known: Known) -> bool:
    """Whether the two have nothing to do with one another, whatever a verdict says."""
    shared = _shared_words(known.memory.content, statement.content)
    if shared <= 0.0 and (known.cosine or 0.0) < FAR:
        return True
    return not _is_alike(statement, known) and _tells_of_something_else(statement, known)


def _tells_of_something_else(statement: Statement, known: Known) -> bool:
    """Whether both sides have facts, and none of one is of a kind that the other has."""
    told = {claim.predicate for claim in statement.claims}
    stored = {fact.predicate for fact in known.facts if fact.predicate is not None}
    if not told or not stored:
        return False
    return not any(one == other or are_opposites(one, other) for one in told for other in stored)


def _shared_words(one: str, other: str) -> float:
    """Telling words in common, as a share of the fewer, in [0, 1]."""
    first, second = set(query_lexemes(one)), set(query_lexemes(other))
    return len(first & second) / max(1, min(len(first), len(second)))


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


def is_statement(statement: Statement) -> bool:
    """Whether the part says something that its speaker holds to be so."""
    sentence = statement.sentence
    return sentence.modality.is_held and sentence.is_worth_keeping


def may_report(statement: Statement) -> bool:
    """Whether a part that was read as a question or a quotation may be a second account of
    something: "the other notice says eight, no idea which is right" asks nobody anything."""
    sentence = statement.sentence
    asks = statement.content.rstrip().endswith(("?", "？"))
    is_open = sentence.modality in (Modality.QUESTION, Modality.QUOTED)
    return is_open and sentence.is_worth_keeping and not asks


def rule(
    statement: Statement,
    known: Sequence[Known],
    predicates: Predicates,
    *,
    former: Sequence[Known] = (),
) -> Ruling:
    """What becomes of the statement, given what it meets of what holds and of what held once."""
    if not (is_statement(statement) or may_report(statement)):
        return _nothing(NOTHING_HELD)
    effects = [effect_of(statement, item, predicates) for item in known]
    by_relation = {
        relation: sorted(
            (effect for effect in effects if effect.relation is relation),
            key=lambda effect: (-effect.probability, effect.memory.id),
        )
        for relation in Relation
    }
    replaced = _few(by_relation[Relation.SUPERSEDES])
    contested = _few(by_relation[Relation.CONTRADICTS])
    restated = by_relation[Relation.RESTATES]
    if not is_statement(statement):
        accounts = {
            item.memory.id
            for item in known
            if probability(item.verdict, Relation.CONTRADICTS) >= REPORT_SURE
        }
        sure = [effect for effect in contested if effect.memory.id in accounts]
        if not sure:
            return _nothing(NOTHING_HELD)
        return _ruling("create", CONFLICTS, Relation.CONTRADICTS, sure)
    asks = statement.sentence.intent
    if not restated and not _is_beyond_doubt(replaced) and _says_little(statement):
        return _nothing(NOTHING_HELD)
    if not replaced and not restated and asks is not Intent.UPDATE and _is_recap(former):
        return _nothing(RECAP)
    if restated and not _outweighs(replaced, restated):
        return _restating(statement, restated)
    if replaced:
        return _ruling("update", TAKES_PLACE, Relation.SUPERSEDES, replaced)
    if contested:
        return _ruling("create", CONFLICTS, Relation.CONTRADICTS, contested)
    if by_relation[Relation.PRECEDES]:
        return _ruling("create", PAST, Relation.PRECEDES, by_relation[Relation.PRECEDES][:1])
    if statement.is_temporary or by_relation[Relation.EXCEPTS]:
        return _ruling("create", FOR_A_WHILE, Relation.EXCEPTS, ())
    if asks is Intent.UPDATE and _says_so_itself(statement):
        return _ruling("update", ENDS, Relation.ADDS, ())
    return _ruling("create", NEW, Relation.ADDS, ())


def _few(effects: Sequence[Effect]) -> list[Effect]:
    """The effects, without those by verdict alone when they are too many to be meant."""
    by_verdict = [effect for effect in effects if not effect.by_slot]
    if len(by_verdict) <= MOST_AT_ONCE:
        return list(effects)
    return [effect for effect in effects if effect.by_slot]


def _says_little(statement: Statement) -> bool:
    """Whether the words are likelier to be talk than news.

    The intent of a short remark tells; a sentence that states a fact, or is long enough to, is
    talk only when its reading was sure of that.
    """
    if statement.sentence.intent is Intent.NONE:
        return statement.sureness >= SURELY_NOTHING or _is_remark(statement)
    least = DOUBTED if statement.sentence.intent is Intent.CREATE else DOUBTED_CHANGE
    return statement.sureness < least and _is_remark(statement)


def _is_remark(statement: Statement) -> bool:
    terms = len(query_lexemes(statement.content))
    least = LEAST_TERMS if statement.content.isascii() else 2 * LEAST_TERMS
    return not statement.claims and terms < least


def _is_beyond_doubt(replaced: Sequence[Effect]) -> bool:
    return bool(replaced) and (replaced[0].by_slot or replaced[0].probability >= DETAIL_SURE)


def _nothing(reason: str) -> Ruling:
    return Ruling(kind="none", reason=reason, relation=Relation.UNRELATED, holds=False)


def _is_recap(former: Sequence[Known]) -> bool:
    """Whether the statement only tells again what no longer holds, and does not say it is back."""
    return any(
        not item.is_later and probability(item.verdict, Relation.RESTATES) >= RECAP_SURE
        for item in former
    )


def _ruling(
    kind: DecisionKind, reason: str, relation: Relation, effects: Sequence[Effect]
) -> Ruling:
    return Ruling(kind=kind, reason=reason, relation=relation, holds=True, effects=tuple(effects))


def _says_so_itself(statement: Statement) -> bool:
    """Whether the words alone show that something changed or ended, whatever was stored."""
    return statement.sureness >= SAYS_SO or any(
        claim.replaces is not None for claim in statement.claims
    )


def _outweighs(replaced: Sequence[Effect], restated: Sequence[Effect]) -> bool:
    """Whether a change counts for more than a likeness to something else that is stored."""
    if not replaced:
        return False
    return replaced[0].by_slot or replaced[0].probability >= restated[0].probability


def _restating(statement: Statement, restated: Sequence[Effect]) -> Ruling:
    return _ruling("none", KNOWN, Relation.RESTATES, restated)


def is_held(claim: Claim) -> bool:
    """Whether a claim becomes a fact: somebody vouches for it, if only for now."""
    return claim.modality in (Modality.ASSERTED, Modality.TEMPORARY)
