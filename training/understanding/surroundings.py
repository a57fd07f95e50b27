"""The same messages after other turns: what was said before a message is often about something else.

Without these, networks learn that whatever follows a statement changes it, because in written
examples a context is there for a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

Item = dict[str, Any]

REPLIES = {
    "en": (
        "Noted.", "Got it.", "Okay!", "I'll keep that in mind.", "Thanks for telling me.", "Sure.",
        "Understood.", "Nice.", "Anything else?", "That sounds lovely.", "Oh no, poor you.",
        "Saved.", "All right, I've written that down.", "Here you are.", "Glad to help!",
        "How did it go?", "Let me know if you need more.", "Would you like a list?",
        "That depends on the weather.", "It usually takes about a week.", "Good luck!",
        "Here is a shorter version.", "Roughly forty minutes.", "Congratulations!",
    ),
    "zh": (
        "好的。", "记下了。", "收到！", "明白。", "没问题。", "还有别的吗？", "听起来不错。", "辛苦了。",
        "谢谢告诉我。", "已经存好了。", "嗯嗯。", "需要我列个清单吗？", "加油！", "一般要一周左右。",
        "这个看天气。", "给您改短了一些。", "恭喜恭喜！", "大概四十分钟。", "好的，我记住了。",
        "后来怎么样了？", "不客气，随时找我。", "那太可惜了。", "這樣啊。", "好的，知道了。",
    ),
}  # fmt: skip
REPLIED = 0.5
"""How often the assistant answered the turn before."""
LONGER = 0.25
"""How often there is one more turn of the user before it."""


class Surroundings:
    """Draws what may have been said before a message, on something else."""

    def __init__(self, language: str, told: Sequence[Item], generator: Random) -> None:
        self._replies = REPLIES[language]
        self._told = [
            item
            for item in told
            if item["intent"] in ("create", "none") and not item.get("context")
        ]
        self._generator = generator

    def after_others(self, item: Item) -> Item | None:
        """The message after turns that have nothing to do with it; None where none are found."""
        turns = self._turn_on_something_else(item)
        if not turns:
            return None
        if self._generator.random() < LONGER:
            turns = self._turn_on_something_else(item) + turns
        return {**item, "context": [*turns, *item.get("context", [])][-3:]}

    def _turn_on_something_else(self, item: Item) -> list[Item]:
        for _ in range(8):
            other = self._generator.choice(self._told)
            if other["text"] != item["text"] and not _share(item, other):
                break
        else:
            return []
        turns = [{"role": "user", "content": other["text"]}]
        if self._generator.random() < REPLIED:
            turns.append({"role": "assistant", "content": self._generator.choice(self._replies)})
        return turns


def _share(one: Item, other: Item) -> bool:
    """Whether two messages state facts of a kind, or have a name in common."""
    kinds = {fact["predicate"] for fact in one["facts"]}
    if kinds & {fact["predicate"] for fact in other["facts"]}:
        return True
    names = [fact["object"] for fact in other["facts"] if len(fact["object"]) > 2]
    return any(name in one["text"] for name in names)
