"""A language model's summary stands only if its sources bear every line of it."""

import pytest

from perdure.domain.proposed_summaries import checked_lines
from perdure.domain.summaries import Line

SHOWN = {
    "m1": ("id-1", "I started building a canoe in the shed."),
    "m2": ("id-2", "The canoe's ribs are in, 14 of them, says Dana."),
    "m3": ("id-3", "独木舟第一遍清漆刷完了。"),
}


def check(*lines):
    return checked_lines({"lines": [{"text": t, "sources": list(s)} for t, s in lines]}, SHOWN)


@pytest.mark.parametrize(
    ("text", "sources", "ids"),
    [
        ("A canoe is being built in the shed; its 14 ribs are in.", ["m1", "m2"], ("id-1", "id-2")),
        ("独木舟刷完第一遍清漆。", ["m3"], ("id-3",)),
        ("The ribs are in, 14 of them.", ["m2", "m2"], ("id-2",)),
    ],
)
def test_a_line_its_sources_bear_is_taken(text, sources, ids):
    assert check((text, sources)) == (Line(text=text, sources=ids),)


@pytest.mark.parametrize(
    ("text", "sources", "why"),
    [
        ("The ribs are in, 15 of them.", ["m2"], "a number"),
        ("The canoe's ribs are in, says Edda.", ["m2"], "a name"),
        ("The canoe is not in the shed.", ["m1"], "denies"),
        ("独木舟还没刷清漆。", ["m3"], "denies"),
        ("A canoe in the shed.", ["m9"], "not shown"),
        ("A canoe in the shed.", [], "cites nothing"),
        ("Une pirogue dans la remise, pour descendre les rivières.", ["m1"], "more than"),
        ("在棚子里造独木舟。", ["m1"], "another script"),
        ("", ["m1"], "empty"),
        ("canoe " * 100, ["m1"], "longer"),
        ("The ribs are in, 14 of them.", ["m1"], "a number"),
    ],
)
def test_a_line_its_sources_do_not_bear_refuses_the_summary(text, sources, why):
    fine = ("I started building a canoe in the shed.", ["m1"])
    refused = check(fine, (text, sources))
    assert isinstance(refused, str)
    assert refused.startswith("line 2")
    assert why in refused


@pytest.mark.parametrize(
    "answer",
    [
        {}, {"lines": []}, {"lines": "a canoe"}, {"lines": [3]}, {"lines": [{"text": 3}]},
        {"lines": [{"text": "A canoe.", "sources": "m1"}]},
        {"lines": [{"text": "A canoe.", "sources": [["m1"]]}]},
        {"lines": [{"text": "A canoe.", "sources": ["m1"]}] * 7},
    ],
)  # fmt: skip
def test_an_answer_of_another_shape_is_refused(answer):
    assert isinstance(checked_lines(answer, SHOWN), str)
