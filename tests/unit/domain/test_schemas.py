"""What fits a schema, what is mended, and what is left out."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.domain.schemas import Unfit, conform

ITEM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 10},
        "sure": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "sign": {"type": ["string", "null"], "enum": ["+", "-", None]},
        "count": {"type": ["integer", "null"]},
        "is_old": {"type": ["boolean", "null"]},
    },
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": ITEM, "maxItems": 3}},
}


def item(**given: Any) -> dict[str, Any]:
    """The only item, as it comes out."""
    [made] = conform({"items": [{"name": "a", **given}]}, SCHEMA).value["items"]
    return dict(made)


@pytest.mark.parametrize(
    ("field", "given", "made"),
    [
        ("name", 42, "42"),
        ("name", "  a  ", "a"),
        ("sure", "0.5", 0.5),
        ("sure", "90%", 0.9),
        ("sure", None, None),
        ("sign", "-", "-"),
        ("count", "7", 7),
        ("count", 7.0, 7),
        ("is_old", "Yes", True),
        ("is_old", False, False),
    ],
)
def test_slips_of_form_are_mended(field: str, given: Any, made: Any) -> None:
    assert item(**{field: given})[field] == made


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("sure", 1.5), ("sure", "nan"), ("sure", "very"), ("sure", True), ("sure", [1]),
        ("sign", "?"), ("count", 1.5), ("is_old", 3),
    ],
)  # fmt: skip
def test_what_may_be_missing_is_missing_when_it_is_wrong(field: str, given: Any) -> None:
    conformed = conform({"items": [{"name": "a", field: given}]}, SCHEMA)
    assert conformed.value["items"][0][field] is None
    [why] = conformed.refused
    assert why.startswith(f"items[0].{field}: ")


@pytest.mark.parametrize("name", [None, "", " ", "longer than ten", {"a": 1}, ["a"]])
def test_an_item_without_what_it_needs_is_left_out_and_named(name: Any) -> None:
    conformed = conform({"items": [{"name": name}, {"name": "b"}]}, SCHEMA)
    assert [item["name"] for item in conformed.value["items"]] == ["b"]
    [why] = conformed.refused
    assert why.startswith("items[0].name: ")


def test_one_item_may_stand_for_a_list() -> None:
    assert [it["name"] for it in conform({"items": {"name": "a"}}, SCHEMA).value["items"]] == ["a"]


def test_a_missing_list_is_empty() -> None:
    assert conform({}, SCHEMA).value == {"items": []}


def test_a_list_that_is_too_long_is_cut_and_named() -> None:
    conformed = conform({"items": [{"name": "a"}] * 5}, SCHEMA)
    assert len(conformed.value["items"]) == 3
    assert conformed.refused == ("items: 5 items where 3 are allowed",)


@pytest.mark.parametrize("value", [None, 3, "text", True])
def test_another_kind_of_value_does_not_fit(value: Any) -> None:
    with pytest.raises(Unfit, match="the answer"):
        conform(value, SCHEMA)


def test_unknown_properties_are_dropped() -> None:
    assert "colour" not in item(colour="red")
