"""What becomes of a new statement, given what it does to what is stored: pure rules.

What stays unsure leaves both memories as they are, marked as possibly in conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.domain.analysis import query_lexemes
from perdure.domain.decision_kinds import DecisionKind
from perdure.domain.duplicates import differs_in_negation
from perdure.domain.effects import DETAIL_SURE, Effect, effect_of, probability
from perdure.domain.predicates import Predicates
from perdure.domain.proposals import Known, Statement
from perdure.domain.readings import Claim, Intent, Modality, Relation
from perdure.domain.recaps import names_only_known

MOST_AT_ONCE = 3
"""Statements that one verdict each may outdate, or contest, at once; more is a misreading."""
DOUBTED, DOUBTED_CHANGE = 0.35, 0.6
"""Sureness of its intent, to tell something or to change it, below which a short remark without
facts says nothing."""
SURELY_NOTHING = 0.6
"""Sureness from which a statement that was read as no news is none."""
LEAST_TERMS = 4
"""Telling words from which a sentence is more than a remark; Chinese has twice as many terms."""
SAYS_SO, SAYS_SO_UNSHOWN = 0.6, 0.97
"""Sureness from which a message is an update though nothing stored is outdated by it: where closed
words show a change and nothing is stored that it adds to, and otherwise."""
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
    is_meant = restated or _is_beyond_doubt(replaced) or _denies_one_of(known, statement)
    if not is_meant and _says_little(statement):
        return _nothing(NOTHING_HELD)
    if not replaced and not restated and asks is not Intent.UPDATE and _is_recap(former):
        return _nothing(RECAP)
    if restated and not _outweighs(replaced, restated):
        return _restating(statement, restated)
    is_by_slot = any(effect.by_slot for effect in replaced)
    if statement.sentence.is_retold and not is_by_slot and _retells(statement, [*known, *former]):
        return _nothing(RECAP)
    if replaced:
        return _ruling("update", TAKES_PLACE, Relation.SUPERSEDES, replaced)
    if contested:
        return _ruling("create", CONFLICTS, Relation.CONTRADICTS, contested)
    if by_relation[Relation.PRECEDES]:
        return _ruling("create", PAST, Relation.PRECEDES, by_relation[Relation.PRECEDES][:1])
    if statement.is_temporary or by_relation[Relation.EXCEPTS]:
        return _ruling("create", FOR_A_WHILE, Relation.EXCEPTS, ())
    is_met = bool(known or former)
    if asks is Intent.UPDATE and _says_so_itself(statement, by_relation[Relation.ADDS], is_met):
        return _ruling("update", ENDS, Relation.ADDS, ())
    return _ruling("create", NEW, Relation.ADDS, ())


def _denies_one_of(known: Sequence[Known], statement: Statement) -> bool:
    """Whether the statement denies, in the same words, what a stored one says."""
    return any(differs_in_negation(item.memory.content, statement.content) for item in known)


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


def _retells(statement: Statement, met: Sequence[Known]) -> bool:
    """Whether a statement that says it was told before names nothing that was not; a value that is
    nowhere stored is news, however it is put."""
    values = [claim.object for claim in statement.claims if claim.modality.is_held]
    return names_only_known(statement.content, values, [item.memory.content for item in met])


def _ruling(
    kind: DecisionKind, reason: str, relation: Relation, effects: Sequence[Effect]
) -> Ruling:
    return Ruling(kind=kind, reason=reason, relation=relation, holds=True, effects=tuple(effects))


def _says_so_itself(statement: Statement, added_to: Sequence[Effect], is_met: bool) -> bool:
    """Whether the words alone show that something changed or ended, whatever was stored.

    Where nothing that is stored comes near them (`is_met` false), they have to name what gives way:
    for who never heard of the house, "we sold the house" is the first news of it.
    """
    if any(claim.replaces is not None for claim in statement.claims):
        return True
    is_shown = statement.sentence.shows_change and not added_to
    return is_met and statement.sureness >= (SAYS_SO if is_shown else SAYS_SO_UNSHOWN)


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
