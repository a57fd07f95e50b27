"""The kinds of facts that are understood without a language model."""

from __future__ import annotations

SINGLE_VALUED = frozenset(
    "name nickname age born_on born_in raised_in lives_in ethnicity native_language religion "
    "marital_status spouse partner works_at job_title manager studies_at diet contact_preference "
    "timezone blood_type height shoe_size breed deadline located_in".split()
)
MANY_VALUED = frozenset(
    "likes dislikes prefers avoids allergic_to health_condition takes_medication child parent "
    "sibling relative friend colleague housemate neighbour has_pet pet_name speaks learning skill "
    "hobby field_of_study owns uses works_on member_of plans goal schedule nationality visited "
    "email phone instructs".split()
)
FAVOURITE = "favourite:"
"""Begins the predicate of a favourite; the kind of thing follows, in English."""

ATTRIBUTE = "attribute:"
"""Begins the predicate of a fact of any other kind: "the locker code is 4471"; its name follows."""

RELATIONS = frozenset(
    "spouse partner manager child parent sibling relative friend colleague housemate "
    "neighbour".split()
)
"""Predicates whose object is somebody, known to the subject in that role."""


def is_single_valued(predicate: str) -> bool:
    """Whether a new value takes the place of the one before."""
    return predicate in SINGLE_VALUED or predicate.startswith((FAVOURITE, ATTRIBUTE))
