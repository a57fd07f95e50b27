"""How what a statement claims meets what is stored: in one slot, turned round, or apart."""

from __future__ import annotations

from enum import Enum

from perdure.domain.clauses import is_within
from perdure.domain.predicates import Predicates, are_opposites, is_added_to
from perdure.domain.proposals import Known, Statement, is_same_name, is_same_value
from perdure.domain.readings import Claim
from perdure.domain.records import Memory


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


def is_one_more(statement: Statement, known: Known) -> bool:
    """Whether both state values of something people have several of, and none is denied or named
    again: who names the old value beside the new one may well mean that it gives way."""
    if any(claim.polarity == "-" or claim.replaces is not None for claim in statement.claims):
        return False
    return any(
        is_added_to(claim.predicate)
        and claim.predicate == fact.predicate
        and is_same_name(claim.subject, fact.subject or "")
        and not is_same_value(claim.object, fact.object or "")
        and not is_within(fact.object or "", (statement.content,))
        for claim in statement.claims
        for fact in known.facts
    )
