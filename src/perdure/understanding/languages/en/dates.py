"""English dates: months, days of the month, years, and dates in digits."""

from __future__ import annotations

import re
from datetime import date, datetime

from perdure.understanding.languages.en.numbers import (
    ORDINAL,
    ORDINAL_HEADS,
    ordinal_of,
)
from perdure.understanding.languages.en.rules import Headed, of, rule, spaced
from perdure.understanding.languages.en.vocabulary import MONTHS, PLAIN_MONTHS, SEASONS, WHICH
from perdure.understanding.times.hours import Moment
from perdure.understanding.times.language import Reading
from perdure.understanding.times.pieces import DayOfMonth, Month, Recurring, Year
from perdure.understanding.times.terms import Piece

_BARE_MONTH = rf"(?P<month>{of(MONTHS)})\b"
_MONTH = rf"{_BARE_MONTH}\.?"
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)(?![\d.,]*\d|[-/]\d|\w)"
_TO = r"\s*(?:[-–—~]|to|until|till|through|and)\s*(?:the\s+)?"
_DAY = rf"(?:{ORDINAL}|\d{{1,2}}(?![\d:%]|[.,]\d|\s*[ap]\.?m\b))"

_BEFORE_MONTH = re.compile(
    r"\b(?:in|on|of|by|until|till|since|from|to|through|before|after|during|around|about|between|"
    r"and|early|late|mid|for|every|each|last|next|this|ago|or|back\s+in)[\s,-]+(?:the\s+)?$",
    re.I,
)
_BEFORE_SMALL_MONTH = re.compile(r"\b(?:in|of|since|early|late|mid|last|next)[\s-]+$", re.I)
_AFTER_MONTH = re.compile(r",?\s+(?:of\s+)?(?:last|this|next)\s+year\b", re.I)
_NAMED = re.compile(
    r"\b(?:named|called|name\s+is|name's|mr|mrs|ms|miss|dr|aunt|uncle)\.?\s+$", re.I
)
_RECURRING = re.compile(r"\b(?:every|each)\s+$", re.I)
_BEFORE_YEAR = re.compile(
    r"\b(?:in|of|since|by|until|till|during|from|to|through|before|after|around|circa|about|"
    r"between|early|late|mid|for|year|summer|winter|spring|autumn|fall|back\s+in)[\s-]+"
    r"(?:the\s+year\s+)?$",
    re.I,
)
_GOES_ON = """a about across after alone although am an and are around as at between because before but by
can could did do does during especially for from had has have he her his how however i if in
into is it its just like may might my no nor not of off on onwards onward or our over she should since
so than that the their then there these they this those though through till to together too
under until up was we were when where which while who will with without would yet you your today tomorrow tonight
yesterday next last every each sharp ago please exactly
instead already too again maybe perhaps latest only here there local straight right afterwards altogether alone back""".split()
_GOES_ON_SET = frozenset(_GOES_ON)
_NEXT_WORD = re.compile(r"\s+([A-Za-z]+)(\s+|$|\W)?")
_UNIT_SIGN = re.compile(r"\s*(?:[%€$£°]|x\b|\+)")


def stands_alone(text: str, end: int) -> bool:
    """False when a noun follows, which the number before it would count."""
    if _UNIT_SIGN.match(text, end):
        return False
    following = _NEXT_WORD.match(text, end)
    return (
        following is None
        or following.group(1).lower() in _GOES_ON_SET
        or (following.group(1).istitle())
    )


def is_named(match: re.Match[str]) -> bool:
    """True when the word before says that a name follows: "a dog called Friday"."""
    return bool(_NAMED.search(match.string, max(0, match.start() - 12), match.start()))


def _month_is_meant(match: re.Match[str]) -> bool:
    """Whether "may", "march" and the like are months here: by case and the word before."""
    text, start = match.string, match.start("month")
    word = match.group("month")
    if _RECURRING.search(text, max(0, start - 8), start):
        return False
    if is_named(match):
        return False
    if not word[0].isupper():
        if word in PLAIN_MONTHS:
            return True
        return bool(_BEFORE_SMALL_MONTH.search(text, max(0, start - 12), start))
    if word.lower() in PLAIN_MONTHS:
        return True
    is_told = _BEFORE_MONTH.search(text, max(0, start - 16), start)
    return bool(is_told or _AFTER_MONTH.match(text, match.end("month")))


def _month(match: re.Match[str]) -> Reading | None:
    if not _month_is_meant(match):
        return None
    month = Month(MONTHS[match.group("month").lower()])
    return Reading((month,))


def _which_month(match: re.Match[str]) -> Reading | None:
    month = Month(MONTHS[match.group("month").lower()])
    if match.group("month") in ("may", "march", "mar"):
        return None
    return Reading((Recurring(WHICH[spaced(match.group("which"))], month),))


