"""English times of day."""

from __future__ import annotations

import re

from perdure.understanding.languages.en.dates import stands_alone
from perdure.understanding.languages.en.numbers import CARDINALS, amount_of
from perdure.understanding.languages.en.rules import Headed, of, rule
from perdure.understanding.languages.en.vocabulary import DAY_PARTS, MONTHS, WEEKDAYS
from perdure.understanding.times.hours import Clock, PartOfDay
from perdure.understanding.times.language import Reading
from perdure.understanding.times.terms import DayPart

_HOURS = [word for word, n in CARDINALS.items() if 1 <= n <= 12]
_MINUTES = [word for word, n in CARDINALS.items() if 1 <= n <= 59]
_HOUR = rf"(?:\d{{1,2}}|{of(_HOURS)}\b)"
_MERIDIEM = r"(?P<half>[ap])\.?\s?m\b\.?"
_TO = r"\s*(?:[-–—~]|to|and|until|till)\s*"

_AT = re.compile(
    r"\b(?:at|by|until|till|around|about|before|after|from|to|since|between|and|@)\s+(?:about\s+|around\s+)?$|@$",
    re.I,
)
_STRONG_AT = re.compile(r"\b(?:at|by|until|till|around)\s+(?:about\s+|around\s+)?$", re.I)
_NAME_AHEAD = re.compile(rf"\s+(?!(?i:{of([*WEEKDAYS, *MONTHS])})\b)[A-Z][a-z]+\s+[A-Z]")
_NOT_AN_HOUR = re.compile(r"\s+(?:with|of|and\s+the\s+same|another)\b", re.I)
_MARGIN = re.compile(r"\b(?:won|win|lost|lose|beat|led|lead)\b[^.;!?]*\bby\s+$", re.I)
_SCORE = re.compile(r"\b(?:won|lost|beat|score[ds]?|ratio|drew|led|result|of)\b[^.;!?]*$", re.I)


def _is_bound(match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(match.string, max(0, match.start() - 20), match.start()))


def _clock(
    hour: int, minute: int | None, half: str | None, *, is_exact: bool = False
) -> Clock | None:
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
        is_exact = True
    if hour > 24 or (minute or 0) > 59:
        return None
    return Clock(hour, minute, is_exact or not 1 <= hour <= 12)


def _reading(clock: Clock | None, *, is_dependent: bool = False) -> Reading | None:
    return Reading((clock,), is_dependent=is_dependent) if clock else None


def _with_half(match: re.Match[str]) -> Reading | None:
    hour = int(amount_of(match.group("hour")))
    minute = match.group("minute")
    return _reading(_clock(hour, int(minute) if minute else None, match.group("half")))


def _with_minutes(match: re.Match[str]) -> Reading | None:
    text = match.string
    is_bound = _is_bound(match, _AT) or match.start() == 0
    if not is_bound and _SCORE.search(text, max(0, match.start() - 40), match.start()):
        return None
    hour = match.group("hour")
    clock = _clock(int(hour), int(match.group("minute")), None, is_exact=hour.startswith("0"))
    return _reading(clock, is_dependent=not is_bound)


def _bare(match: re.Match[str]) -> Reading | None:
    hour = int(amount_of(match.group("hour")))
    if not _is_bound(match, _AT) or not 1 <= hour <= 12:
        return None
    if _MARGIN.search(match.string, max(0, match.start() - 40), match.start()):
        return None
    if hour == 1 and _NOT_AN_HOUR.match(match.string, match.end()):
        return None
    if not stands_alone(match.string, match.end()) or _NAME_AHEAD.match(match.string, match.end()):
        return None
    return _reading(_clock(hour, None, None), is_dependent=not _is_bound(match, _STRONG_AT))


def _military(match: re.Match[str]) -> Reading | None:
    return _reading(
        _clock(int(match.group("hour")), int(match.group("minute")), None, is_exact=True)
    )


def _half_hour(match: re.Match[str]) -> Reading | None:
    """As in "half eleven", which is 11:30."""
    if not _is_bound(match, _AT) or not stands_alone(match.string, match.end()):
        return None
    return _reading(_clock(int(amount_of(match.group("hour"))), 30, match.group("half")))


def _oclock(match: re.Match[str]) -> Reading | None:
    return _reading(_clock(int(amount_of(match.group("hour"))), None, None))


def _past(match: re.Match[str]) -> Reading | None:
    hour = int(amount_of(match.group("hour")))
    minutes = match.group("minutes").lower()
    if minutes == "half":
        minute = 30
    elif "quarter" in minutes:
        minute = 15
    else:
        minute = int(amount_of(minutes.split()[0]))
    if match.group("side").lower() in ("to", "before", "till"):
        if minute == 30 or not _to_is_meant(match):
            return None
        hour, minute = hour - 1 or 12, 60 - minute
    half = match.group("half")
    if half and minute > 30 and hour in (11, 12) and match.group("side").lower() == "to":
        return _reading(_clock(hour, minute, None))
    return _reading(_clock(hour, minute, half))


