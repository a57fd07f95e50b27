"""Write src/perdure/understanding/times/lunar_festivals.py: when lunar festivals fall.

Needs the `borax` package (MIT), whose calendar covers 1900 to 2100. Only the resulting dates are kept.
"""

from pathlib import Path

from borax.calendars.lunardate import LunarDate

FIRST, LAST = 1990, 2060
FESTIVALS = {
    "SPRING_FESTIVAL": (1, 1, "the first day of the lunar year"),
    "LANTERN_FESTIVAL": (1, 15, "the fifteenth day of the first month"),
    "DRAGON_BOAT": (5, 5, "the fifth day of the fifth month"),
    "QIXI": (7, 7, "the seventh day of the seventh month"),
    "MID_AUTUMN": (8, 15, "the fifteenth day of the eighth month"),
    "DOUBLE_NINTH": (9, 9, "the ninth day of the ninth month"),
}

lines = [
    '"""When lunar festivals fall, as month * 100 + day, 1990 to 2060.',
    "",
    "Written by scripts/build_lunar_festivals.py from the calendar of the borax package (MIT).",
    '"""',
    "",
    "# fmt: off",
    f"FIRST_YEAR = {FIRST}",
]
for name, (month, day, meaning) in FESTIVALS.items():
    dates = [LunarDate(year, month, day).to_solar_date() for year in range(FIRST, LAST + 1)]
    assert [d.year for d in dates] == list(range(FIRST, LAST + 1))
    numbers = [str(d.month * 100 + d.day) for d in dates]
    rows = [", ".join(numbers[i : i + 15]) + "," for i in range(0, len(numbers), 15)]
    body = "\n".join(f"    {row}" for row in rows)
    lines += ["", f"# {meaning[0].upper()}{meaning[1:]}.", f"{name} = (", body, ")"]

target = Path(__file__).parent.parent / "src" / "perdure" / "understanding" / "times"
(target / "lunar_festivals.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
