"""The graph that facts make: entities, walks, and what follows from what is told. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from perdure.domain.predicates import NAMING
from perdure.domain.proposals import name_form
from perdure.domain.readings import USER
from perdure.domain.records import Memory

PERSON, PLACE, ORGANIZATION, CONCEPT = "Person", "Place", "Organization", "Concept"
_ID_BYTES = 12

_SUBJECT_IS_PERSON = frozenset(
    "age born_on born_in raised_in lives_in works_at job_title studies_at spouse partner child "
    "parent sibling relative friend colleague housemate neighbour manager speaks learning likes "
    "dislikes allergic_to diet hobby nationality religion marital_status native_language".split()
)
_OBJECT_TYPES: Mapping[str, str] = {
    **dict.fromkeys(
        "spouse partner child parent sibling relative friend colleague housemate neighbour "
        "manager knows".split(),
        PERSON,
    ),
    **dict.fromkeys("lives_in born_in raised_in located_in visited".split(), PLACE),
    **dict.fromkeys("works_at studies_at member_of".split(), ORGANIZATION),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Somebody or something that facts are about.

    `id` is made of whose it is, its type and its name, and stays the same while those do.
    `aliases` are its other names, `properties` its values by single predicates, `version` how
    many facts it was put together from, `confidence` that of the surest of them.
    """

    id: str
    type: str
    name: str
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    version: int = 1
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What follows from a relation: through another of the same, backwards, or both ways."""

    predicate: str
    is_transitive: bool = False
    inverse: str | None = None

    @property
    def is_symmetric(self) -> bool:
        """Whether it holds backwards as it is."""
        return self.inverse == self.predicate


RULES: tuple[Rule, ...] = (
    Rule(predicate="depends_on", is_transitive=True),
    Rule(predicate="implies", is_transitive=True),
    Rule(predicate="part_of", is_transitive=True, inverse="has_part"),
    Rule(predicate="has_part", is_transitive=True, inverse="part_of"),
    Rule(predicate="caused_by", is_transitive=True, inverse="causes"),
    Rule(predicate="parent", inverse="child"),
    Rule(predicate="child", inverse="parent"),
    *(
        Rule(predicate=name, inverse=name)
        for name in ("spouse", "partner", "sibling", "friend", "colleague", "neighbour",
                     "housemate")
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred:
    """A fact that follows from told ones: never stored, and gone when a premise goes.

    `proof` are the told facts it follows from, in order; `confidence` is their product.
    """

    subject: str
    predicate: str
    object: str
    proof: tuple[Memory, ...]

    @property
    def confidence(self) -> float:
        """How sure it is: as sure as all its premises together."""
        product = 1.0
        for fact in self.proof:
            product *= fact.confidence
        return product


def names_of(facts: Iterable[Memory]) -> dict[str, str]:
    """Each other name (in its plain form) to the form of the name that stands for all of them."""
    leader: dict[str, str] = {}

    def find(form: str) -> str:
        while leader.get(form, form) != form:
            form = leader[form]
        return form

    for fact in facts:
        if fact.predicate in NAMING and fact.subject and fact.object and fact.polarity == "+":
            one, other = find(name_form(fact.subject)), find(name_form(fact.object))
            if one != other:
                leader[other] = one
    return {form: find(form) for form in leader}


def entities_of(facts: Sequence[Memory], *, owner: str) -> list[Entity]:
    """The entities the facts are about, by name; `owner` tells those of one user from others'.

    Two of one name and different types are two; other names are aliases.
    """
    names = names_of(facts)
    drawn: dict[tuple[str, str], _Drawing] = {}
    types = _types(facts, names)
    for fact in facts:
        for name, is_subject in ((fact.subject, True), (fact.object, False)):
            if not name or (not is_subject and not _is_entity(fact)):
                continue
            form = names.get(name_form(name), name_form(name))
            kind = (
                types[form] if is_subject else _OBJECT_TYPES.get(fact.predicate or "", types[form])
            )
            drawing = drawn.setdefault((kind, form), _Drawing(kind))
            drawing.take(fact, name, is_subject=is_subject)
    return [drawing.entity(form, owner) for (_, form), drawing in sorted(drawn.items())]


def _is_entity(fact: Memory) -> bool:
    """Whether the object of a fact is somebody or something, not a mere value."""
    predicate = fact.predicate or ""
    return predicate in _OBJECT_TYPES or predicate in NAMING or predicate in _RELATIONS


_RELATIONS = frozenset(
    name for rule in RULES for name in (rule.predicate, rule.inverse) if name is not None
) | {"knows", "contradicts", "owns", "uses", "works_on", "runs_on"}


def _types(facts: Iterable[Memory], names: Mapping[str, str]) -> dict[str, str]:
    """The type of each entity, from what is said of it; a person where anything says so."""
    types: dict[str, str] = {}
    for fact in facts:
        predicate = fact.predicate or ""
        for name, kind in (
            (fact.subject, PERSON if predicate in _SUBJECT_IS_PERSON else None),
            (fact.object, _OBJECT_TYPES.get(predicate)),
        ):
            if not name:
                continue
            form = names.get(name_form(name), name_form(name))
            kind = PERSON if form == USER or form.startswith(f"{USER}.") else kind
            if kind == PERSON or form not in types or types[form] == CONCEPT:
                types[form] = kind or types.get(form, CONCEPT)
    return types


@dataclass(slots=True)
class _Drawing:
    """An entity being put together."""

    type: str
    name: str = ""
    others: dict[str, None] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    facts: int = 0
    confidence: float = 0.0

    def take(self, fact: Memory, name: str, *, is_subject: bool) -> None:
        self.facts += 1
        self.confidence = max(self.confidence, fact.confidence)
        if fact.predicate in NAMING and fact.object:
            self.others[fact.object] = None
        if not self.name or (is_subject and fact.predicate in NAMING):
            self.name, name = name, self.name
        if name and name_form(name) != name_form(self.name):
            self.others[name] = None
        if is_subject and fact.object and fact.polarity == "+":
            self.properties[fact.predicate or ""] = fact.object

    def entity(self, form: str, owner: str) -> Entity:
        digest = blake2b(f"{owner}\n{self.type}\n{form}".encode(), digest_size=_ID_BYTES)
        return Entity(
            id=digest.hexdigest(),
            type=self.type,
            name=self.name,
            aliases=tuple(
                other for other in self.others if name_form(other) != name_form(self.name)
            ),
            properties=dict(self.properties),
            version=max(self.facts, 1),
            confidence=self.confidence,
        )


_Triple = tuple[str, str, str]
_Proof = tuple[Memory, ...]


def inferred(facts: Sequence[Memory], rules: Iterable[Rule] = RULES) -> list[Inferred]:
    """What follows from the facts, each with a shortest proof; what is told is left out."""
    by_predicate = {rule.predicate: rule for rule in rules}
    told: dict[_Triple, _Proof] = {}
    shown: dict[_Triple, _Triple] = {}
    for fact in facts:
        if fact.subject and fact.object and fact.predicate in by_predicate and fact.polarity == "+":
            key = (name_form(fact.subject), fact.predicate, name_form(fact.object))
            told[key] = (fact,)
            shown[key] = (fact.subject, fact.predicate, fact.object)
    proofs = dict(told)
    fresh = dict(told)
    while fresh:
        found: dict[_Triple, _Proof] = {}
        for key, words, proof in _steps(fresh, proofs, shown, by_predicate):
            if key[0] != key[2] and key not in proofs and key not in found:
                found[key] = proof
                shown[key] = words
        proofs |= found
        fresh = found
    return [
        Inferred(subject=shown[key][0], predicate=shown[key][1], object=shown[key][2], proof=proof)
        for key, proof in proofs.items()
        if key not in told
    ]


def _steps(
    fresh: Mapping[_Triple, _Proof],
    proofs: Mapping[_Triple, _Proof],
    shown: Mapping[_Triple, _Triple],
    rules: Mapping[str, Rule],
) -> Iterator[tuple[_Triple, _Triple, _Proof]]:
    """What follows in one step from something that was just found."""
    leaving: dict[tuple[str, str], list[_Triple]] = {}
    arriving: dict[tuple[str, str], list[_Triple]] = {}
    for key in proofs:
        leaving.setdefault((key[1], key[0]), []).append(key)
        arriving.setdefault((key[1], key[2]), []).append(key)
    for key, proof in fresh.items():
        subject, predicate, value = key
        rule = rules.get(predicate)
        if rule is None:
            continue
        words = shown[key]
        if rule.inverse is not None:
            yield (value, rule.inverse, subject), (words[2], rule.inverse, words[0]), proof
        if not rule.is_transitive:
            continue
        for after in leaving.get((predicate, value), ()):
            yield (
                (subject, predicate, after[2]),
                (words[0], words[1], shown[after][2]),
                _chain(proof, proofs[after]),
            )
        for before in arriving.get((predicate, subject), ()):
            yield (
                (before[0], predicate, value),
                (shown[before][0], words[1], words[2]),
                _chain(proofs[before], proof),
            )


def _chain(one: _Proof, other: _Proof) -> _Proof:
    return tuple({fact.id: fact for fact in (*one, *other)}.values())
