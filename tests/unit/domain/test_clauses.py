"""Clauses that stand by themselves, and statements that begin to say the same of the same."""

from __future__ import annotations

import pytest

from perdure.domain.clauses import clauses_of, reach_of, shares_head


@pytest.mark.parametrize(
    ("old", "new", "standing"),
    [
        ("I work at the mill and my van is red.", "I work at the bakery now.", "my van is red."),
        ("My aunt lives in Leeds, and my uncle lives in York.", "My uncle lives in Hull now.",
         "My aunt lives in Leeds"),
        ("我在三中教化学，妹妹在邮局上班。", "我调到五中了，还是教化学。", "妹妹在邮局上班"),
        ("库名叫 blue-fox，服务部署在 node-1 上。", "服务迁到 node-2 上了。", "库名叫 blue-fox"),
    ],
)  # fmt: skip
def test_a_clause_about_something_else_stays(old, new, standing):
    assert reach_of(old, new).standing == (standing,)


@pytest.mark.parametrize(
    "sentence",
    [
        "I don't like podcasts, they put me to sleep.",
        "我很爱吃茄子，菜里要多放蒜。",
        "又养了一只白兔，叫雪球，两只处得不错。",
        "For what it is worth, the club I swim at is Hallow.",
    ],
)
def test_what_depends_on_the_rest_falls_with_it(sentence):
    assert reach_of(sentence, "whatever is new").standing == ()


def test_the_clauses_hold_all_words():
    assert clauses_of("My desk is on the third floor, by the kitchen.") == [
        "My desk is on the third floor, by the kitchen."
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My shelf is on the left wall.", "My shelf is on the right wall, by the door."),
        ("My tailor is Mr Bell.", "Well, my tailor is Ms Moss now."),
        ("我的储物柜号码是 12。", "看错了，储物柜号码是 21。"),
        ("三号仓库存的是面粉", "三号仓库存的是大米"),
    ],
)
def test_the_same_is_said_of_the_same(old, new):
    assert shares_head(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The boat is moored at the pier.", "The boat is red."),
        ("The Tern plan is due in May.", "The Heron plan is due in May."),
        ("三号仓库存的是面粉。", "八号仓库存的是面粉。"),
        ("Note 7 is about the loom.", "Note 8 is about the loom."),
    ],
)
def test_something_else_is_said_or_of_something_else(old, new):
    assert not shares_head(old, new)
