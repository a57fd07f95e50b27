"""How labels for messages are scored."""

from __future__ import annotations

import json

import pytest

from perdure.errors import InvalidInput
from perdure.evaluation.intents.items import IntentItem, read_intents
from perdure.evaluation.intents.scoring import (
    ACCURACY,
    F1,
    HEADLINE,
    PRECISION,
    WRONG_DELETES,
    Judged,
    is_wrong_delete,
    label_of,
    report,
)

LINE = {"id": "1", "lang": "en", "context": [], "message": "I moved.", "label": "update"}


def judged(given: str, *accepted: str, language: str = "en") -> Judged:
    item = IntentItem(
        id=f"{given}-{accepted}", language=language, context=(), message="…", accepted=accepted
    )
    return Judged(item=item, given=given)


@pytest.mark.parametrize(
    ("operations", "label"),
    [
        (set(), "none"),
        ({"none"}, "none"),
        ({"create", "none"}, "create"),
        ({"create", "update"}, "update"),
        ({"create", "update", "delete"}, "delete"),
        ({"consolidate", "none"}, "consolidate"),
    ],
)
def test_a_message_is_named_for_what_changes_most(operations: set[str], label: str) -> None:
    assert label_of(operations) == label


def test_an_accepted_label_counts_as_the_gold_one() -> None:
    one = judged("create", "none", "create")
    assert (one.is_right, one.gold) == (True, "create")
    other = judged("delete", "none", "create")
    assert (other.is_right, other.gold) == (False, "none")


def test_macro_f1_by_hand() -> None:
    # create: 2 of 3 given right, 2 of 2 found, F1 0.8; none: 1 of 1 given, 1 of 2 found, F1 2/3.
    given = [
        judged("create", "create"),
        judged("create", "create"),
        judged("create", "none"),
        judged("none", "none"),
    ]
    made = report(given)
    assert made.figure(HEADLINE, language="en").value == pytest.approx((0.8 + 2 / 3) / 2)  # type: ignore[union-attr]
    assert made.figure(ACCURACY, language="en").value == 0.75  # type: ignore[union-attr]
    assert made.figure(F1, language="en", group="create").value == pytest.approx(0.8)  # type: ignore[union-attr]
    assert made.figure(PRECISION, language="en", group="create").hits == 2  # type: ignore[union-attr]
    assert made.figure(F1, language="en", group="delete") is None


def test_a_label_that_is_given_and_never_asked_for_counts_as_nothing() -> None:
    made = report([judged("create", "create"), judged("delete", "create")])
    assert made.figure(HEADLINE, language="en").value == pytest.approx((2 / 3 + 0) / 2)  # type: ignore[union-attr]


def test_wrong_deletes_are_counted_and_named() -> None:
    assert not is_wrong_delete(judged("delete", "none", "delete"))
    made = report([judged("delete", "none"), judged("delete", "delete"), judged("none", "delete")])
    assert made.figure(WRONG_DELETES, language="en").value == 1  # type: ignore[union-attr]
    assert len(made.notes) == 1


def test_languages_are_kept_apart() -> None:
    made = report([judged("none", "none"), judged("none", "create", language="zh")])
    assert made.languages == ("en", "zh", "all")
    values = [made.figure(ACCURACY, language=each).value for each in made.languages]  # type: ignore[union-attr]
    assert values == [1.0, 0.0, 0.5]


def test_a_failure_shows_what_was_said_wanted_and_given() -> None:
    [failure] = report([judged("delete", "none", "create")]).failures
    assert (failure.group, failure.expected, failure.came) == ("none", "none or create", "delete")


def test_reading_puts_the_label_first() -> None:
    [item] = read_intents([json.dumps({**LINE, "accept": ["none", "update"]})])
    assert item.accepted == ("update", "none")


@pytest.mark.parametrize(
    "change", [{"label": "forget"}, {"accept": ["x"]}, {"context": [{"role": "user"}]}]
)
def test_a_line_of_another_format_is_named(change: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="line 1"):
        read_intents([json.dumps({**LINE, **change})])
