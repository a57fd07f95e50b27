"""What a new statement does to an old one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perdure.domain.analysis import query_lexemes
from perdure.domain.readings import Claim, Relation, Verdict
from perdure.understanding.forms import form_of
from perdure.understanding.languages.known import LANGUAGES
from perdure.understanding.modality import modality_of
from perdure.understanding.signs import Signs


def relate(
    old: str,
    new: str,
    *,
    cosine: float | None = None,
    old_claims: Sequence[Claim] = (),
    new_claims: Sequence[Claim] = (),
) -> Verdict:
    """How `new` relates to `old`, two statements of one conversation, the old one said before.

    `cosine` is their similarity in the bundled encoder's space, where it is known.
    """
    signs = Signs(form_of(new), LANGUAGES)
    words_old, words_new = set(query_lexemes(old)), set(query_lexemes(new))
    shared = len(words_old & words_new) / max(1, min(len(words_old), len(words_new)))
    relation, probability, rule = _judged(signs, shared, cosine or 0.0, old_claims, new_claims)
    return Verdict(
        relation=relation,
        probability=probability,
        probabilities=_spread(relation, probability),
        leaned_on=(rule,),
    )


def _judged(
    signs: Signs,
    shared: float,
    cosine: float,
    old_claims: Sequence[Claim],
    new_claims: Sequence[Claim],
) -> tuple[Relation, float, str]:
    is_near = shared >= 0.5 or cosine >= 0.6
    if signs.has("forget", "forget_back", "taken_back") and (is_near or shared > 0):
        return Relation.RETRACTS, 0.7, "cue:forget"
    if not modality_of(signs).is_held:
        return Relation.UNRELATED, 0.8, "modality"
    slots = {(claim.subject, claim.predicate): claim for claim in old_claims}
    for claim in new_claims:
        known = slots.get((claim.subject, claim.predicate))
        if known is None:
            continue
        if known.object == claim.object and known.polarity == claim.polarity:
            return Relation.RESTATES, 0.8, "slot:same"
        if claim.is_single_valued:
            return Relation.SUPERSEDES, 0.7, "slot:other"
        return Relation.ADDS, 0.7, "slot:more"
    if shared >= 0.9:
        return Relation.RESTATES, 0.6, "overlap"
    if is_near and signs.has("change", "correction", "ended"):
        return Relation.SUPERSEDES, 0.6, "cue:change"
    return Relation.UNRELATED, 0.6, "nothing"


def _spread(relation: Relation, probability: float) -> Mapping[Relation, float]:
    rest = (1.0 - probability) / (len(Relation) - 1)
    return {each: probability if each is relation else rest for each in Relation}
