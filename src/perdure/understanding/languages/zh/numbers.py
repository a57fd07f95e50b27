"""Chinese numbers, in digits and in characters."""

from __future__ import annotations

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2}
_STEPS = {"十": 10, "百": 100, "千": 1000}

NUMBER = r"(?:\d{1,4}|[一二三四五六七八九两十百千零]{1,7})"
"""Any whole number; `number_of` reads it."""
SMALL = r"(?:\d{1,2}|[二三四五]?十[一二三四五六七八九]?|[零〇]?[一二三四五六七八九两])"
"""A number below sixty: a month, a day, an hour, a minute."""


def number_of(text: str) -> int | None:
    """What the number counts; None when the characters make none."""
    if text.isdigit() and text.isascii():
        return int(text)
    if not any(c in _STEPS for c in text):
        return digits_of(text)
    total = 0
    digit: int | None = None
    for character in text:
        if character in _STEPS:
            total += (1 if digit is None else digit) * _STEPS[character]
            digit = None
        elif character in _DIGITS:
            digit = _DIGITS[character]
        else:
            return None
    return total + (digit or 0)


def digits_of(text: str) -> int | None:
    """A number told digit by digit: 二〇一八."""
    try:
        return int("".join(str(_DIGITS.get(c, c)) for c in text))
    except ValueError:
        return None
