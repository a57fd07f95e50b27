"""Chinese words for days, weeks, years and their parts, told from the present, and holidays."""

from __future__ import annotations

import re

from perdure.understanding.languages.zh.numbers import NUMBER, number_of
from perdure.understanding.languages.zh.rules import NUMERALS, Headed, of, rule, stands_before
from perdure.understanding.languages.zh.vocabulary import (
    DAY_PARTS,
    DAYS,
    HOLIDAYS,
    PARTS,
    SEASONS,
    SHORT_DAY_PARTS,
    SHORT_DAYS,
    UNITS,
    WEEKDAYS,
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
    MonthShift,
    PartOf,
    Quarter,
    QuarterShift,
    Recurring,
    Season,
    Weekday,
    WeekendShift,
    WeekShift,
    YearShift,
)
from perdure.understanding.times.terms import DayPart, Piece, Unit, Which

_WEEK = r"(?:周|星期|礼拜)"
_WHICH = r"(?P<which>上{1,3}|下{1,3}|这|本)一?个?"
_RECURRING = re.compile(r"(?:每个?|逢|每逢|各|隔|单|双|两个|几个)$")
_NAME = re.compile(r"(?:叫|姓|名|名叫|我是|他是|她是|同事|老师|同学|朋友|小|老)$")
_WEEKDAY = r"(?P<weekday>[一二三四五六日天末1-7])"
_NOT_ONE = r"(?!(?<=一)(?:直|共|定|起|样|般|切|边|些|路|口气))"
_NOT_A_WEEKDAY = (
    _NOT_ONE
    + r"(?![\d一二三四五六七八九十]+(?![\d一二三四五六七八九十]|\s*(?:[点时:/]|号|月|日))|个|周|天|次|鸣|凡|洲|线|行|岁|样|综合|症|点?击)"
)


def _shift(word: str | None) -> int:
    if not word:
        return 0
    return {"上": -1, "下": 1}.get(word[0], 0) * len(word)


def _day(match: re.Match[str]) -> Reading | None:
    return Reading((DayShift(DAYS[match.group("day")]),))


def _short_day(match: re.Match[str]) -> Reading | None:
    day = DayShift(SHORT_DAYS[match.group("day")])
    return Reading((day, PartOfDay(SHORT_DAY_PARTS[match.group("part")])))


def _day_part(match: re.Match[str]) -> Reading | None:
    return Reading((PartOfDay(DAY_PARTS[match.group("part")]),), is_dependent=True)


def _midnight(match: re.Match[str]) -> Reading | None:
    return Reading((PartOfDay(DayPart.NIGHT),), is_dependent=True)


def _weekday(match: re.Match[str]) -> Reading | None:
    which = match.groupdict().get("which")
    number = WEEKDAYS[match.group("weekday")]
    if which is None and (stands_before(match, _RECURRING) or _is_name(match)):
        return None
    if number < 0:
        return Reading((WeekendShift(_shift(which)) if which else AnyWeekend(),))
    if which is None:
        return Reading((Weekday(number),))
    return Reading((WeekShift(_shift(which)), Weekday(number)))


_CALLED = re.compile(r"(?:叫|名叫|名字是|取名|起名)$")


def _is_name(match: re.Match[str]) -> bool:
    """周 is also a family name: 我叫周一鸣, 周五福."""
    is_called = stands_before(match, _CALLED)
    return is_called or (match.group().startswith("周") and stands_before(match, _NAME))


def _which_weekend(match: re.Match[str]) -> Reading | None:
    return Reading((WeekendShift(_shift(match.group("which"))),))


def _which_week(match: re.Match[str]) -> Reading | None:
    part = match.group("part")
    week = WeekShift(_shift(match.group("which")))
    return Reading((week, PartOf(PARTS[part])) if part else (week,))


def _season(match: re.Match[str]) -> Reading | None:
    season = Season(SEASONS[match.group("season")])
    return Reading((season,), is_dependent=True)


def _told_season(match: re.Match[str]) -> Reading | None:
    season = Season(SEASONS[match.group("season")])
    which = {"去": -1, "今": 0, "明": 1}.get(match.group("which"))
    if which is not None:
        return Reading((YearShift(which), season))
    word = match.group("which")
    if word.startswith("上"):
        return Reading((Recurring(Which.LAST, season),))
    if word.startswith("下"):
        return Reading((Recurring(Which.NEXT, season),))
    return Reading((Recurring(Which.THIS, season),))


def _around_season(match: re.Match[str]) -> Reading | None:
    return Reading((Season(SEASONS[match.group("season")]),))


def _quarter(match: re.Match[str]) -> Reading | None:
    number = number_of(match.group("number"))
    return Reading((Quarter(number),)) if number and 1 <= number <= 4 else None


def _which_quarter(match: re.Match[str]) -> Reading | None:
    return Reading((QuarterShift(_shift(match.group("which"))),))


def _half(match: re.Match[str]) -> Reading | None:
    return Reading((Half(1 if match.group("half") == "上" else 2),))


def _half_month(match: re.Match[str]) -> Reading | None:
    return Reading((MonthShift(0), Half(1 if match.group("half") == "上" else 2)))


def _which_half(match: re.Match[str]) -> Reading | None:
    return Reading((HalfShift(_shift(match.group("which"))),))


def _decade(match: re.Match[str]) -> Reading | None:
    number = number_of(match.group("decade"))
    if number is None or number % 10 or number > 90:
        return None
    century = match.group("century") or ""
    if "21" in century or "二十一" in century or "本" in century:
        base = 2000
    elif "19" in century or "十九" in century:
        base = 1800
    else:
        base = 1900 if number >= 20 or century else 2000
    return Reading((Decade(base + number),))


