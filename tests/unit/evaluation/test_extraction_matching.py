"""When a found fact is a listed one, and when it is neither right nor wrong."""

from __future__ import annotations

import pytest

from perdure.domain.readings import Modality, Polarity
from perdure.evaluation.extraction.items import ExtractionItem, ListedFact
from perdure.evaluation.extraction.matching import (
    FoundFact,
    Strictness,
    came_out,
    fold,
    is_same_object,
    is_same_predicate,
    is_same_subject,
    matches,
)
from perdure.evaluation.extraction.neutrality import is_neutral


def found(
    told: str, *, polarity: Polarity = "+", modality: Modality = Modality.ASSERTED
) -> FoundFact:
    """A fact from "subject predicate object": the object may have spaces."""
    subject, predicate, object_ = told.split(" ", 2)
    return FoundFact(
        subject=subject,
        predicate=predicate,
        object=object_,
        polarity=polarity,
        modality=modality,
    )


def listed(
    told: str,
    *others: str,
    polarity: Polarity = "+",
    modality: Modality = Modality.ASSERTED,
) -> ListedFact:
    subject, predicate, object_ = told.split(" ", 2)
    return ListedFact(
        subject=subject,
        predicate=predicate,
        objects=(object_, *others),
        polarity=polarity,
        modality=modality,
    )


def an_item(message: str, *facts: ListedFact, speaker: str = "user") -> ExtractionItem:
    return ExtractionItem(id="1", language="en", message=message, speaker=speaker, facts=facts)


def is_met(fact: FoundFact, label: ListedFact, *, strictness: Strictness = "strict") -> bool:
    return matches(fact, label, speaker="user", strictness=strictness)


def test_case_width_punctuation_articles_and_spaces_fold_away() -> None:
    assert fold("The Old ＭＩＬＬ, in a wood.") == "oldmillinwood"
    assert fold("my aunt’s") == fold("My aunt's")
    assert fold("half-marathon") == fold("half marathon")
    assert fold("《盐之路》") == "盐之路"
    assert fold("theatre") == "theatre"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a cello", "The cello", True),
        ("plays cello", "cello", True),  # 5 of 10 letters
        ("he plays cello", "cello", False),  # 5 of 12
        ("猫", "橘猫", True),
        ("猫", "大橘猫", False),
        ("cello", "viola", False),
        ("the", "a", False),
    ],
)
def test_one_object_may_hold_the_other_if_it_is_at_most_twice_as_long(
    one: str, other: str, same: bool
) -> None:
    assert is_same_object(one, other) is same
    assert is_same_object(other, one) is same


def test_any_listed_wording_will_do() -> None:
    label = listed("user works_on Plume", "app for birdwatchers")
    assert is_met(found("user works_on an app for birdwatchers"), label)
    assert not is_met(found("user works_on something else"), label)


def test_the_user_may_be_called_by_the_speakers_name() -> None:
    assert is_same_subject("Bram", "user", "Bram")
    assert is_same_subject("user", "bram", "Bram")
    assert not is_same_subject("Ann", "user", "Bram")
    assert is_same_subject("User.Sibling", "user.sibling", "user")
    assert not is_same_subject("user.parent", "user.sibling", "user")


def test_polarity_and_modality_must_agree() -> None:
    label = listed("user works_at library", polarity="-")
    assert is_met(found("user works_at library", polarity="-"), label)
    assert not is_met(found("user works_at library"), label)
    ill = listed("user health_condition flu", modality=Modality.TEMPORARY)
    assert is_met(found("user health_condition flu", modality=Modality.TEMPORARY), ill)
    assert not is_met(found("user health_condition flu"), ill)


def test_not_to_like_is_to_dislike() -> None:
    assert is_met(found("user likes opera", polarity="-"), listed("user dislikes opera"))
    assert is_met(found("user dislikes opera"), listed("user likes opera", polarity="-"))
    assert not is_met(found("user likes opera"), listed("user dislikes opera"))


