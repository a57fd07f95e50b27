"""Chinese dates: years, months, days of the month, and dates in digits."""

from __future__ import annotations

import re
from datetime import date

from perdure.understanding.languages.zh.numbers import SMALL, digits_of, number_of
from perdure.understanding.languages.zh.rules import (
    DIGITS,
    NUMERALS,
    Headed,
    of,
    rule,
    stands_before,
)
from perdure.understanding.languages.zh.vocabulary import PARTS, YEARS
from perdure.understanding.times.language import Reading
from perdure.understanding.times.pieces import (
    DayOfMonth,
    Month,
    MonthShift,
    PartOf,
    Year,
    YearShift,
)
from perdure.understanding.times.terms import Piece

_TO = r"\s*(?:到|至|[-–—~]{1,2})\s*"
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d|[12一二][零〇○九八0-9][零〇○一二三四五六七八九0-9]{2})"
_NOT_AGE = r"(?!级|代|前|后|来|间|多|的?(?:经验|历史|经历|时间|老|工龄|陈|合同)|[纪限轻龄景])"
_DAY_SIGN = r"(?:日|号)"
_NOT_A_DATE = (
    r"(?!楼|线|门|院|房|机|码|店|桌|车|馆|厅|选手|公路|仓|球|柜|台|病|床|会议|室|宿舍|窗|口|出口|"
    r"电梯|人物|位|种子|首长|嫌|出租|航站|染|仓库|文|片|帖|决定|令|营|商|称|元|圆|游|本|语|式|常|记|历|用|报|程|光|子|化|志|期|产)"
)
_LUNAR = re.compile(r"(?:同年|翌年|次年|隔年|该年|农历|阴历|旧历|闰|每个?|每逢)\s*$")
_NAMED = re.compile(
    r"(?:第|每|穿|住|坐|乘|排|选|每个?月的?|(?:路|街|巷|弄|胡同|道|村|栋|幢|楼)\s*|[A-Za-z#＃№])$"
)


def _number(match: re.Match[str], group: str) -> int:
    return number_of(match.group(group)) or 0


def _year(match: re.Match[str]) -> Reading | None:
    number = digits_of(match.group("year"))
    return Reading((Year(number),)) if number and number < 2200 else None


def _short_year(match: re.Match[str]) -> Reading | None:
    number = digits_of(match.group("year"))
    if number is None:
        return None
    return Reading((Year(number + (1900 if number >= 40 else 2000)),))


def _year_word(match: re.Match[str]) -> Reading | None:
    return Reading((YearShift(YEARS[match.group("word")]),))


def _month_part(match: re.Match[str], month: Piece) -> Reading:
    part = match.groupdict().get("part")
    return Reading((month, PartOf(PARTS[part])) if part else (month,))


def _month(match: re.Match[str]) -> Reading | None:
    number = _number(match, "month")
    if not 1 <= number <= 12 or stands_before(match, _LUNAR):
        return None
    return _month_part(match, Month(number))


def _month_shift(match: re.Match[str]) -> Reading | None:
    word = match.group("which")
    by = {"上": -1, "下": 1}.get(word[0], 0) * len(word)
    return _month_part(match, MonthShift(by))


def _month_day(match: re.Match[str]) -> Reading | None:
    month, day = _number(match, "month"), _number(match, "day")
    if not (1 <= month <= 12 and 1 <= day <= 31) or stands_before(match, _LUNAR):
        return None
    return Reading((Month(month), DayOfMonth(day)))


def _day(match: re.Match[str]) -> Reading | None:
    number = _number(match, "day")
    if not 1 <= number <= 31 or stands_before(match, _NAMED):
        return None
    return Reading((DayOfMonth(number),))


def _dependent_day(match: re.Match[str]) -> Reading | None:
    """As in "3日", or "十五" after a month: too little by itself."""
    number = _number(match, "day")
    return Reading((DayOfMonth(number),), is_dependent=True) if 1 <= number <= 31 else None


def _days(match: re.Match[str]) -> Reading | None:
    first, second = _number(match, "day"), _number(match, "until")
    if not 1 <= first < second <= 31 or stands_before(match, _NAMED):
        return None
    month = match.groupdict().get("month")
    if not month:
        return Reading((DayOfMonth(first),), until=(DayOfMonth(second),))
    piece = Month(number_of(month) or 1)
    return Reading((piece, DayOfMonth(first)), until=(piece, DayOfMonth(second)))