def _full_decade(match: re.Match[str]) -> Reading | None:
    return Reading((Decade(int(match.group("decade"))),))


def _year_part(match: re.Match[str]) -> Reading | None:
    return Reading((AnyYear(), PartOf(PARTS[match.group("part")])))


def _bare_part(match: re.Match[str]) -> Reading | None:
    return Reading((PartOf(PARTS[match.group("part")]),), is_dependent=True)


def _month_part(match: re.Match[str]) -> Reading | None:
    return Reading((AnyMonth(), PartOf(PARTS[match.group("part")])))


def _counted(match: re.Match[str]) -> Reading | None:
    number: int | None
    if match.group("last"):
        number = -1
    elif match.group("first"):
        number = 1
    else:
        number = number_of(match.group("number"))
    if not number:
        return None
    weekday = match.group("weekday")
    if weekday is None:
        return Reading((Counted(number, UNITS[match.group("unit")]),), is_dependent=True)
    if WEEKDAYS[weekday] < 0:
        return Reading((Counted(number, Unit.WEEKEND),), is_dependent=True)
    return Reading((Counted(number, Unit.DAY, WEEKDAYS[weekday]),), is_dependent=True)


def _holiday(match: re.Match[str]) -> Reading | None:
    return None if stands_before(match, _RECURRING) else Reading((HOLIDAYS[match.group("name")],))


def _which_holiday(match: re.Match[str]) -> Reading | None:
    holiday: Piece = HOLIDAYS[match.group("name")]
    if HOLIDAYS[match.group("name")].needs_year:
        return None
    which = {"上": Which.LAST, "下": Which.NEXT}.get(match.group("which")[0], Which.THIS)
    return Reading((Recurring(which, holiday),))


_SEASON = r"(?P<season>[春夏秋冬])"
_SEASON_SIGN = r"(?:天|季|日(?!本))"

RULES: list[Headed] = [
    rule(
        {w[0] for w in DAYS},
        rf"(?P<day>{of(DAYS)})(?!生|形成|养成|努力|习得|因素|失调|培养|教育)",
        _day,
    ),
    rule(
        SHORT_DAYS,
        r"(?P<day>[今昨明前后当])(?P<part>[早晨晚夜])(?:上|间|里|餐|饭)?(?!辈|期|年|点)",
        _short_day,
    ),
    rule({w[0] for w in DAY_PARTS}, rf"(?P<part>{of(DAY_PARTS)})", _day_part),
    rule("周星礼", rf"{_WEEK}{_WEEKDAY}{_NOT_A_WEEKDAY}", _weekday),
    rule("上下这本", rf"{_WHICH}{_WEEK}的?{_WEEKDAY}{_NOT_ONE}(?![\d]|次)", _weekday),
    rule("上下这本", rf"{_WHICH}(?:周末|双休日?)", _which_weekend),
    rule("上下这本", rf"{_WHICH}{_WEEK}(?P<part>初|中(?!国|旬)|末|底)?", _which_week),
    rule(SEASONS, rf"{_SEASON}{_SEASON_SIGN}", _season),
    rule("去今明", rf"(?P<which>[去今明]){_SEASON}(?:天|季)?", _told_season),
    rule("上下这", rf"(?P<which>上一?个?|下一?个?|这个?){_SEASON}{_SEASON_SIGN}", _told_season),
    rule("等到入", rf"(?:等到了?|到了|等|入){_SEASON}(?:天|季|(?=以))", _around_season),
    rule(NUMERALS + "第", r"第?(?P<number>[一二三四1-4])个?季度", _quarter),
    rule("Qq", r"[Qq](?P<number>[1-4])(?![\d\w])", _quarter),
    rule("最", r"最后一?个季度", lambda match: Reading((Quarter(4),))),
    rule("上下这本", rf"{_WHICH}季度?(?![节后])", _which_quarter),
    rule("上下", r"(?P<half>[上下])半年", _half),
    rule("上下", r"(?P<half>[上下])半个?月", _half_month),
    rule(
        "上二十本九" + NUMERALS,
        r"(?P<century>上个?世纪|本世纪|(?:二十一?|十九|20|21|19)世纪)?的?(?P<decade>[一二三四五六七八九]?十|[1-9]0)年代",
        _decade,
    ),
    rule(NUMERALS, r"(?P<decade>(?:1[5-9]|20)\d0)年代", _full_decade),
    rule("年岁开", r"(?P<part>年初|年中|年底|年末|年尾|岁末|开年)(?!考核|奖)", _year_part),
    rule(
        "月",
        r"(?<![\d一二三四五六七八九十])(?P<part>月初|月中|月底|月末|月尾|月头)(?!薪)",
        _month_part,
    ),
    rule("上中下初底末年", r"(?P<part>上旬|中旬|下旬|年?初|年?底|年?末|年中|年尾)", _bare_part),
    rule(
        "第最头",
        rf"(?:第(?P<number>{NUMBER})|(?P<last>最后一?)|(?P<first>头一))个?"
        rf"(?:{_WEEK}(?P<weekday>[一二三四五六日天末])|(?P<unit>天|周|星期|礼拜|月))",
        _counted,
    ),
    rule(
        {w[0] for w in HOLIDAYS},
        rf"(?P<name>{of(HOLIDAYS)})(?:当天|那天|期间)?(?!路|广场|街|大道|村|中学|小学|树|老人|礼物|贺卡|歌|饼|粽|月饼|图|扫墓?的?习俗)",
        _holiday,
    ),
    rule("上下这今", rf"(?P<which>上个?|下个?|这个?)(?P<name>{of(HOLIDAYS)})", _which_holiday),
]
