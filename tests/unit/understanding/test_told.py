"""Plain facts about the world: which forms name a slot, and which do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.understanding import told_fact


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "value"),
    [
        ("The capital of Ardova is Quell.", "Ardova", "capital", "Quell"),
        ("The colour of the gate is green.", "the gate", "colour", "green"),
        ("The cheese that Oma makes is Tilsiter.", "Oma makes", "cheese that", "Tilsiter"),
        ("Brenholt plays the position of keeper.", "Brenholt", "plays the position of", "keeper"),
        ("Fellball was created in the country of Ardova.", "Fellball",
         "was created in the country of", "Ardova"),
        ("Loomwork was developed by T. J. Orrin Inc..", "Loomwork", "was developed by",
         "T. J. Orrin Inc."),
        ("Kestrin Vale's deadline is 4 May", "Kestrin Vale", "deadline", "4 May"),
        ("Kestrin Vale was born in Quell.", "Kestrin Vale", "born_in", "Quell"),
        ("阿多瓦的首都是奎尔。", "阿多瓦", "首都", "奎尔"),
        ("织机软件由欧林公司开发", "织机软件", "开发", "欧林公司"),
        ("奎尔大学位于阿多瓦", "奎尔大学", "位于", "阿多瓦"),
    ],
)  # fmt: skip
def test_what_names_its_slot(text, subject, predicate, value):
    claim = told_fact(text)
    assert claim is not None
    assert (claim.subject, claim.predicate, claim.object) == (subject, predicate, value)
    assert claim.span.of(text) == value
    assert claim.is_single_valued


@pytest.mark.parametrize(
    "text",
    [
        "Ann is a doctor.", "Ann is a mother.", "The lid of the pot is blue.",
        "My dog was found by Bo.", "The name of my cat is Pixel.", "Note 7 about the loom",
        "Is the capital of Ardova Quell?", "The capital of Ardova is not Quell.",
        "Quell is also located in Ardova.", "The capital of Ardova is Quell. Bo lives there.",
        "I was born in Quell.", "Room 3 is painted green.", "The kiln fires at dawn",
        "我的猫的名字是墨斗", "首都是奎尔", "阿多瓦的首都不是奎尔", "小李也位于奎尔", "", "。", "的是",
    ],
)  # fmt: skip
def test_what_does_not(text):
    assert told_fact(text) is None


@given(st.text(max_size=300))
def test_any_text_is_accepted(text):
    claim = told_fact(text)
    assert claim is None or claim.span.of(text).strip() == claim.object