def _months(match: re.Match[str]) -> Reading | None:
    first, second = _number(match, "month"), _number(match, "until")
    if not (1 <= first <= 12 and 1 <= second <= 12) or stands_before(match, _LUNAR):
        return None
    return Reading((Month(first),), until=(Month(second),))


def _years(match: re.Match[str]) -> Reading | None:
    first, second = digits_of(match.group("year")), digits_of(match.group("until"))
    if first is None or second is None or not first < second < 2200:
        return None
    return Reading((Year(first),), until=(Year(second),))


def _numeric(match: re.Match[str]) -> Reading | None:
    year, month, day = (int(match.group(name)) for name in ("year", "month", "day"))
    try:
        date(year, month, day)
    except ValueError:
        return None
    return Reading((Year(year), Month(month), DayOfMonth(day)))


def _year_month(match: re.Match[str]) -> Reading | None:
    month = int(match.group("month"))
    return Reading((Year(int(match.group("year"))), Month(month))) if 1 <= month <= 12 else None


_MONTH_PART = r"(?P<part>上旬|中旬|下旬|月?初(?![一二三四五六七八九十])|月?底|末|中(?=[，。,.！!？?\s、我他她你]|$|旬|要|去|来|开|会))?"

RULES: list[Headed] = [
    rule(NUMERALS, rf"{_YEAR}\s*年(?!代|级)", _year),
    rule(
        NUMERALS,
        rf"(?P<year>[4-9]\d|0\d|[零〇○九八七][零〇○一二三四五六七八九])\s*年{_NOT_AGE}",
        _short_year,
    ),
    rule(
        NUMERALS,
        rf"(?P<year>\d\d|[二一][零一二三四五六七八九])\s*年(?=\s*{SMALL}\s*月[^前后内])",
        _short_year,
    ),
    rule({w[0] for w in YEARS}, rf"(?P<word>{of(YEARS)})(?!级|会|轻)", _year_word),
    rule(
        NUMERALS,
        rf"(?P<month>{SMALL})\s*月份?(?!亮|饼|球|季|薪|不知|嫂|票|台|租|供|光|经|子|天(?!气)){_MONTH_PART}",
        _month,
    ),
    rule(
        "上下这本当",
        rf"(?P<which>上{{1,3}}|下{{1,3}}|这|本|当)一?个?月(?!台|亮|饼|球|光)份?{_MONTH_PART}",
        _month_shift,
    ),
    rule(
        NUMERALS,
        rf"(?P<month>{SMALL})\s*月\s*(?P<day>{SMALL})\s*{_DAY_SIGN}?(?![\d个月天周年])",
        _month_day,
    ),
    rule(NUMERALS, rf"(?P<day>{SMALL})\s*号{_NOT_A_DATE}", _day),
    rule(DIGITS, r"(?P<day>\d{1,2})\s*日(?!元|圆|游|本|语|式|内|前|后|之|以|均)", _dependent_day),
    rule(
        NUMERALS,
        r"(?P<day>[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]|\d{1,2})日(?!元|圆|游|本|语|式|内|前|后|之|以|均|常)",
        _dependent_day,
    ),
    rule(
        NUMERALS,
        rf"(?:(?P<month>{SMALL})\s*月\s*)?(?P<day>{SMALL})\s*{_DAY_SIGN}?{_TO}(?P<until>{SMALL})\s*{_DAY_SIGN}{_NOT_A_DATE}",
        _days,
    ),
    rule(
        NUMERALS,
        rf"(?P<month>{SMALL})\s*月?份?{_TO}(?P<until>{SMALL})\s*月份?(?!\s*{SMALL}\s*[日号])",
        _months,
    ),
    rule(
        NUMERALS,
        rf"{_YEAR}\s*年?{_TO}(?P<until>(?:1[5-9]|20|21)\d\d|[一二][零〇○九八][零〇○一二三四五六七八九]{{2}})\s*年",
        _years,
    ),
    rule(
        DIGITS,
        r"(?P<year>(?:1[5-9]|20|21)\d\d)\s*([-/.])\s*(?P<month>\d{1,2})\s*\2\s*(?P<day>\d{1,2})(?!\d|[-/.]\d)",
        _numeric,
    ),
    rule(
        DIGITS,
        r"(?P<year>(?:19|20|21)\d\d)[/.](?P<month>\d{1,2})(?![\d/.])(?=\s*(?:入职|毕业|[-–—~至到]))",
        _year_month,
    ),
]