def _dated(match: re.Match[str], day: str | None) -> tuple[Piece, ...] | None:
    pieces: list[Piece] = [Month(MONTHS[match.group("month").lower()])]
    if match.groupdict().get("year"):
        pieces.append(Year(int(match.group("year"))))
    if day is not None:
        number = ordinal_of(day)
        if not 1 <= number <= 31:
            return None
        pieces.append(DayOfMonth(number))
    return tuple(pieces)


def _is_small_verb(match: re.Match[str]) -> bool:
    """As in "room 3 may be free": a small letter, and nothing that only a date has."""
    small = match.group("month") in ("may", "march", "mar")
    return small and not match.group("year") and not re.search(r"\bof\b|\dth", match.group())


def _day_month(match: re.Match[str]) -> Reading | None:
    if _is_small_verb(match):
        return None
    pieces = _dated(match, match.group("day"))
    return Reading(pieces) if pieces else None


def _month_year(match: re.Match[str]) -> Reading | None:
    pieces = _dated(match, None)
    return Reading(pieces) if pieces else None


def _days(match: re.Match[str]) -> Reading | None:
    """As in "12-20 June": the month and year go with both days."""
    if _is_small_verb(match):
        return None
    first, second = _dated(match, match.group("day")), _dated(match, match.group("until"))
    return Reading(first, until=second) if first and second else None


def _numeric(match: re.Match[str]) -> Reading | None:
    """Year first, or day first unless only month first makes a date."""
    year = int(match.group("year"))
    first, second = int(match.group("first")), int(match.group("second"))
    for month, day in ((second, first), (first, second)):
        try:
            date(year, month, day)
        except ValueError:
            continue
        return Reading((Year(year), Month(month), DayOfMonth(day)))
    return None


def _iso(match: re.Match[str]) -> Reading | None:
    year, month, day = (int(match.group(name)) for name in ("year", "first", "second"))
    try:
        date(year, month, day)
    except ValueError:
        return None
    return Reading((Year(year), Month(month), DayOfMonth(day)))


def _timestamp(match: re.Match[str]) -> Reading | None:
    try:
        return Reading((Moment(datetime.fromisoformat(match.group().upper())),))
    except ValueError:
        return None


_BEFORE_SHORT = re.compile(r"\b(?:on|by|until|till|before|after|since|from)\s+$", re.I)


_OF_AHEAD = re.compile(r"\s+of\b")


def _short_numeric(match: re.Match[str]) -> Reading | None:
    """As in "on 25/12": a day and month, told with a preposition and nothing that counts after it."""
    text = match.string
    if not _BEFORE_SHORT.search(text, max(0, match.start() - 8), match.start()):
        return None
    if _OF_AHEAD.match(text, match.end()) or not stands_alone(text, match.end()):
        return None
    first, second = int(match.group("first")), int(match.group("second"))
    if 1 <= first <= 31 and 1 <= second <= 12:
        return Reading((Month(second), DayOfMonth(first)))
    if 1 <= first <= 12 and 1 <= second <= 31:
        return Reading((Month(first), DayOfMonth(second)))
    return None


_OF_EACH = re.compile(r"\s+(?:of|in)\s+(?:each|every|any)\b|\s+(?:each|every)\b", re.I)
_BEFORE_ORDINAL = re.compile(
    r"\b(?:on|by|until|till|before|after|from|since|to|through|for|of|around|about|between|and|"
    r"was|is|til|starting|[A-Za-z]+day)\s*,?\s+the\s+$|\b(?:on|by|til|until|till)\s+$",
    re.I,
)


_ON_THE = re.compile(r"\bon\s+the\s+$", re.I)


def _ordinal_day(match: re.Match[str]) -> Reading | None:
    number = ordinal_of(match.group("day"))
    text = match.string
    is_bound = _BEFORE_ORDINAL.search(text, max(0, match.start() - 22), match.start())
    if not is_bound or not 1 <= number <= 31 or not stands_alone(text, match.end()):
        return None
    if _OF_EACH.match(match.string, match.end()):
        return None
    in_words = not match.group("day")[0].isdigit()
    if in_words and not _ON_THE.search(text, max(0, match.start() - 8), match.start()):
        return None
    return Reading((DayOfMonth(number),))


def _ordinal_days(match: re.Match[str]) -> Reading | None:
    first, second = ordinal_of(match.group("day")), ordinal_of(match.group("until"))
    if not (1 <= first < second <= 31 and stands_alone(match.string, match.end())):
        return None
    return Reading((DayOfMonth(first),), until=(DayOfMonth(second),))


def _year(match: re.Match[str]) -> Reading | None:
    text = match.string
    if not _BEFORE_YEAR.search(text, max(0, match.start() - 20), match.start()):
        return None
    if not stands_alone(text, match.end()):
        return None
    return Reading((Year(int(match.group("year"))),))


