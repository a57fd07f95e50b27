"""What a new statement does to an old one: the networks' word, weighed with the claims of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from perdure.domain.readings import Claim, Modality, Relation, Verdict
from perdure.domain.series import are_told_apart
from perdure.understanding.forms import form_of
from perdure.understanding.learned.reader import relations_by_network
from perdure.understanding.learned.weights import learned
from perdure.understanding.signs import signs_of

LEAST_SURE = 0.5
"""Below it a statement is not taken to replace or withdraw another one."""

_COSTLY = frozenset({Relation.SUPERSEDES, Relation.RETRACTS})


def relate(
    old: str,
    new: str,
    *,
    cosine: float | None = None,
    old_claims: Sequence[Claim] = (),
    new_claims: Sequence[Claim] = (),
) -> Verdict:
    """How `new` relates to `old`, two statements of one conversation, the old one said before.

    `cosine` is their similarity in the bundled encoder's space, where it is known. The claims
    are those read from the statements, where they were read. Never fails on any text.
    """
    weights = learned()
    shares = dict(relations_by_network(weights, old, new, cosine))
    leaned_on = [f"network:{weights.version}"]
    seen = [(f"slot:{slot}", factors) for slot, factors in _compared(old_claims, new_claims)]
    seen += _by_words(old, new)
    for name, factors in seen:
        leaned_on.append(name)
        for relation, factor in factors.items():
            shares[relation] *= factor
    if _bare(old) == _bare(new):
        leaned_on.append("same words")
        shares[Relation.RESTATES] += 10.0
    total = sum(shares.values())
    probabilities = {relation: share / total for relation, share in shares.items()}
    relation = _likeliest(probabilities)
    return Verdict(
        relation=relation,
        probability=probabilities[relation],
        probabilities=probabilities,
        leaned_on=tuple(leaned_on),
    )


def _bare(text: str) -> str:
    return "".join(char for char in form_of(text) if char.isalnum())


def _likeliest(probabilities: Mapping[Relation, float]) -> Relation:
    ranked = sorted(Relation, key=lambda relation: -probabilities[relation])
    return next(
        relation
        for relation in ranked
        if relation not in _COSTLY or probabilities[relation] >= LEAST_SURE
    )


Factors = Mapping[Relation, float]

_SAME: Factors = {Relation.RESTATES: 3.0, Relation.UNRELATED: 0.3}
_OTHER_VALUE: Factors = {
    Relation.SUPERSEDES: 2.0,
    Relation.UNRELATED: 0.4,
    Relation.ADDS: 0.6,
    Relation.RESTATES: 0.3,
}
_ONE_MORE: Factors = {Relation.ADDS: 1.6, Relation.UNRELATED: 0.7, Relation.RESTATES: 0.5}
_TURNED: Factors = {Relation.SUPERSEDES: 2.5, Relation.RESTATES: 0.2, Relation.UNRELATED: 0.3}
_FOR_NOW: Factors = {Relation.EXCEPTS: 2.0, Relation.SUPERSEDES: 0.6}
_OF_ANOTHER: Factors = {Relation.UNRELATED: 2.0, Relation.SUPERSEDES: 0.4, Relation.RETRACTS: 0.6}
_NOT_SAID: Factors = {Relation.UNRELATED: 2.0, Relation.SUPERSEDES: 0.3, Relation.ADDS: 0.5}
_TOLD_APART: Factors = {
    Relation.SUPERSEDES: 0.05,
    Relation.RESTATES: 0.05,
    Relation.CONTRADICTS: 0.2,
    Relation.ADDS: 2.0,
}
_AS_WELL: Factors = {Relation.SUPERSEDES: 0.1, Relation.CONTRADICTS: 0.3, Relation.ADDS: 3.0}
_FOR_GOOD: Factors = {Relation.EXCEPTS: 0.1}


def _by_words(old: str, new: str) -> Iterator[tuple[str, Factors]]:
    """What words of closed classes, and the build of the two, show."""
    signs = signs_of(form_of(new))
    if are_told_apart(old, new):
        yield "told apart", _TOLD_APART
    if signs.has("as_well") and not signs.has("change", "correction", "ended"):
        yield "cue:as_well", _AS_WELL
    if signs.has("begins"):
        yield "cue:begins", _FOR_GOOD


def _compared(
    old_claims: Sequence[Claim], new_claims: Sequence[Claim]
) -> Iterator[tuple[str, Factors]]:
    """What the claims show, at most one observation of each kind."""
    seen: set[str] = set()
    for name, factors in _observations(old_claims, new_claims):
        if name not in seen:
            seen.add(name)
            yield name, factors


def _observations(
    old_claims: Sequence[Claim], new_claims: Sequence[Claim]
) -> Iterator[tuple[str, Factors]]:
    for new in new_claims:
        for old in old_claims:
            if new.predicate != old.predicate:
                continue
            if new.subject != old.subject:
                yield "another's", _OF_ANOTHER
            elif not new.modality.is_held:
                yield "not said", _NOT_SAID
            elif new.modality is Modality.TEMPORARY:
                yield "for now", _FOR_NOW
            else:
                yield _same_slot(old, new)


def _same_slot(old: Claim, new: Claim) -> tuple[str, Factors]:
    is_same = form_of(old.object) == form_of(new.object)
    if is_same and old.polarity != new.polarity:
        return "turned", _TURNED
    if is_same:
        return "same", _SAME
    if new.is_single_valued:
        return "other value", _OTHER_VALUE
    return "one more", _ONE_MORE
