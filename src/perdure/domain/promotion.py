"""What of a finished task becomes an episode.

The rules, in the order of the episodes:

1. **outcome**: always one episode with the goal (without one, the task's name), how it ended and
   the summary given. Importance 0.7.
2. **failed step**: every step that is `failed`, with its reason, from when it failed. 0.6.
3. **important step**: every other step that has an importance, with its result. That importance.
4. **important result**: the plan and results that were marked, in the order of the marks. That
   importance.

Nothing else outlives the task. Each episode's metadata say where it came from: `task`, `run`,
`path` and `rule`; together they are the same whenever the rules are asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from perdure.domain.pointers import parts_of, pointer_to, resolve
from perdure.domain.records import Json
from perdure.domain.text import holds_han, truncate
from perdure.domain.working import Closing, Step, StepState, Task
from perdure.domain.working_tree import as_text

OUTCOME_IMPORTANCE = 0.7
FAILURE_IMPORTANCE = 0.6
_CUT = "…"

_ENGLISH = {
    "done": "Task done: {goal}",
    "failed": "Task failed: {goal}",
    "abandoned": "Task abandoned: {goal}",
    "summary": "{text}. Outcome: {summary}",
    "failed step": "In the task “{goal}” the step “{title}” failed: {reason}",
    "step": "In the task “{goal}”, the step “{title}” is {state}",
    "step with result": "In the task “{goal}”, the step “{title}” is {state}: {value}",
    "plan": "The plan of the task “{goal}”: {value}",
    "result": "Result of the task “{goal}”, {name}: {value}",
}
_CHINESE = {
    "done": "任务完成：{goal}",
    "failed": "任务失败：{goal}",
    "abandoned": "任务放弃：{goal}",
    "summary": "{text}。结果：{summary}",
    "failed step": "任务“{goal}”中，步骤“{title}”失败：{reason}",
    "step": "任务“{goal}”中，步骤“{title}”{state}",
    "step with result": "任务“{goal}”中，步骤“{title}”{state}：{value}",
    "plan": "任务“{goal}”的计划：{value}",
    "result": "任务“{goal}”的结果，{name}：{value}",
}
_CHINESE_STATES = {
    StepState.PENDING: "待办",
    StepState.ACTIVE: "进行中",
    StepState.DONE: "已完成",
    StepState.FAILED: "失败",
    StepState.SKIPPED: "已跳过",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """One episode to be: its words, how important it is, when it happened, and its origin."""

    content: str
    importance: float
    occurred_at: datetime
    path: str
    rule: str


def promotions(task: Task, closing: Closing, *, max_chars: int) -> list[Promotion]:
    """What the rules above make of a task; contents have at most `max_chars` characters."""
    made = [_outcome(task, closing), *_steps(task, closing), *_marked(task, closing)]
    return [_cut(item, max_chars) for item in made]


def value_text(value: Json) -> str:
    """A JSON value as one reads it: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else as_text(value)


def _outcome(task: Task, closing: Closing) -> Promotion:
    words = _words(task, closing.summary)
    text = words[closing.outcome].format(goal=_goal(task))
    if closing.summary:
        text = words["summary"].format(text=text.rstrip("。."), summary=closing.summary)
    return Promotion(
        content=text,
        importance=OUTCOME_IMPORTANCE,
        occurred_at=closing.at,
        path="/goal",
        rule="outcome",
    )


def _steps(task: Task, closing: Closing) -> Iterator[Promotion]:
    for step in task.steps:
        if step.state is StepState.FAILED:
            importance, rule = max(FAILURE_IMPORTANCE, step.importance or 0.0), "failed step"
        elif step.importance is not None:
            importance, rule = step.importance, "important step"
        else:
            continue
        yield Promotion(
            content=_step_text(task, step),
            importance=importance,
            occurred_at=min(step.changed_at or closing.at, closing.at),
            path=pointer_to("steps", step.id),
            rule=rule,
        )


def _step_text(task: Task, step: Step) -> str:
    words = _words(task, step.title)
    state = _CHINESE_STATES[step.state] if words is _CHINESE else step.state.value
    if step.state is StepState.FAILED:
        kind = "failed step"
    else:
        kind = "step" if step.result is None else "step with result"
    return words[kind].format(
        goal=_goal(task),
        title=step.title,
        state=state,
        reason=step.reason,
        value=value_text(step.result),
    )


def _marked(task: Task, closing: Closing) -> Iterator[Promotion]:
    for path, importance in task.marks.items():
        value = resolve(task.tree, path)
        if value is None:
            continue  # marked before there was anything
        text = value_text(value)
        words = _words(task, text)
        name = " / ".join(parts_of(path)[1:])
        kind = "plan" if path == "/plan" else "result"
        yield Promotion(
            content=words[kind].format(goal=_goal(task), name=name, value=text),
            importance=importance,
            occurred_at=closing.at,
            path=path,
            rule="important result",
        )


def _goal(task: Task) -> str:
    return task.goal or task.name


def _words(task: Task, text: str | None) -> dict[str, str]:
    """The phrases of the goal's language, or without a goal those of the text beside it."""
    return _CHINESE if holds_han(task.goal or text or task.name) else _ENGLISH


def _cut(item: Promotion, max_chars: int) -> Promotion:
    if len(item.content) <= max_chars:
        return item
    content = truncate(item.content, max(max_chars - len(_CUT), 0)) + _CUT
    return Promotion(
        content=content[:max_chars],
        importance=item.importance,
        occurred_at=item.occurred_at,
        path=item.path,
        rule=item.rule,
    )
