"""Only words that say so link a cause to its effect."""

import pytest

from perdure.domain.causality import causal_link, opens_causally


@pytest.mark.parametrize(
    ("earlier", "later", "evidence"),
    [
        ("The alarm did not go off.", "So I missed the train.", "so"),
        ("The ferry was full.", "Therefore we drove round the lake.", "therefore"),
        ("The keel cracked.", "That's why the boat is still ashore.", "that's why"),
        ("The well ran dry.", "As a result the garden died.", "as a result"),
        ("The bridge closed.", "Because of that I walk to work.", "because of that"),
        ("渡轮坏了。", "所以我改坐了火车。", "所以"),
        ("昨晚没睡好。", "因此今天没去跑步。", "因此"),
        ("门锁了。", "于是我们从窗户进去的。", "于是"),
        ("下了一夜的雨。", "结果，院子里全是水。", "结果"),
    ],
)
def test_the_later_is_the_effect(earlier, later, evidence):
    link = causal_link(earlier, later)
    assert link is not None
    assert link.later_is_effect
    assert link.evidence == evidence


@pytest.mark.parametrize(
    ("earlier", "later", "evidence"),
    [
        ("I missed the train.", "Because the alarm did not go off.", "because"),
        ("We stayed ashore.", "That's because the keel cracked.", "because"),
        ("I moved out.", "The reason was that the roof leaked.", "the reason was that"),
        ("我改坐了火车。", "因为渡轮坏了。", "因为"),
        ("今天没去跑步。", "是因为昨晚没睡好。", "因为"),
        ("院子淹了。", "原因是下水道堵了。", "原因是"),
    ],
)
def test_the_later_is_the_cause(earlier, later, evidence):
    link = causal_link(earlier, later)
    assert link is not None
    assert not link.later_is_effect
    assert link.evidence == evidence


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The alarm did not go off.", "I missed the train."),
        ("The alarm rang.", "So far I like the new job."),
        ("I like tea.", "So what?"),
        ("I like tea.", "So do you like tea too?"),
        ("Did the alarm ring?", "So I missed the train."),
        ("I like tea.", "Because it rained, we stayed in."),
        ("I like tea.", "Sofas are expensive."),
        ("The shop closed.", "Thusly is no word I would use."),
        ("我喜欢喝茶。", "所以说呢"),
        ("我喜欢喝茶。", "因为下雨，所以我们没出门。"),
        ("我喜欢喝茶。", "结果还没出来。"),
        ("闹钟响了吗？", "所以我误了火车。"),
        ("我喜欢喝茶。", "因为什么呢？"),
    ],
)
def test_nothing_else_is_linked(earlier, later):
    assert causal_link(earlier, later) is None


def test_most_statements_open_without_a_link():
    assert not opens_causally("The train was late, so I walked.")
    assert not opens_causally("火车晚点了，所以我走路去的。")
