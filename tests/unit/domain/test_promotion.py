"""What of a finished task becomes an episode: the rules with worked values."""

from dataclasses import replace
from datetime import timedelta

import pytest

from perdure.domain.promotion import promotions
from perdure.domain.scope import Scope
from perdure.domain.times import iso
from perdure.domain.working import Closing, Limits, Task, TaskKey, empty_tree
from perdure.domain.working_tree import checked_tree
from perdure.testing import NOON

EARLIER = NOON - timedelta(hours=2)
STEPS = [
    {"id": "a", "title": "Pack", "state": "done", "result": {"bags": 2}, "importance": 0.3},
    {"id": "b", "title": "Ring Ilka", "state": "failed", "reason": "no answer", "changed_at": iso(EARLIER)},
    {"id": "c", "title": "Leave", "state": "done", "result": "late"},
    {"id": "d", "title": "Swim", "state": "skipped", "importance": 0.2},
    {"id": "e", "title": "Climb", "state": "failed", "reason": "rain", "importance": 0.9},
]  # fmt: skip


def a_task(**members):
    tree, steps = checked_tree(
        {**empty_tree(), **members}, Limits(bytes=100_000, depth=20, steps=50)
    )
    return Task(
        key=TaskKey(scope=Scope(), name="trip"), run="r", version=3, created_at=EARLIER,
        updated_at=EARLIER, expires_at=NOON, tree=tree, steps=steps,
    )  # fmt: skip


def told(task, *, outcome="done", summary=None, max_chars=1_000):
    closing = Closing(outcome=outcome, summary=summary, at=NOON, actor=None)
    return promotions(task, closing, max_chars=max_chars)


def test_the_outcome_is_always_told():
    (episode,) = told(a_task())
    assert (episode.content, episode.importance, episode.path, episode.rule) == (
        "Task done: trip", 0.7, "/goal", "outcome",
    )  # fmt: skip
    assert episode.occurred_at == NOON


@pytest.mark.parametrize(
    ("goal", "outcome", "summary", "content"),
    [
        ("Reach Graz.", "done", "By train", "Task done: Reach Graz. Outcome: By train"),
        ("Reach Graz", "failed", None, "Task failed: Reach Graz"),
        ("去格拉茨。", "abandoned", "下雨", "任务放弃：去格拉茨。结果：下雨"),
        (None, "done", "到了", "任务完成：trip。结果：到了"),
        ("用 Rust 重写", "done", None, "任务完成：用 Rust 重写"),
    ],
)
def test_the_outcome_is_told_in_the_language_of_the_goal(goal, outcome, summary, content):
    assert told(a_task(goal=goal), outcome=outcome, summary=summary)[0].content == content


def test_failed_and_important_steps_are_told_in_their_order():
    episodes = told(a_task(goal="Hike", steps=STEPS))[1:]
    assert [(item.path, item.rule, item.importance) for item in episodes] == [
        ("/steps/a", "important step", 0.3),
        ("/steps/b", "failed step", 0.6),
        ("/steps/d", "important step", 0.2),
        ("/steps/e", "failed step", 0.9),
    ]
    assert [item.content for item in episodes] == [
        'In the task “Hike”, the step “Pack” is done: {"bags":2}',
        "In the task “Hike” the step “Ring Ilka” failed: no answer",
        "In the task “Hike”, the step “Swim” is skipped",
        "In the task “Hike” the step “Climb” failed: rain",
    ]
    assert [item.occurred_at for item in episodes] == [NOON, EARLIER, NOON, NOON]


def test_marked_results_are_told_and_others_are_not():
    results = {"a/b": {"n": [1, "二"]}, "scratch": "x", "none": None}
    marks = {"/results/a~1b/n/1": 0.4, "/plan": 0.5, "/results/none": 1}
    episodes = told(a_task(goal="Hike", plan="Up", results=results, marks=marks))[1:]
    assert [(item.path, item.importance, item.content) for item in episodes] == [
        ("/results/a~1b/n/1", 0.4, "Result of the task “Hike”, a/b / n / 1: 二"),
        ("/plan", 0.5, "The plan of the task “Hike”: Up"),
    ]


def test_no_episode_is_longer_than_contents_may_be():
    task = a_task(goal="去" * 300, results={"x": "👩‍👩‍👧" * 300}, marks={"/results/x": 1})
    for most in (1, 2, 50, 200):
        for episode in told(task, max_chars=most):
            assert len(episode.content) <= most
            assert episode.content.endswith("…")


def test_a_name_with_braces_is_only_a_name():
    task = replace(a_task(goal="{goal} {0} {}"), run="q")
    assert told(task, summary="{text}")[0].content == "Task done: {goal} {0} {}. Outcome: {text}"