_OLD_YEAR_TOLD = re.compile(
    rf"\b(?:in|since|year|(?:{of([*SEASONS, *MONTHS])})\s+of|(?:{of([*SEASONS, *MONTHS])}))\s+$",
    re.I,
)


def _old_year(match: re.Match[str]) -> Reading | None:
    """Before 1500 a number is a year only where hardly anything else could stand."""
    text = match.string
    if not _OLD_YEAR_TOLD.search(text, max(0, match.start() - 16), match.start()):
        return None
    if not stands_alone(text, match.end()):
        return None
    return Reading((Year(int(match.group("year"))),))


def _apostrophe_year(match: re.Match[str]) -> Reading:
    """As in "the summer of '94"."""
    number = int(match.group("year"))
    is_told = _BEFORE_YEAR.search(match.string, max(0, match.start() - 20), match.start())
    year = Year(number + (1900 if number >= 40 else 2000))
    return Reading((year,), is_dependent=not is_told)


def _dependent_year(match: re.Match[str]) -> Reading | None:
    return Reading((Year(int(match.group("year"))),), is_dependent=True)


_FROM = re.compile(r"\b(?:from|between)\s+$", re.I)


def _years(match: re.Match[str]) -> Reading | None:
    first, second = int(match.group("year")), int(match.group("until"))
    if not first < second < 2200 or not stands_alone(match.string, match.end()):
        return None
    is_words = match.group("to").strip().lower() not in "-–—~"
    if is_words and not _FROM.search(match.string, max(0, match.start() - 9), match.start()):
        return None
    return Reading((Year(first),), until=(Year(second),))


def _year_of_text(match: re.Match[str]) -> Reading | None:
    return Reading((Year(int(match.group("year"))),))


_NUMBER_HEADS = {"0", *ORDINAL_HEADS}

RULES: list[Headed] = [
    rule(
        {"0"},
        r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{3}(?:\d{3})?)?)?(?:Z|[+-]\d\d:\d\d)?(?![\d:])",
        _timestamp,
    ),
    rule(MONTHS, _BARE_MONTH, _month),
    rule(MONTHS, rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}", _month_year),
    rule(
        MONTHS,
        rf"{_MONTH}\s+(?:the\s+)?(?P<day>{_DAY})(?:,?\s+(?:of\s+)?{_YEAR}|(?P<none>))",
        _day_month,
    ),
    rule(
        MONTHS,
        rf"{_MONTH}\s+(?:the\s+)?(?P<day>{_DAY}){_TO}(?P<until>{_DAY})(?:,?\s+(?:of\s+)?{_YEAR})?(?!\s*{of(MONTHS)}\b)",
        _days,
    ),
    rule(
        _NUMBER_HEADS,
        rf"(?P<day>{_DAY})\s+(?:day\s+)?(?:of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?(?!\w)",
        _day_month,
    ),
    rule(
        _NUMBER_HEADS,
        rf"(?P<day>{_DAY}){_TO}(?P<until>{_DAY})\s+(?:of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?(?!\w)",
        _days,
    ),
    rule(
        {"0"},
        rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)){_TO}(?P<until>\d{{1,2}}(?:st|nd|rd|th))\b",
        _ordinal_days,
    ),
    rule(_NUMBER_HEADS, rf"(?P<day>{ORDINAL})", _ordinal_day),
    rule(
        {w for w in WHICH if " " not in w} | {"this"},
        rf"(?P<which>{of(WHICH)})\s+{_MONTH}(?!\s+\d)",
        _which_month,
    ),
    rule(
        {"0"},
        r"(?P<year>\d{4})([-/.])(?P<first>\d{1,2})\2(?P<second>\d{1,2})(?!\d|[-/.]\d)",
        _iso,
    ),
    rule(
        {"0"},
        r"(?P<first>\d{1,2})([-/.])(?P<second>\d{1,2})\2(?P<year>(?:19|20|21)\d\d)(?!\d|[-/.]\d)",
        _numeric,
    ),
    rule({"0"}, r"(?P<first>\d{1,2})/(?P<second>\d{1,2})(?![\d/.]|\.\d|\w)", _short_numeric),
    rule({"0"}, _YEAR, _year),
    rule({"0"}, r"(?P<year>1[0-4]\d\d)(?![\d.,]*\d|[-/:]\d|\w)", _old_year),
    rule({"0"}, _YEAR, _dependent_year),
    rule(
        {"0"},
        r"(?P<year>(?:1[5-9]|20|21)\d\d)(?P<to>\s*[-–—~]\s*|\s+(?:to|and|until|till|through)\s+)"
        r"(?P<until>(?:1[5-9]|20|21)\d\d)(?![\d.,]*\d|[-/]\d|\w)",
        _years,
    ),
    rule({"'"}, r"'(?P<year>\d\d)(?![\w'])", _apostrophe_year),
    rule({"year"}, rf"year\s+{_YEAR}", _year_of_text),
]
