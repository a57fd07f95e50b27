"""How found facts are scored."""

from __future__ import annotations

import json

import pytest

from perdure.domain.readings import Modality
from perdure.errors import InvalidInput
from perdure.evaluation.extraction.items import ExtractionItem, ListedFact, read_extraction
from perdure.evaluation.extraction.matching import FoundFact
from perdure.evaluation.extraction.scoring import (
    EMPTY,
    HEADLINE,
    LENIENT,
    PRECISION,
    RECALL,
    TRAPS,
    judge,
    report,
)

LINE = {
    "id": "1",
    "lang": "en",
    "speaker": "user",
    "message": "I like tea.",
    "facts": [
        {
            "subject": "user",
            "predicate": "likes",
            "object": "tea",
            "polarity": "+",
            "modality": "asserted",
            "cardinality": "many",
        }
    ],
}


def fact(predicate: str, object_: str, modality: Modality = Modality.ASSERTED) -> FoundFact:
    return FoundFact(subject="user", predicate=predicate, object=object_, modality=modality)


def wanted(predicate: str, object_: str, modality: Modality = Modality.ASSERTED) -> ListedFact:
    return ListedFact(subject="user", predicate=predicate, objects=(object_,), modality=modality)


def an_item(*facts: ListedFact, id_: str = "1") -> ExtractionItem:
    return ExtractionItem(id=id_, language="en", message="…", facts=facts)


def value(made, measure: str) -> float:  # type: ignore[no-untyped-def]
    return made.figure(measure, language="en").value  # type: ignore[no-any-return]


def test_precision_recall_and_f1_by_hand() -> None:
    made = report(
        [
            (
                an_item(wanted("likes", "tea"), wanted("speaks", "Farsi"), id_="1"),
                [fact("likes", "tea"), fact("owns", "boat")],
            ),
            (an_item(wanted("uses", "Kotlin"), id_="2"), [fact("uses", "Kotlin")]),
            (an_item(wanted("owns", "car"), id_="3"), []),
        ]
    )
    assert value(made, PRECISION) == pytest.approx(2 / 3)
    assert value(made, RECALL) == pytest.approx(2 / 4)
    assert value(made, HEADLINE) == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))


def test_the_lenient_f1_takes_kindred_predicates_for_one() -> None:
    made = report([(an_item(wanted("favourite:drink", "tea")), [fact("likes", "tea")])])
    assert (value(made, HEADLINE), value(made, LENIENT)) == (0.0, 1.0)


def test_the_same_fact_found_twice_counts_once() -> None:
    one = judge(an_item(), [fact("owns", "boat"), fact("owns", "boat")])
    assert len(one.counted) == 1


def test_two_wordings_of_one_listed_fact_are_both_right() -> None:
    one = judge(
        an_item(wanted("hobby", "cello")), [fact("hobby", "cello"), fact("hobby", "the cello")]
    )
    assert (len(one.right), len(one.met), one.wrong) == (2, 1, ())


def test_a_trap_held_is_sprung_and_wrong_and_one_with_its_modality_is_fine() -> None:
    item = an_item(wanted("lives_in", "Norway", Modality.HYPOTHETICAL))
    held = judge(item, [fact("lives_in", "Norway")])
    assert (len(held.sprung), len(held.wrong)) == (1, 1)
    supposed = judge(item, [fact("lives_in", "Norway", Modality.HYPOTHETICAL)])
    assert (supposed.sprung, supposed.counted) == ((), ())


def test_neutral_finds_are_left_out() -> None:
    one = judge(an_item(wanted("likes", "tea")), [fact("likes", "tea"), fact("sibling", "sister")])
    assert len(one.counted) == 1


def test_traps_and_empty_items_have_shares_of_their_own() -> None:
    made = report(
        [
            (
                an_item(wanted("likes", "opera", Modality.QUESTION), id_="1"),
                [fact("likes", "opera")],
            ),
            (an_item(wanted("owns", "boat", Modality.HYPOTHETICAL), id_="2"), []),
            (an_item(id_="3"), []),
            (an_item(id_="4"), [fact("owns", "lion")]),
            (an_item(id_="5"), [fact("sibling", "sister")]),
        ]
    )
    assert (value(made, TRAPS), value(made, EMPTY)) == (0.5, pytest.approx(2 / 3))


def test_a_failure_lists_what_was_wanted_and_what_came() -> None:
    [failure] = report([(an_item(wanted("likes", "tea")), [fact("owns", "boat")])]).failures
    assert failure.group == "missed, wrong"
    assert failure.expected == "user likes tea + asserted (missed)"
    assert failure.came == "user owns boat + asserted (wrong)"


def test_reading_takes_every_right_wording() -> None:
    facts = [{**LINE["facts"][0], "object_accept": ["tea", "green tea"]}]  # type: ignore[dict-item]
    [item] = read_extraction([json.dumps({**LINE, "facts": facts})])
    assert item.facts[0].objects == ("tea", "green tea")


@pytest.mark.parametrize(
    "change", [{"polarity": "?"}, {"modality": "maybe"}, {"object": None}, {"subject": 1}]
)
def test_a_line_of_another_format_is_named(change: dict[str, object]) -> None:
    facts = [{**LINE["facts"][0], **change}]  # type: ignore[dict-item]
    with pytest.raises(InvalidInput, match="line 1"):
        read_extraction([json.dumps({**LINE, "facts": facts})])
