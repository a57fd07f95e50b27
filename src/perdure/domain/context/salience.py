"""How much a turn is worth telling again once it is out of sight: cheap enough for every turn."""

from __future__ import annotations

import re
from math import log2

from perdure.domain.context.turns import ASSISTANT, TOOL, USER, ContextTurn

_WEIGHTS = {USER: 1.0, ASSISTANT: 0.8, TOOL: 0.5}
_OTHER_WEIGHT = 0.4
_CUES = re.compile(
    r"\b(?:decid|agree|chose|choose|must|need|prefer|never|always|deadline|because|budget|promis|"
    r"remember|important|instead|cancel|plan|will|name is|due)"
    r"|决定|同意|选择|必须|需要|喜欢|偏好|从不|总是|截止|因为|预算|答应|记住|重要|改成|改为|取消|计划|打算|叫",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？吗呢]\s*$")
_COURTESY = re.compile(
    r"(?:(?:hi|hey|hello|dear|good (?:morning|afternoon|evening|night)|thanks?(?: you)?|cheers|"
    r"great|perfect|nice|cool|ok(?:ay)?|sure|alright|welcome|you're welcome|bye|goodbye|see you|"
    r"how are you(?: doing)?|sorry|please|a lot|so much|very much|there|again|later|tomorrow|then|"
    r"你好|您好|早上好|晚上好|晚安|大家好|谢谢(?:你|您)?|多谢|感谢|好的?|行|可以|没问题|不客气|不用谢|再见|"
    r"拜拜|嗯+|哈+|最近怎么样|抱歉|不好意思|非常|太|了|啊|呀|啦)[\W_]*)+",
    re.IGNORECASE,
)
CUE, FIGURE, ASKED = 1.4, 1.3, 0.6
"""Decisions and figures are what is missed later; a question is told by its answer."""
READ_CHARS = 2_000
"""Of a long text, how much is looked at."""


def is_courtesy(text: str) -> bool:
    """Whether the words are a greeting, thanks or the like and nothing else."""
    return len(text) < READ_CHARS and _COURTESY.fullmatch(text.strip()) is not None


def salience_of_text(text: str) -> float:
    """Above 0, about 1 for an ordinary sentence; more for decisions and figures, less for
    questions and for very few words."""
    looked_at = text[:READ_CHARS]
    value = log2(2 + min(len(looked_at.encode("utf-8")), 256) / 32) / 2
    if _CUES.search(looked_at):
        value *= CUE
    if any(map(str.isdigit, looked_at)):
        value *= FIGURE
    if _QUESTION.search(looked_at):
        value *= ASKED
    return value


def salience_of(turn: ContextTurn) -> float:
    """`salience_of_text`, by whose words they are (people's first) and by the turn's importance."""
    weight = _WEIGHTS.get(turn.role, _OTHER_WEIGHT)
    return weight * (0.5 + turn.importance) * salience_of_text(turn.content)
