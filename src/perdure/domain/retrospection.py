"""Whether a question is about how things were rather than how they are."""

from __future__ import annotations

import re
from datetime import datetime

_ENGLISH = re.compile(
    r"\b(?:used\s+to|did\b.{1,40}\buse\s+to|previous(?:ly)?|former(?:ly)?|earlier|originally|once\s+(?:was|were|had)|"
    r"in\s+the\s+past|back\s+then|at\s+(?:the|that)\s+time|no\s+longer|"
    r"(?:before|prior\s+to|until)\s+(?:now|then|that|this|i|we|he|she|they|the\s+(?:change|move))|"
    r"ex-\w+|history\s+of|(?:old|last)\s+(?:address|job|employer|number|name|home))\b"
    r"|\bbefore\s*[?.!]*\s*$",
    re.IGNORECASE | re.ASCII,
)
_CHINESE = re.compile(
    "以前|从前|過去|过去|曾经|曾經|原来|原來|原先|当初|當初|那时|那時|那会儿|那會兒|当时|當時|"
    "早先|旧址|舊址|前任|上一[个任份家]|(?:^|[我你您他她它们們户戶，、, ])之前"
)
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_WAS = re.compile(
    r"\b(?:was|were|did|had|lived|worked|owned|liked|used)\b|在|是|住|用|的时候|那年|年时", re.I
)


def asks_about_past(question: str, now: datetime) -> bool:
    """Whether the words of a question ask what held before, not what holds now."""
    if _ENGLISH.search(question) or (not question.isascii() and _CHINESE.search(question)):
        return True
    years = [int(year) for year in _YEAR.findall(question)]
    return bool(years) and max(years) < now.year and _WAS.search(question) is not None
