"""English distances: "three weeks ago", "in half an hour", "the day after X"."""

from __future__ import annotations

import re

from perdure.understanding.languages.en.numbers import AMOUNT, CARDINAL_HEADS, amount_of
from perdure.understanding.languages.en.rules import Headed, of, rule, spaced
from perdure.understanding.languages.en.tense import direction
from perdure.understanding.languages.en.vocabulary import (
    FULL_WEEKDAYS,
    MULTIPLES,
    SEASONS,
    UNITS,
    WEEKDAYS,
)
from perdure.understanding.times.distances import Distance, Stretch
from perdure.understanding.times.interval import Direction
from perdure.understanding.times.language import Reading
from perdure.understanding.times.pieces import (
    Recurring,
    Season,
    WeekAround,
    WeekdayBeside,
    WeekdaysAgo,
)
from perdure.understanding.times.terms import Unit, Which

_UNIT = rf"(?P<unit>{of(UNITS)})s?\b"
_LENGTH = (
    rf"(?:(?P<half>half)\s+(?:an?\s+)?|(?:(?P<three>three)\s+|a\s+)?(?P<quarter>quarter)s?\s+of\s+an\s+|(?P<amount>{AMOUNT})\s+(?P<and_half>and\s+a\s+half\s+)?)"
    rf"{_UNIT}(?P<half_after>\s+and\s+a\s+half)?"
)
_HEADS = {"half", "quarter", "a", "an", "0", *CARDINAL_HEADS}


def _length(match: re.Match[str]) -> tuple[float, Unit]:
    if match.group("half"):
        amount = 0.5
    elif match.group("quarter"):
        amount = 0.75 if match.group("three") else 0.25
    else:
        amount = amount_of(match.group("amount"))
        if match.group("and_half") or match.group("half_after"):
            amount += 0.5
    word = match.group("unit").lower()
    amount *= MULTIPLES.get(word, 1)
    unit = UNITS[word]
    if unit is Unit.DAY and amount % 1:
        return amount * 24, Unit.HOUR
    return amount, unit


def _ago(match: re.Match[str]) -> Reading | None:
    amount, unit = _length(match)
    return Reading((Distance(-amount, unit),))


def _from_now(match: re.Match[str]) -> Reading | None:
    amount, unit = _length(match)
    return Reading((Distance(amount, unit),))


# "Twelve months in a year", "the best in a decade", and the idiom "in a minute".
_COUNTING = re.compile(
    r"\b(?:there\s+are|times|years|months|weeks|days|hours|minutes|once|twice|most|best|worst|first)\b[^.,;]*$",
    re.I,
)


def _in(match: re.Match[str]) -> Reading | None:
    """As in "in three weeks", unless it tells how long something took."""
    if not match.group("time") and (
        direction(match.string, match.start(), match.end()) is Direction.PAST
    ):
        return None
    amount, unit = _length(match)
    if (match.group("amount") or "").lower() in ("a", "an") and not match.group("time"):
        before = match.string[max(0, match.start() - 40) : match.start()]
        if unit is Unit.MINUTE or _COUNTING.search(before):
            return None
    return Reading((Distance(amount, unit),))


def _beside(match: re.Match[str]) -> Reading | None:
    """As in "two days after", of a time that follows."""
    if match.group("side").lower() == "on" and _length_unit(match) is not Unit.WEEK:
        return None
    if match.group("the"):
        amount, unit = 1.0, UNITS[match.group("single").lower()]
    else:
        amount, unit = _length(match)
    if match.group("side").lower() == "before":
        amount = -amount
    if match.group("the") and unit is Unit.WEEK:
        return Reading((WeekAround(unit, int(amount)),), is_dependent=True)
    return Reading((Distance(amount, unit, True),), is_dependent=True)


def _length_unit(match: re.Match[str]) -> Unit:
    return UNITS[(match.group("single") or match.group("unit")).lower()]


def _weekdays_ago(match: re.Match[str]) -> Reading | None:
    count = amount_of(match.group("amount"))
    return Reading((WeekdaysAgo(int(count), WEEKDAYS[match.group("weekday").lower()]),))


def _seasons_ago(match: re.Match[str]) -> Reading | None:
    count = int(amount_of(match.group("amount")))
    season = Season(SEASONS[match.group("season").lower()])
    return Reading((Recurring(Which.LAST, season, times=count),)) if 0 < count < 3 else None


def _weekday_beside(match: re.Match[str]) -> Reading | None:
    """As in "the Monday after Easter"."""
    sign = -1 if match.group("side").lower() == "before" else 1
    number = WEEKDAYS[match.group("weekday").lower()]
    return Reading((WeekdayBeside(sign, number),), is_dependent=True)


def _stretch(match: re.Match[str]) -> Reading | None:
    amount = amount_of(match.group("amount"))
    word = match.group("unit").lower()
    is_past = match.group("which").lower() in ("last", "past", "previous")
    if amount == 1:
        return None
    amount *= MULTIPLES.get(word, 1)
    unit = Unit.WEEK if UNITS[word] is Unit.WEEKEND else UNITS[word]
    return Reading((Stretch(-amount if is_past else amount, unit),))


def _around(match: re.Match[str]) -> Reading | None:
    unit = Unit.WEEKEND if spaced(match.group("unit")) == "weekend" else Unit.WEEK
    return Reading((WeekAround(unit),), is_dependent=True)


RULES: list[Headed] = [
    rule(_HEADS, rf"{_LENGTH}\s+(?:ago|back\b(?!\s+(?:to|in|from)\b)|earlier\s+today)\b", _ago),
    rule(_HEADS, rf"{_LENGTH}\s+(?:from\s+(?:now|today)|hence|ahead\b(?=\s*[.,!?]|$))", _from_now),
    rule(
        {"in"},
        rf"in\s+(?:about\s+|around\s+|exactly\s+|another\s+|just\s+)?{_LENGTH}(?P<time>'s?\s+time|\s+time)?(?!\s+(?:of|old)\b|-|\s+or\b)",
        _in,
    ),
    rule(
        {"the", "day", "week", "weekend", "month", *_HEADS},
        rf"(?:(?P<the>the\s+)(?P<single>day|week|weekend|month|year|night)|{_LENGTH})\s+"
        r"(?P<side>before|after|from|on)\s+(?:the\s+)?(?=\w)",
        _beside,
    ),
    rule(
        {"last", "past", "previous", "next", "coming"},
        rf"(?P<which>last|past|previous|next|coming)\s+(?P<amount>{AMOUNT})\s+{_UNIT}",
        _stretch,
    ),
    rule(
        _HEADS,
        rf"(?P<amount>{AMOUNT})\s+(?P<weekday>{of(FULL_WEEKDAYS)})s?\s+ago\b",
        _weekdays_ago,
    ),
    rule(_HEADS, rf"(?P<amount>{AMOUNT})\s+(?P<season>{of(SEASONS)})s?\s+ago\b", _seasons_ago),
    rule(
        {"the", *FULL_WEEKDAYS},
        rf"(?:the\s+)?(?P<weekday>{of(FULL_WEEKDAYS)})\s+(?P<side>before|after)\s+(?!last\b|next\b)(?:the\s+)?(?=\w)",
        _weekday_beside,
    ),
    rule(
        {"week", "weekend"},
        r"(?P<unit>week|weekend)\s+(?:of|beginning|commencing|starting|from)\s+(?:the\s+)?(?=\w)",
        _around,
    ),
]