@pytest.mark.parametrize(
    ("one", "other", "lenient"),
    [
        ("likes", "favourite:food", True),
        ("prefers", "hobby", True),
        ("skill", "hobby", True),
        ("skill", "likes", False),
        ("dislikes", "diet", True),
        ("likes", "dislikes", False),
        ("spouse", "partner", True),
        ("plans", "schedule", True),
        ("works_on", "uses", True),
        ("friend", "colleague", True),
        ("friend", "relative", False),
        ("favourite:food", "favourite:drink", True),
        ("works_at", "studies_at", False),
    ],
)
def test_kindred_predicates_are_one_only_leniently(one: str, other: str, lenient: bool) -> None:
    assert is_same_predicate(one, other, subject="user", strictness="lenient") is lenient
    assert not is_same_predicate(one, other, subject="user", strictness="strict")


def test_only_people_live_where_they_are() -> None:
    def is_one(subject: str) -> bool:
        return is_same_predicate("lives_in", "located_in", subject=subject, strictness="lenient")

    assert [is_one(s) for s in ("user", "Noor", "user.parent")] == [True] * 3
    assert not is_one("user.office")


# --- Traps ---------------------------------------------------------------------------------------


def test_a_trap_comes_out_when_it_is_held_of_the_same_subject() -> None:
    trap = listed("user lives_in Norway", modality=Modality.HYPOTHETICAL)
    assert came_out(found("user lives_in Norway"), trap, speaker="user")
    assert came_out(found("user located_in norway"), trap, speaker="user")
    right = found("user lives_in Norway", modality=Modality.HYPOTHETICAL)
    assert not came_out(right, trap, speaker="user")
    assert not came_out(found("Tom lives_in Norway"), trap, speaker="user")


# --- Neither right nor wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fact", "neutral"),
    [
        ("user sibling sister", True),
        ("user sibling my sister", True),
        ("user sibling user.sibling", True),
        ("user spouse 我老婆", True),
        ("user sibling Noor", False),
        ("user has_pet dog", False),
    ],
)
def test_that_a_relation_exists_is_neutral(fact: str, neutral: bool) -> None:
    assert is_neutral(found(fact), an_item("My sister called.")) is neutral


def test_turning_from_what_something_is_preferred_to_is_neutral() -> None:
    item = an_item("I prefer tea to coffee.", listed("user prefers tea", "tea to coffee"))
    assert is_neutral(found("user avoids coffee"), item)
    assert is_neutral(found("user likes coffee", polarity="-"), item)
    assert not is_neutral(found("user likes coffee"), item)
    assert not is_neutral(found("user avoids tea"), item)
    assert not is_neutral(found("user avoids milk"), item)
    assert not is_neutral(found("user avoids coffee"), an_item("No coffee.", listed("user diet x")))


def test_a_relation_seen_from_the_other_end_is_neutral() -> None:
    item = an_item("My wife Lena.", listed("user spouse Lena"))
    assert is_neutral(found("Lena spouse user"), item)
    assert not is_neutral(found("Lena child user"), item)


def test_where_somebody_lives_with_whom_one_stays_is_neutral() -> None:
    stay = listed("user located_in Leeds", "my aunt's in Leeds", modality=Modality.TEMPORARY)
    item = an_item("I'm at my aunt's in Leeds.", stay)
    assert is_neutral(found("user.relative lives_in Leeds"), item)
    assert not is_neutral(found("user lives_in Leeds"), item)
    assert not is_neutral(found("user.relative lives_in York"), item)


def test_where_an_owned_thing_stands_is_neutral() -> None:
    item = an_item("There's a kayak in my garage.", listed("user owns kayak"))
    assert is_neutral(found("kayak located_in garage"), item)
    assert not is_neutral(found("canoe located_in garage"), item)


def test_indifference_is_neutral() -> None:
    assert is_neutral(
        found("user prefers tea", polarity="-"), an_item("Tea or not, all one to me.")
    )


def test_a_traps_content_under_another_subject_is_neutral() -> None:
    trap = listed("user lives_in Corsica", modality=Modality.QUOTED)
    item = an_item("She wrote: I live in Corsica.", trap)
    assert is_neutral(found("She lives_in Corsica"), item)
    assert not is_neutral(found("user lives_in Corsica"), item)
    assert not is_neutral(found("She job_title Corsica"), item)
