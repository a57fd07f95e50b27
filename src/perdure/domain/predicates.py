"""Which predicates hold one value at a time, and which are each other's opposites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from perdure.errors import InvalidInput

Cardinality = Literal["single", "many"]

SINGLE_VALUED = frozenset(
    "name nickname age born_on born_in raised_in lives_in ethnicity native_language religion "
    "marital_status spouse partner works_at job_title manager studies_at diet contact_preference "
    "timezone blood_type height shoe_size breed deadline located_in".split()
)
MANY_VALUED = frozenset(
    "likes dislikes prefers avoids allergic_to health_condition takes_medication child parent "
    "sibling relative friend colleague housemate neighbour has_pet pet_name speaks learning skill "
    "hobby field_of_study owns uses works_on member_of plans goal schedule nationality visited "
    "email phone instructs also_called".split()
)
SINGLE_VALUED_FAMILIES = ("favourite:", "attribute:")
"""Beginnings of predicates that name a kind of thing; each kind has one value."""

NAMING = frozenset(("also_called", "nickname", "name"))
"""Predicates whose object is another name of their subject."""

_OPPOSITES = ({"likes", "prefers", "hobby"}, {"dislikes", "avoids"})
_SEVERAL = frozenset(
    "parent child sibling relative friend colleague housemate neighbour pet".split()
)
"""Places beside the user that more than one may fill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicates:
    """The registry: what is known of predicates, and what a caller adds or changes."""

    given: Mapping[str, Cardinality] = field(default_factory=lambda: MappingProxyType({}))

    def is_single_valued(self, predicate: str, *, otherwise: bool = False) -> bool:
        """Whether a new value takes the place of the one before.

        `otherwise` answers for a predicate that nobody registered.
        """
        if predicate in self.given:
            return self.given[predicate] == "single"
        if predicate in SINGLE_VALUED or predicate.startswith(SINGLE_VALUED_FAMILIES):
            return True
        return otherwise and predicate not in MANY_VALUED

    def is_registered(self, predicate: str) -> bool:
        """Whether anybody has said how many values the predicate has."""
        return (
            predicate in self.given
            or predicate in SINGLE_VALUED
            or predicate in MANY_VALUED
            or predicate.startswith(SINGLE_VALUED_FAMILIES)
        )

    def extended(self, more: Mapping[str, Cardinality]) -> Predicates:
        """The registry with more predicates, or others' cardinality changed."""
        return Predicates(given=MappingProxyType({**self.given, **more})) if more else self

    def as_document(self) -> dict[str, str]:
        """What was added, as JSON values, for the configuration hash."""
        return dict(sorted(self.given.items()))


PREDICATES = Predicates()
"""The built-in registry."""


def checked_cardinalities(given: object, name: str) -> Mapping[str, Cardinality]:
    """Checked additions to the registry: predicates with "single" or "many"."""
    if given is None:
        return MappingProxyType({})
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{name} must map predicates to 'single' or 'many'")
    for predicate, cardinality in given.items():
        if not isinstance(predicate, str) or not predicate.strip():
            raise InvalidInput(f"{name}: a predicate is text that is not blank")
        if cardinality not in ("single", "many"):
            raise InvalidInput(f"{name}: {predicate[:60]!r} must be 'single' or 'many'")
    return MappingProxyType(dict(given))


def are_opposites(one: str, other: str) -> bool:
    """Whether holding one of something denies the other of it, as liking does disliking."""
    return any(one in _OPPOSITES[side] and other in _OPPOSITES[1 - side] for side in (0, 1))


def is_one_thing(subject: str) -> bool:
    """Whether the subject certainly names one person or thing.

    "user.parent" may be either of two, "user.friend" any of many; a name or "user" is one.
    """
    return subject.rpartition(".")[2] not in _SEVERAL


_ADDED_TO = frozenset(
    "allergic_to speaks skill child sibling relative friend has_pet pet_name visited".split()
)
"""Predicates whose values come one by one and stay: whoever learns a language keeps the others."""


def is_added_to(predicate: str) -> bool:
    """Whether a further value of the predicate by itself puts an end to no other."""
    return predicate in _ADDED_TO


def slot_key(subject: str, predicate: str) -> str:
    """The slot of a single-valued predicate; no two (subject, predicate) pairs share one."""
    return f"fact:{subject.replace('%', '%25').replace(':', '%3A')}:{predicate}"
