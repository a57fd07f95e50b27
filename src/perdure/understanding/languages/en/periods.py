"""English words for days, weeks, months, years and their parts, told from the present."""

from __future__ import annotations

import re

from perdure.understanding.languages.en.dates import is_named, stands_alone
from perdure.understanding.languages.en.numbers import ORDINAL, ORDINAL_HEADS, ordinal_of
from perdure.understanding.languages.en.rules import Headed, of, rule, spaced
from perdure.understanding.languages.en.vocabulary import (
    FULL_WEEKDAYS,
    HOLIDAYS,
    MONTHS,
    PARTS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    WHICH,
)
from perdure.understanding.times.hours import PartOfDay
from perdure.understanding.times.language import Reading
from perdure.understanding.times.pieces import (
    AnyMonth,
    AnyWeekend,
    AnyYear,
    Counted,
    DayShift,
    Decade,
    Half,
    HalfShift,
    Month,
    MonthShift,
    PartOf,
    Quarter,
    QuarterShift,
    Recurring,
    Season,
    Weekday,
    WeekdaysAgo,
    WeekendShift,
    WeekShift,
    WhichWeekday,
    YearShift,
)
from perdure.understanding.times.terms import DayPart, Piece, Unit, Which

_WHICH = rf"(?P<which>{of(WHICH)})"
_WHICH_HEADS = {word.split()[0] for word in WHICH}
_RECURRING = re.compile(r"\b(?:every|each|most|per|other|another|any|some)\s+$", re.I)


def _before(match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(match.string, max(0, match.start() - 20), match.start()))


_DAYS: dict[str, tuple[Piece, ...]] = {
    "today": (DayShift(0),),
    "yesterday": (DayShift(-1),),
    "tomorrow": (DayShift(1),),
    "tmrw": (DayShift(1),),
    "the day after tomorrow": (DayShift(2),),
    "the day before yesterday": (DayShift(-2),),
    "day after tomorrow": (DayShift(2),),
    "day before yesterday": (DayShift(-2),),
    "tomorrow week": (DayShift(8),),
    "today week": (DayShift(7),),
    "a week today": (DayShift(7),),
    "a week tomorrow": (DayShift(8),),
    "tonight": (DayShift(0), PartOfDay(DayPart.EVENING)),
    "this night": (DayShift(0), PartOfDay(DayPart.EVENING)),
    "last night": (DayShift(-1), PartOfDay(DayPart.NIGHT)),
    "yesterday night": (DayShift(-1), PartOfDay(DayPart.NIGHT)),
    "this morning": (DayShift(0), PartOfDay(DayPart.MORNING)),
    "this lunchtime": (DayShift(0), PartOfDay(DayPart.NOON)),
    "this afternoon": (DayShift(0), PartOfDay(DayPart.AFTERNOON)),
    "this evening": (DayShift(0), PartOfDay(DayPart.EVENING)),
    "the night before last": (DayShift(-2), PartOfDay(DayPart.NIGHT)),
    "last evening": (DayShift(-1), PartOfDay(DayPart.EVENING)),
}


def _day(match: re.Match[str]) -> Reading | None:
    return Reading(_DAYS[spaced(match.group())])


def _shifted(unit: str, by: int) -> Piece:
    match unit:
        case "week":
            return WeekShift(by)
        case "fortnight":
            return WeekShift(2 * by)
        case "weekend":
            return WeekendShift(by)
        case "month":
            return MonthShift(by)
        case "quarter":
            return QuarterShift(by)
        case "half" | "half-year":
            return HalfShift(by)
        case "day":
            return DayShift(by)
        case _:
            return YearShift(by)


_PERIOD = "(?P<unit>weekend|week|month|quarter|half-year|year|fortnight)"


def _which_period(match: re.Match[str]) -> Reading | None:
    which = spaced(match.group("which"))
    by = 0 if which == "this coming" else WHICH[which].value
    return Reading((_shifted(match.group("unit").lower(), by),))


def _the_present(match: re.Match[str]) -> Reading | None:
    return Reading((_shifted(match.group("unit").lower(), 0),))


_WEEKEND_TOLD = re.compile(
    r"\b(?:since|over|at|on|after|by|until|before|for|during|of|from)\s+the\s+$", re.I
)


def _the_weekend(match: re.Match[str]) -> Reading | None:
    is_noun = not stands_alone(match.string, match.end())
    return None if is_noun or not _before(match, _WEEKEND_TOLD) else Reading((AnyWeekend(),))


