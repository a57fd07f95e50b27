"""English words for times, and what they stand for."""

from __future__ import annotations

from datetime import date, timedelta

from perdure.understanding.times.holidays import (
    DOUBLE_NINTH,
    DRAGON_BOAT,
    LANTERN_FESTIVAL,
    MID_AUTUMN,
    SPRING_FESTIVAL,
    easter,
    fixed,
    nth_weekday,
)
from perdure.understanding.times.pieces import Holiday
from perdure.understanding.times.terms import DayPart, Part, Unit, Which

WEEKDAYS = {
    name: n
    for n, names in enumerate(
        (
            "monday mon",
            "tuesday tues tue",
            "wednesday weds wed",
            "thursday thurs thur thu",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
FULL_WEEKDAYS = {name for name in WEEKDAYS if name.endswith("day")}

MONTHS = {
    name: n
    for n, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
PLAIN_MONTHS = {"january", "february", "july", "september", "october", "november", "december"}
"""Months whose names are hardly anything else; the others need a word beside them that shows it."""

SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}

WHICH = {
    "last": Which.LAST,
    "past": Which.LAST,
    "previous": Which.LAST,
    "this": Which.THIS,
    "this past": Which.LAST,
    "this coming": Which.NEXT,
    "next": Which.NEXT,
    "the coming": Which.NEXT,
}

UNITS = {
    "minute": Unit.MINUTE,
    "min": Unit.MINUTE,
    "hour": Unit.HOUR,
    "hr": Unit.HOUR,
    "day": Unit.DAY,
    "night": Unit.DAY,
    "week": Unit.WEEK,
    "fortnight": Unit.WEEK,
    "weekend": Unit.WEEKEND,
    "month": Unit.MONTH,
    "year": Unit.YEAR,
    "decade": Unit.YEAR,
}
MULTIPLES = {"fortnight": 2, "decade": 10}

PARTS = {
    "early": Part.BEGINNING,
    "beginning": Part.BEGINNING,
    "start": Part.BEGINNING,
    "mid": Part.MIDDLE,
    "middle": Part.MIDDLE,
    "late": Part.END,
    "end": Part.END,
    "close": Part.END,
    "tail end": Part.END,
}

DAY_PARTS = {
    "small hours": DayPart.SMALL_HOURS,
    "early hours": DayPart.SMALL_HOURS,
    "early morning": DayPart.SMALL_HOURS,
    "morning": DayPart.MORNING,
    "lunchtime": DayPart.NOON,
    "afternoon": DayPart.AFTERNOON,
    "dusk": DayPart.DUSK,
    "evening": DayPart.EVENING,
    "night": DayPart.NIGHT,
}


def _thanksgiving(year: int) -> date:
    """The fourth Thursday of November."""
    return date(year, 11, 22 + (3 - date(year, 11, 1).weekday()) % 7)


HOLIDAYS: dict[str, Holiday] = {
    "new year's day": fixed(1, 1),
    "new year's eve": fixed(12, 31),
    "new year's": fixed(1, 1),
    "epiphany": fixed(1, 6),
    "groundhog day": fixed(2, 2),
    "valentine's day": fixed(2, 14),
    "valentine's": fixed(2, 14),
    "international women's day": fixed(3, 8),
    "women's day": fixed(3, 8),
    "st patrick's day": fixed(3, 17),
    "st. patrick's day": fixed(3, 17),
    "april fools' day": fixed(4, 1),
    "april fool's day": fixed(4, 1),
    "april fools": fixed(4, 1),
    "st george's day": fixed(4, 23),
    "earth day": fixed(4, 22),
    "may day": fixed(5, 1),
    "cinco de mayo": fixed(5, 5),
    "juneteenth": fixed(6, 19),
    "canada day": fixed(7, 1),
    "independence day": fixed(7, 4),
    "bastille day": fixed(7, 14),
    "halloween": fixed(10, 31),
    "hallowe'en": fixed(10, 31),
    "all saints' day": fixed(11, 1),
    "all souls' day": fixed(11, 2),
    "bonfire night": fixed(11, 5),
    "guy fawkes night": fixed(11, 5),
    "veterans day": fixed(11, 11),
    "remembrance day": fixed(11, 11),
    "armistice day": fixed(11, 11),
    "thanksgiving": Holiday(_thanksgiving),
    "thanksgiving day": Holiday(_thanksgiving),
    "black friday": Holiday(lambda year: _thanksgiving(year) + timedelta(days=1)),
    "labor day": nth_weekday(9, 0, 1),
    "christmas eve": fixed(12, 24),
    "christmas day": fixed(12, 25),
    "christmas": fixed(12, 25),
    "xmas": fixed(12, 25),
    "boxing day": fixed(12, 26),
    "good friday": easter(-2),
    "easter sunday": easter(),
    "easter monday": easter(1),
    "easter": easter(),
    "chinese new year": SPRING_FESTIVAL,
    "lunar new year": SPRING_FESTIVAL,
    "spring festival": SPRING_FESTIVAL,
    "lantern festival": LANTERN_FESTIVAL,
    "dragon boat festival": DRAGON_BOAT,
    "mid-autumn festival": MID_AUTUMN,
    "double ninth festival": DOUBLE_NINTH,
}