def _to_is_meant(match: re.Match[str]) -> bool:
    """As in "2 to 3" is a ratio; "ten to three" and "at 10 to 3" are times."""
    if _SCORE.search(match.string, max(0, match.start() - 40), match.start()):
        return False
    minutes = match.group("minutes").lower()
    is_told = "quarter" in minutes or "minute" in minutes or _is_bound(match, _STRONG_AT)
    return is_told and stands_alone(match.string, match.end())


_FROM = re.compile(r"\b(?:from|between)\s+$", re.I)


def _range(match: re.Match[str]) -> Reading | None:
    half, first_half = match.group("half"), match.group("first_half")
    hours = int(amount_of(match.group("hour"))), int(amount_of(match.group("until")))
    minutes = [int(m) if m else None for m in match.group("minute", "until_minute")]
    if not half and not stands_alone(match.string, match.end()):
        return None
    if not half and not _is_bound(match, _FROM):
        return None
    if half and not first_half:
        # "11 to 1 pm" begins before noon.
        first_half = half if hours[0] % 12 < hours[1] % 12 else ("a" if half in "pP" else "p")
    begin = _clock(hours[0], minutes[0], first_half)
    end = _clock(hours[1], minutes[1], half)
    if not begin or not end:
        return None
    is_told = bool(half or minutes[0] is not None)
    return Reading((begin,), until=(end,), is_dependent=not is_told)


def _noon(match: re.Match[str]) -> Reading | None:
    return Reading((Clock(12, None, True),))


def _midnight(match: re.Match[str]) -> Reading | None:
    return Reading((Clock(0, None, True),))


_PART_WORD = of(DAY_PARTS)
_HABIT = re.compile(r"\b(?:every|each|good|most|per)\s+$", re.I)


def _day_part(match: re.Match[str]) -> Reading | None:
    if _HABIT.search(match.string, max(0, match.start() - 8), match.start()):
        return None
    part = DAY_PARTS[" ".join(match.group("part").lower().split())]
    return Reading((PartOfDay(part),), is_dependent=True)


def _early(match: re.Match[str]) -> Reading | None:
    return Reading((PartOfDay(DayPart.MORNING),), is_dependent=True)


_HEADS = {"0", *_HOURS}

RULES: list[Headed] = [
    rule(_HEADS, rf"(?P<hour>{_HOUR})(?:[:.](?P<minute>\d\d))?\s*{_MERIDIEM}", _with_half),
    rule(
        {"0"},
        r"(?P<hour>[01]?\d|2[0-4])[:h](?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:]|\.\d)",
        _with_minutes,
    ),
    rule(_HEADS, rf"(?P<hour>{_HOUR})(?![\w:/]|[-–.,]\w|\s*%)", _bare),
    rule({"0"}, r"(?P<hour>[01]\d|2[0-3]):?(?P<minute>[0-5]\d)\s*(?:hours|hrs|h)\b", _military),
    rule({"half"}, rf"half\s+(?P<hour>{_HOUR})(?![\w:/]|[-–.,]\w)(?:\s*{_MERIDIEM})?", _half_hour),
    rule(_HEADS, rf"(?P<hour>{_HOUR})\s*o'?\s?clock\b", _oclock),
    rule(
        {"half", "quarter", "a", "0", *_MINUTES},
        rf"(?P<minutes>half|(?:a\s+)?quarter|(?:\d{{1,2}}|{of(_MINUTES)})(?:\s+min(?:ute)?s?)?)\s+"
        rf"(?P<side>past|after|to|before|till)\s+(?P<hour>{_HOUR})(?![\w:/]|[-–.,]\d)(?:\s*{_MERIDIEM})?",
        _past,
    ),
    rule(
        _HEADS,
        rf"(?P<hour>{_HOUR})(?::(?P<minute>[0-5]\d))?\s*(?:(?P<first_half>[ap])\.?m\b\.?)?{_TO}"
        rf"(?P<until>{_HOUR})(?::(?P<until_minute>[0-5]\d))?(?![\d:/]|[-–.,]\d)(?:\s*{_MERIDIEM})?",
        _range,
    ),
    rule({"noon", "midday"}, r"(?:noon|midday)\b", _noon),
    rule({"midnight"}, r"midnight\b", _midnight),
    rule(
        {word.split()[0] for word in DAY_PARTS},
        rf"(?P<part>{_PART_WORD})\b(?!\s+(?:person|people|shift|bus|owl|snack))",
        _day_part,
    ),
    rule(
        {"early", "first"},
        r"(?:early\b(?=\s+(?:tomorrow|today|on\s+\w+day))|first\s+thing)",
        _early,
    ),
]