def _twice_removed(match: re.Match[str]) -> Reading | None:
    by = -2 if match.group("side").lower().startswith("before") else 2
    unit = match.group("unit").lower()
    which = Which.LAST if by < 0 else Which.NEXT
    if unit in WEEKDAYS:
        if by < 0:
            return Reading((WeekdaysAgo(2, WEEKDAYS[unit]),))
        return Reading((WeekShift(by), Weekday(WEEKDAYS[unit])))
    if unit in SEASONS:
        return Reading((Recurring(which, Season(SEASONS[unit]), times=2),))
    if unit in MONTHS:
        return Reading((Recurring(which, Month(MONTHS[unit]), times=2),))
    return Reading((_shifted(unit, by),))


def _weekday(match: re.Match[str]) -> Reading | None:
    word = match.group("weekday")
    text, start, end = match.string, match.start(), match.end()
    if _before(match, _RECURRING) or is_named(match):
        return None
    if word.lower() not in FULL_WEEKDAYS:
        is_told = word[0].isupper() and not text[end : end + 1].isalpha()
        beside = _BESIDE.search(text, max(0, start - 12), start)
        if not is_told or not (beside or _DATE_AHEAD.match(text, end)):
            return None
    if _COMPOUND.match(text, end) and not _BESIDE.search(text, max(0, start - 12), start):
        return None
    if _TITLE.match(text, end) and _ARTICLE.search(text, max(0, start - 5), start):
        return None
    return Reading((Weekday(WEEKDAYS[word.lower()]),))


_COMPOUND = re.compile(
    r"\s+(?:roasts?|lunch(?:es)?|dinners?|brunch(?:es)?|best|school|papers?|blues|markets?|league|drivers?|prayers?|crosswords?)\b"
)
_BESIDE = re.compile(r"\b(?:on|by|until|till|from|to|since|before|after|and|or)\s+$|[-–]\s*$", re.I)
_DATE_AHEAD = re.compile(r"\.?,?\s*(?:\d|[-–]|at\b|to\b|morning|afternoon|evening|night)")
_TITLE = re.compile(
    r"\s+(?!January|February|March|April|May|June|July|August|September|October|November|December)[A-Z][a-z]+"
)
_ARTICLE = re.compile(r"\b(?:the|a)\s+$", re.I)


def _which_weekday(match: re.Match[str]) -> Reading | None:
    number = WEEKDAYS[match.group("weekday").lower()]
    which = spaced(match.group("which"))
    if which in ("this coming", "the coming"):
        return (
            Reading((Weekday(number),))
            if which == "the coming"
            else Reading((WhichWeekday(Which.THIS, number),))
        )
    return Reading((WhichWeekday(WHICH[which], number),))


def _week_then_weekday(match: re.Match[str]) -> Reading | None:
    """As in "Friday week": a week after the coming one."""
    return Reading((WeekShift(1), Weekday(WEEKDAYS[match.group("weekday").lower()])))


_SEASON_TOLD = re.compile(
    r"\b(?:in|during|over|throughout|since|by|until|till|of|early|late|mid|that|before|after|from|"
    r"to|between|and)[\s-]+(?P<the>the\s+)?(?:early\s+|late\s+)?$",
    re.I,
)


def _season(match: re.Match[str]) -> Reading | None:
    told = _SEASON_TOLD.search(match.string, max(0, match.start() - 24), match.start())
    word = match.group("season")
    following = match.string[match.end() :]
    has_year = bool(
        re.match(
            r",?\s+(?:of\s+)?(?:(?:1\d|20|21)\d\d\b|'\d\d\b|(?:last|this|next)\s+year)", following
        )
    )
    if not has_year and not told:
        return None
    if not has_year and word.istitle() and re.match(r"\s+[A-Z][a-z]", following):
        return None  # "the Winter Garden"
    if word.lower() == "fall" and not has_year and not (told and told.group("the")):
        return None
    if (
        not has_year
        and re.match(r"\s+[a-z]+", following)
        and not re.match(
            r"\s+(?:we|i|he|she|they|you|it|my|our|and|or|but|when|with|of|for|at|to|because|before|after)\b",
            following,
            re.I,
        )
    ):
        return None
    return Reading((Season(SEASONS[word.lower()]),))


def _which_season(match: re.Match[str]) -> Reading | None:
    season = Season(SEASONS[match.group("season").lower()])
    return Reading((Recurring(WHICH[spaced(match.group("which"))], season),))


def _holiday(match: re.Match[str]) -> Reading | None:
    if _before(match, _RECURRING):
        return None
    following = re.match(
        r"\s+(?:tree|card|present|gift|carol|dinner|egg|costume|cake|island|movie|song|jumper|decoration)",
        match.string[match.end() :],
    )
    name = spaced(match.group("holiday")).replace("new years", "new year's")
    return None if following else Reading((HOLIDAYS[name],))


