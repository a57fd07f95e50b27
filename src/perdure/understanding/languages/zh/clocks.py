"""Chinese times of day."""

from __future__ import annotations

import re

from perdure.understanding.languages.zh.numbers import SMALL, number_of
from perdure.understanding.languages.zh.rules import (
    DIGITS,
    NUMERALS,
    Headed,
    of,
    rule,
    stands_before,
)
from perdure.understanding.languages.zh.vocabulary import DAY_PARTS
from perdure.understanding.times.hours import Clock, PartOfDay
from perdure.understanding.times.language import Reading

_MINUTE = (
    rf"(?:{SMALL}(?=\s*分)|\d\d|[二三四五]?十[一二三四五六七八九]?|[零〇][一二三四五六七八九])"
)
_TO = r"\s*(?:到|至|[-–—~]{1,2})\s*"
_HOUR_SIGN = r"(?:点钟|点整|点|时整|时(?=\d|[一二三四五]|[，。,.!！?？\s]|$))"
_MINUTES = rf"(?:(?P<quarters>半|[一三1３3]刻)|(?P<minute>{_MINUTE})(?:\s*分)?(?!钟|之|[\d个天]))?"
_NOT_POINTS = (
    r"(?!建议|意见|要求|需要|原因|理由|问题|看法|想法|体会|说明|内容|要点|好处|不足|共识|启示|心得|注意|值得|式|论|水位|击|赞|名|菜|评|歌|"
    r"优势|缺点|优点|关系|区别|经验|感受|声明|希望|补充|疑问|提示|作用|变化|收获|钱|儿|水|点|东西|小|也|都没|不|"
    r"多的?建|五|\d|半数|[一二三四五六七八九十]?折|[A-Za-z]|[是为](?!$))"
)
_POINTS = re.compile(
    r"(?:有|这|那|几|哪|提了?|以下|如下|第|早|晚|快|慢|好|大|小|多|少|高|低|差|贵|共|的|：|:|了)$"
)
_SCORE = re.compile(r"(?:比分|以|赢|输|胜|负|战平|比例|按|得|兑|\d[:：])\s*(?:是|为|了)?$")


def _minute(match: re.Match[str], quarters: str, minute: str) -> int | None:
    told = match.group(quarters)
    if told:
        return {"半": 30, "三": 45, "3": 45}.get(told[0], 15)
    return number_of(match.group(minute)) if match.group(minute) else None


def _clock(hour: int | None, minute: int | None, *, is_exact: bool = False) -> Clock | None:
    if hour is None or hour > 24 or (minute or 0) > 59:
        return None
    return Clock(hour, minute, is_exact or not 1 <= hour <= 12)


def _spoken(match: re.Match[str]) -> Reading | None:
    minute = _minute(match, "quarters", "minute")
    clock = _clock(number_of(match.group("hour")), minute)
    if not clock:
        return None
    sign = match.group("sign")
    is_told = minute is not None or "钟" in sign or "整" in sign
    if is_told and match.group("hour") not in ("一", "1", "几"):
        return None if stands_before(match, _POINTS) and minute is None else Reading((clock,))
    is_weak = match.group("hour") in ("一", "两", "零") or stands_before(match, _POINTS)
    return Reading((clock,), is_dependent=is_weak and not is_told)


def _short_of(match: re.Match[str]) -> Reading | None:
    """As in 差一刻四点: a quarter to four."""
    short = 15 if match.group("minute") is None else number_of(match.group("minute"))
    hour = number_of(match.group("hour"))
    if not short or not hour or short > 30:
        return None
    clock = _clock(hour - 1 or 12, 60 - short)
    return Reading((clock,)) if clock else None


def _digital(match: re.Match[str]) -> Reading | None:
    if stands_before(match, _SCORE):
        return None
    hour = match.group("hour")
    clock = _clock(int(hour), int(match.group("minute")), is_exact=hour.startswith("0"))
    return Reading((clock,)) if clock else None


def _range(match: re.Match[str]) -> Reading | None:
    begin = _clock(number_of(match.group("hour")), _minute(match, "quarters", "minute"))
    end = _clock(number_of(match.group("until")), _minute(match, "until_quarters", "until_minute"))
    if not begin or not end:
        return None
    later = match.group("later")
    until = (PartOfDay(DAY_PARTS[later]), end) if later else (end,)
    earlier = match.group("earlier")
    first = (PartOfDay(DAY_PARTS[earlier]), begin) if earlier else (begin,)
    if earlier and not later:
        until = (PartOfDay(DAY_PARTS[earlier]), end)
    return Reading(first, until=until, is_dependent=not earlier)


def _midnight(match: re.Match[str]) -> Reading | None:
    return Reading((Clock(24 if match.group() == "午夜" else 0, None, True),))


_PART = of(DAY_PARTS)
_UNTIL_MINUTES = rf"(?:(?P<until_quarters>半|[一三1３3]刻)|(?P<until_minute>{_MINUTE})(?:\s*分)?(?!钟|之|[\d个天]))?"

RULES: list[Headed] = [
    rule(NUMERALS, rf"(?P<hour>{SMALL})\s*(?P<sign>{_HOUR_SIGN}){_MINUTES}{_NOT_POINTS}", _spoken),
    rule("差", rf"差(?:一刻|(?P<minute>{SMALL})分钟?)(?:不?到)?(?P<hour>{SMALL})点钟?", _short_of),
    rule(
        NUMERALS,
        rf"(?P<hour>{SMALL})点钟?差(?:一刻|(?P<minute>{SMALL})分钟?)(?![\d一二三四五六七八九十])",
        _short_of,
    ),
    rule(DIGITS, r"(?P<hour>[01]?\d|2[0-4])[:](?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])", _digital),
    rule(
        NUMERALS + "".join({w[0] for w in DAY_PARTS}),
        rf"(?P<earlier>{_PART})?\s*(?P<hour>{SMALL})\s*(?:点钟?|时|:(?=\d\d))?{_MINUTES}{_TO}(?P<later>{_PART})?\s*"
        rf"(?P<until>{SMALL})\s*(?:点钟?|时|:(?=\d\d)){_UNTIL_MINUTES}{_NOT_POINTS}",
        _range,
    ),
    rule("零午", r"(?:零点|零时|午夜)", _midnight),
]
