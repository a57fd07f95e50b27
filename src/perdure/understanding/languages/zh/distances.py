"""Chinese distances: 三天前, 半小时后, 国庆节前一天, 最近两周."""

from __future__ import annotations

import re

from perdure.understanding.languages.zh.numbers import NUMBER, number_of
from perdure.understanding.languages.zh.rules import NUMERALS, Headed, of, rule, stands_before
from perdure.understanding.languages.zh.vocabulary import MULTIPLES, UNITS
from perdure.understanding.times.distances import Distance, Stretch
from perdure.understanding.times.language import Reading
from perdure.understanding.times.terms import Unit

_UNIT = rf"(?P<unit>{of(set(UNITS) - {'分', '晚', '日'})})"
_LENGTH = (
    rf"(?:(?P<half>半)\s*个?\s*|(?P<amount>\d{{1,4}}\.\d|{NUMBER})\s*(?P<vague>多)?个?(?P<and_half>半)?\s*)"
    rf"{_UNIT}(?P<half_after>半)?(?P<more>多)?"
)
_BEFORE = r"(?:以前|之前|前(?!后|端|台|锋|言|提|任|面|线|列|辈|途|景|三|半))"
_AFTER = r"(?:以后|之后|后(?!面|台|端|勤|卫|续|代|悔|果|来))"
_WITHIN = re.compile(r"(?:每隔?|第|近|过去|最近|这|满|用了?|花了?)\s*$")


def _length(match: re.Match[str]) -> tuple[float, Unit] | None:
    if match.group("half"):
        amount = 0.5
    else:
        text = match.group("amount")
        whole = float(text) if "." in text else number_of(text)
        if whole is None or whole == 0:
            return None
        if whole > 1000 and match.group("unit") == "年":
            return None  # 1970年前 is before the year
        amount = float(whole)
        if match.group("and_half") or match.group("half_after"):
            amount += 0.5
    word = match.group("unit")
    unit = UNITS[word]
    amount *= MULTIPLES.get(word, 1)
    if unit is Unit.DAY and amount % 1:
        return amount * 24, Unit.HOUR
    return amount, unit


def _ago(match: re.Match[str]) -> Reading | None:
    length = _length(match)
    if not length or stands_before(match, _WITHIN):
        return None
    return Reading((Distance(-length[0], length[1]),))


_EVERY = re.compile(r"(?:每隔?|第)\s*$")


def _ahead(match: re.Match[str]) -> Reading | None:
    length = _length(match)
    if not length or stands_before(match, _EVERY):
        return None
    return Reading((Distance(length[0], length[1]),))


def _beside(match: re.Match[str]) -> Reading | None:
    """The distance after a time told before it: 国庆节前一天, 五月五号之后两周."""
    length = _length(match)
    if not length:
        return None
    sign = -1 if match.group("side").startswith(("前", "之前", "以前")) else 1
    return Reading((Distance(sign * length[0], length[1], True),), is_dependent=True)


def _stretch(match: re.Match[str]) -> Reading | None:
    length = _length(match)
    if not length:
        return None
    is_past = match.group("which") not in ("未来", "接下来", "今后", "往后")
    unit = Unit.WEEK if length[1] is Unit.WEEKEND else length[1]
    return Reading((Stretch(-length[0] if is_past else length[0], unit),))


RULES: list[Headed] = [
    rule(NUMERALS, rf"{_LENGTH}{_BEFORE}", _ago),
    rule(NUMERALS, rf"{_LENGTH}{_AFTER}", _ahead),
    rule("再过", rf"(?:再过|过)\s*{_LENGTH}(?!了|得|的)(?:{_AFTER})?", _ahead),
    rule("前后之以的", rf"的?(?P<side>之前|以前|前|之后|以后|后|过后)的?第?{_LENGTH}", _beside),
    rule(
        "最过近未接今往",
        rf"(?P<which>最近|过去|近|未来|接下来|今后|往后)(?:的|这)?{_LENGTH}",
        _stretch,
    ),
]