def _which_holiday(match: re.Match[str]) -> Reading | None:
    holiday = HOLIDAYS[spaced(match.group("holiday"))]
    which = WHICH[spaced(match.group("which"))]
    if holiday.needs_year:
        return Reading((YearShift(which.value), holiday))
    return Reading((Recurring(which, holiday),))


_QUARTERS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 4,
    "final": 4,
}
_HALVES = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "latter": 2}
_OF_YEAR_AHEAD = re.compile(
    r"\s*(?:of\s+|in\s+|,\s*)?(?:the\s+)?(?:(?:19|20|21)\d\d\b|(?:last|this|next|coming)\s+(?:fiscal\s+)?year|year\b)",
    re.I,
)
_OF_MONTH_AHEAD = re.compile(
    r"\s+of\s+(?:the\s+month|(?:last|this|next)\s+month|(?:last\s+|next\s+)?[A-Z][a-z]+\b)"
)


_QUARTER_TOLD = re.compile(
    r"\b(?:in|for|during|by|of|until|since|the|from|to|end\s+of)\s+(?:the\s+)?$", re.I
)


_OF_OTHER = re.compile(r"\s+of\s+(?!the\s+(?:year|fiscal)|(?:this|next|last)|\d)")


def _quarter(match: re.Match[str]) -> Reading | None:
    word = match.group("number").lower()
    text = match.string
    is_told = _before(match, _QUARTER_TOLD) or _OF_YEAR_AHEAD.match(text, match.end())
    is_other = _OF_OTHER.match(text, match.end())
    if not is_told or is_other:
        return None
    if word == "last" and not _OF_YEAR_AHEAD.match(text, match.end()):
        return Reading((QuarterShift(-1),))
    return Reading((Quarter(_QUARTERS[word]),))


def _short_quarter(match: re.Match[str]) -> Reading | None:
    return Reading((Quarter(int(match.group("number"))),))


_HALF_TOLD = re.compile(r"\b(?:in|for|by|during|since|until)\s+$", re.I)


def _short_half(match: re.Match[str]) -> Reading | None:
    if not match.group().isupper() or not (
        _OF_YEAR_AHEAD.match(match.string, match.end()) or _before(match, _HALF_TOLD)
    ):
        return None
    return Reading((Half(int(match.group("number"))),))


def _half(match: re.Match[str]) -> Reading | None:
    text, end = match.string, match.end()
    if not (_OF_YEAR_AHEAD.match(text, end) or _OF_MONTH_AHEAD.match(text, end)):
        return None
    return Reading((Half(_HALVES[match.group("number").lower()]),))


_DECADES = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
    "noughties": 0,
}


_DECADE_TOLD = re.compile(
    r"\b(?:the|early|mid|late)[\s-]+(?:early[\s-]+|mid[\s-]+|late[\s-]+)?$", re.I
)


def _decade(match: re.Match[str]) -> Reading | None:
    number = int(match.group("decade"))
    if not _before(
        match,
        _DECADE_TOLD,
    ):
        return None
    return Reading((Decade(number if number > 99 else _century(number) + number),))


_NAMED_DECADE_TOLD = re.compile(r"\bthe\s+(?:(?:early|mid|late)[\s-]+)?$", re.I)


def _named_decade(match: re.Match[str]) -> Reading | None:
    if not _before(match, _NAMED_DECADE_TOLD):
        return None
    number = _DECADES[match.group("decade").lower()]
    return Reading((Decade(_century(number) + number),))


def _told_decade(match: re.Match[str]) -> Reading | None:
    return Reading((Decade(1900 + _DECADES[match.group("decade").lower()]),))


def _century(number: int) -> int:
    return 2000 if number < 20 else 1900


def _part(match: re.Match[str]) -> Reading | None:
    return Reading((PartOf(PARTS[spaced(match.group("part"))]),), is_dependent=True)


def _part_of_present(match: re.Match[str]) -> Reading | None:
    unit = match.group("unit").lower()
    part = PartOf(PARTS[spaced(match.group("part"))])
    if unit == "week":
        return Reading((part, WeekShift(0)))
    if match.groupdict().get("this"):
        return Reading((part, MonthShift(0) if unit == "month" else YearShift(0)))
    return Reading((part, AnyMonth() if unit == "month" else AnyYear()))


def _counted(match: re.Match[str]) -> Reading | None:
    return Reading((_count(match),), is_dependent=True)


def _counted_of_present(match: re.Match[str]) -> Reading | None:
    whole = AnyMonth() if match.group("of").lower() == "month" else AnyYear()
    return Reading((whole, _count(match)))


def _count(match: re.Match[str]) -> Counted:
    word = match.group("number").lower()
    number = -1 if word in ("last", "final") else ordinal_of(word)
    unit = match.group("unit").lower()
    if unit in WEEKDAYS:
        return Counted(number, Unit.DAY, WEEKDAYS[unit])
    return Counted(number, UNITS[unit])


_PART = r"(?:the\s+)?(?:very\s+)?(?P<part>beginning|start|middle|end|close|tail\s+end)\s+of\s+"
_FULL = rf"(?P<weekday>{of(FULL_WEEKDAYS)})"

RULES: list[Headed] = [
    rule({word.split()[0] for word in _DAYS}, rf"{of(_DAYS)}\b", _day),
    rule(_WHICH_HEADS, rf"{_WHICH}\s+{_PERIOD}\b(?!-|\s+of\b)", _which_period),
    rule({"current"}, rf"current\s+{_PERIOD}\b", _the_present),
    rule(
        {"the", "week", "weekend", "month", "year", "quarter", *FULL_WEEKDAYS, *SEASONS, *MONTHS},
        rf"(?:the\s+)?(?P<unit>weekend|week|month|quarter|year|{of([*FULL_WEEKDAYS, *SEASONS, *MONTHS])})\s+"
        rf"(?P<side>before\s+last|after\s+next)\b(?!\s+(?:{of(UNITS)}|{of(FULL_WEEKDAYS)}|{of(SEASONS)})\b)",
        _twice_removed,
    ),
    rule({"weekend"}, r"weekend\b(?!-)", _the_weekend),
    rule(WEEKDAYS, rf"(?P<weekday>{of(WEEKDAYS)})\b\.?", _weekday),
    rule(FULL_WEEKDAYS, rf"{_FULL}\s+week\b", _week_then_weekday),
    rule(_WHICH_HEADS, rf"{_WHICH}\s+(?P<weekday>{of(WEEKDAYS)})\b(?!\s*'s\s+Eve)", _which_weekday),
    rule(SEASONS, rf"(?P<season>{of(SEASONS)})\b(?:time\b)?", _season),
    rule(_WHICH_HEADS, rf"{_WHICH}\s+(?P<season>{of(SEASONS)})\b", _which_season),
    rule(
        {re.split(r"[ '.-]", name)[0] for name in HOLIDAYS},
        rf"(?P<holiday>{of(HOLIDAYS)}|new\s+years\s+(?:eve|day))\b(?!')",
        _holiday,
    ),
    rule(_WHICH_HEADS, rf"{_WHICH}\s+(?P<holiday>{of(HOLIDAYS)})\b", _which_holiday),
    rule({*_QUARTERS, "0"}, rf"(?P<number>{of(_QUARTERS)})\s+quarter\b", _quarter),
    rule({"q"}, r"q(?P<number>[1-4])\b", _short_quarter),
    rule({"h"}, r"h(?P<number>[12])\b", _short_half),
    rule({*_HALVES, "0"}, rf"(?P<number>{of(_HALVES)})\s+half\b", _half),
    rule({"0", "'"}, r"'?(?P<decade>(?:1[5-9]|20)?\d0)'?s\b", _decade),
    rule({"nineteen"}, rf"nineteen[-\s]+(?P<decade>{of(_DECADES)})\b", _told_decade),
    rule(_DECADES, rf"(?P<decade>{of(_DECADES)})\b", _named_decade),
    rule({"the", "beginning", "start", "middle", "end", "close", "tail"}, _PART, _part),
    rule(
        {"early", "mid", "late"},
        r"(?P<part>early|mid|late)(?:\s*-\s*|\s+)(?:in\s+|on\s+)?(?:the\s+)?(?=\w)",
        _part,
    ),
    rule(
        {"the", "beginning", "start", "middle", "end", "close", "tail"},
        rf"{_PART}(?:the\s+|(?P<this>this\s+))?(?P<unit>week|month|year)\b",
        _part_of_present,
    ),
    rule(
        {"week", "month", "year"},
        r"(?P<unit>week|month|year)(?:'s|-|\s)\s*(?P<part>end)\b",
        _part_of_present,
    ),
    rule(
        {"last", "final", "0", *ORDINAL_HEADS},
        rf"(?P<number>last|final|{ORDINAL})\s+(?P<unit>day|week|weekend|month|{of(FULL_WEEKDAYS)})\s+"
        r"(?:(?:of|in)\s+)(?:the\s+)?(?=(?P<of>\w+))",
        _counted,
    ),
    rule(
        {"last", "final", "0", *ORDINAL_HEADS},
        rf"(?P<number>last|final|{ORDINAL})\s+(?P<unit>day|week|weekend|month|{of(FULL_WEEKDAYS)})\s+"
        r"(?:of|in)\s+(?:the|this)\s+(?P<of>month|year)\b",
        _counted_of_present,
    ),
]
