"""Write docs/year.svg and benchmarks/results/year.md out of benchmarks/results/year.json.

python -m benchmarks.year          # lives the year and keeps its figures: some minutes
python scripts/build_year.py       # draws them
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "benchmarks" / "results" / "year.json"
TABLE = ROOT / "benchmarks" / "results" / "year.md"
PICTURE = ROOT / "docs" / "year.svg"

BLUE, RED, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#7f7f7f"
"""Told apart also by the colour-blind (Okabe and Ito, 2008)."""
INK, FAINT = "#222222", "#dddddd"
WIDTH, HEIGHT = 380, 150
LEFT, TOP, ACROSS, DOWN, RIGHT = 58, 74, 46, 46, 100
MONTH_DAYS = 30.4
TARGET = 0.6
TICKS = 5
USD_PER_GB_MONTH = {"hot": 0.115, "archive": 0.023}
"""What disks of a managed database and an object store cost a month in the lists of the large
providers (2025), for a decimal gigabyte."""

Week = Mapping[str, Any]
Life = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One curve of a panel: its name, colour, and what it shows of a week (None: nothing)."""

    name: str
    colour: str
    of: Callable[[Week], float | None]
    dashes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One row of the picture. `band` is drawn behind, from its first to its second value; `level` is
    what a dashed line marks, the life's quota or the target."""

    title: str
    most: float
    ticks: Sequence[float]
    lines: Sequence[Line]
    band: tuple[Callable[[Week], float], Callable[[Week], float]] | None = None
    level: str | None = None


def main() -> None:
    """Draw and tabulate the figures that are kept."""
    document = json.loads(FIGURES.read_text(encoding="utf-8"))
    PICTURE.write_text(picture(document["lives"]), encoding="utf-8")
    TABLE.write_text(table(document), encoding="utf-8")


def panels(life: Life) -> tuple[Panel, ...]:
    """Store size, strength and utility."""
    largest = max(life["quota"], *(week["memories"]["archived"] for week in life["weeks"]))
    step = next(step for step in _round_numbers() if step * TICKS >= 1.08 * largest)
    most = -(-int(1.08 * largest) // step) * step
    return (
        Panel(
            title="Memories", most=most, ticks=range(0, most + 1, step), level="quota",
            lines=(
                Line(name="hot", colour=BLUE, of=lambda week: week["hot"]),
                Line(name="archived", colour=RED, of=lambda week: week["memories"]["archived"]),
                Line(
                    name="stored in all", colour=GREY, dashes="2 3", of=lambda week: week["stored"]
                ),
            ),
        ),
        Panel(
            title="Strength of the hot ones", most=1.0, ticks=(0, 0.25, 0.5, 0.75, 1),
            lines=(Line(name="mean", colour=BLUE, of=lambda week: week["strength"]["mean"]),),
            band=(lambda week: week["strength"]["p10"], lambda week: week["strength"]["p90"]),
        ),
        Panel(
            title="Used of what was recalled", most=1.0, ticks=(0, 0.25, 0.5, 0.75, 1),
            level="target",
            lines=(Line(name="by week", colour=GREEN, of=lambda week: week["utility"]),),
        ),
    )  # fmt: skip


def _round_numbers() -> Iterator[int]:
    for power in count():
        yield from (factor * 10**power for factor in (1, 2, 5))


def picture(lives: Sequence[Life]) -> str:
    """The year as an SVG document: a column for each life, a row for each panel."""
    rows = len(panels(lives[0]))
    width = LEFT + len(lives) * WIDTH + (len(lives) - 1) * ACROSS + RIGHT
    height = TOP + rows * (HEIGHT + DOWN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(LEFT, 24, f"{lives[0]['per_day']} memories a day", size=15, bold=True),
    ]
    for column, life in enumerate(lives):
        x = LEFT + column * (WIDTH + ACROSS)
        parts.append(_text(x, 46, _heading(life)))
        for row, panel in enumerate(panels(life)):
            y = TOP + row * (HEIGHT + DOWN)
            parts += _panel(panel, life, x, y, is_last=column == len(lives) - 1)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _heading(life: Life) -> str:
    name, title = life["life"].capitalize(), life["title"]
    return f"{name}, {life['days']} days: {title}"


def _panel(panel: Panel, life: Life, x: float, y: float, *, is_last: bool) -> Iterator[str]:
    weeks, days = life["weeks"], life["days"]

    def at(day: float, value: float) -> str:
        return f"{x + WIDTH * day / days:.1f},{y + HEIGHT * (1 - min(value / panel.most, 1)):.1f}"

    yield _text(x, y - 6, panel.title, size=11, bold=True)
    for tick in panel.ticks:
        level = y + HEIGHT * (1 - tick / panel.most)
        yield f'<line x1="{x}" y1="{level:.1f}" x2="{x + WIDTH}" y2="{level:.1f}" stroke="{FAINT}"/>'
        yield _text(x - 6, level + 4, f"{tick:,}", anchor="end", size=10)
    for month in range(0, int(days / MONTH_DAYS) + 1, 3 if days > 180 else 1):
        yield _text(
            x + WIDTH * month * MONTH_DAYS / days, y + HEIGHT + 14, f"month {month}",
            anchor="middle", size=10,
        )  # fmt: skip
    if panel.band is not None:
        low, high = panel.band
        edge = [at(week["day"], high(week)) for week in weeks]
        edge += [at(week["day"], low(week)) for week in reversed(weeks)]
        yield f'<polygon points="{" ".join(edge)}" fill="{BLUE}" fill-opacity="0.15"/>'
    if panel.level is not None:
        value = life["quota"] if panel.level == "quota" else TARGET
        level = y + HEIGHT * (1 - value / panel.most)
        yield (
            f'<line x1="{x}" y1="{level:.1f}" x2="{x + WIDTH}" y2="{level:.1f}" stroke="{INK}" '
            'stroke-dasharray="6 4"/>'
        )
        if is_last:
            yield _text(x + WIDTH + 6, level + 4, panel.level, size=10)
    yield from _lines(panel, weeks, at)
    if is_last:
        yield from _legend(panel, x + WIDTH + 6, y + HEIGHT)


def _lines(panel: Panel, weeks: Sequence[Week], at: Callable[[float, float], str]) -> Iterator[str]:
    for line in panel.lines:
        points = [
            at(week["day"], value) for week in weeks if (value := line.of(week)) is not None
        ]  # fmt: skip
        dashes = f' stroke-dasharray="{line.dashes}"' if line.dashes else ""
        yield (
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{line.colour}" '
            f'stroke-width="2"{dashes}/>'
        )


def _legend(panel: Panel, x: float, bottom: float) -> Iterator[str]:
    """Names beside the panel, from the bottom up."""
    names = [(line.name, line.colour) for line in panel.lines]
    if panel.band is not None:
        names.append(("10 to 90 %", BLUE))
    for place, (name, colour) in enumerate(reversed(names)):
        y = bottom - 4 - 15 * place
        yield f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
        yield _text(x + 14, y, name, size=10)


def _text(
    x: float, y: float, words: str, *, anchor: str = "start", size: int = 12, bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{weight}>'
        f"{escape(words)}</text>"
    )


def table(document: Mapping[str, Any]) -> str:
    """The year as a page of Markdown."""
    lives = document["lives"]
    lines = [
        "<!-- Written by scripts/build_year.py; change that. -->",
        "# A year of memories",
        "",
        "What the figures mean and how they are made stands in `benchmarks/year.py`; the picture is",
        "[docs/year.svg](../../docs/year.svg).",
        "",
        f"Python {document['python']}, SQLite {document['sqlite']}, {document['machine']}, "
        f"{document['embedder']}.",
        "",
        _row(["", *(_heading(life) for life in lives)]),
        _row(["---"] + ["---:"] * len(lives)),
        *(_row([name, *(of(life) for life in lives)]) for name, of in FACTS),
    ]
    for life in lives:
        lines += ["", f"## {_heading(life)}", "", *_monthly(life)]
    return "\n".join(lines) + "\n"


FACTS: tuple[tuple[str, Callable[[Life], str]], ...] = (
    ("memories stored", lambda life: f"{life['weeks'][-1]['stored']:,}"),
    ("quota", lambda life: f"{life['quota']:,}"),
    ("most hot at once, at a week's end", lambda life: f"{life['most_hot']:,}"),
    ("compressed", lambda life: f"{life['did'].get('compress', 0):,}"),
    ("archived after 90 idle days", lambda life: f"{life['did'].get('archive', 0):,}"),
    ("evicted", lambda life: f"{life['did'].get('evict', 0):,}"),
    ("brought back", lambda life: f"{life['did'].get('restore', 0):,}"),
    ("problems that `verify` found at the end", lambda life: str(len(life["verify"]["problems"]))),
    ("used of what was recalled, the whole year", lambda life: f"{_utility(life):.0%}"),
    ("CPU of the year, s", lambda life: f"{life['cpu_s']:.0f}"),
    *(
        (f"of it `{name}`, s", lambda life, name=name: f"{life['cpu_s_by_call'][name]:.1f}")
        for name in ("remember_many", "recall", "feedback", "restore", "maintain")
    ),
    ("longest nightly upkeep, s CPU", lambda life: f"{life['slowest_upkeep_s']:.2f}"),
    ("store at the end, MB", lambda life: f"{life['store_bytes'] / 1e6:.0f}"),
    ("archive at the end, MB", lambda life: f"{life['archive_bytes'] / 1e6:.0f}"),
    ("store, bytes per hot memory", lambda life: f"{life['store_bytes_per_hot_memory']:,}"),
    ("store, bytes per memory of the year", lambda life: f"{_each(life, 'store_bytes'):,.0f}"),
    ("archive, bytes per memory of the year", lambda life: f"{_each(life, 'archive_bytes'):,.0f}"),
    ("USD a month for a million memories, storage", lambda life: f"{cost(life):.2f}"),
)


def cost(life: Life) -> float:
    """What keeping a million memories costs a month when they are spread as here: bytes times the
    price of each place. Storage alone: no processor, no replicas, no requests."""
    places = {"hot": "store_bytes", "archive": "archive_bytes"}
    return sum(USD_PER_GB_MONTH[place] * _each(life, key) / 1e3 for place, key in places.items())


def _each(life: Life, key: str) -> float:
    bytes_: int = life[key]
    return bytes_ / int(life["weeks"][-1]["stored"])


def _utility(life: Life) -> float:
    recalled = sum(week["recalled"] for week in life["weeks"])
    return float(sum(week["used"] for week in life["weeks"]) / max(1, recalled))


def _monthly(life: Life) -> Iterator[str]:
    yield _row(["day", "stored", "hot", "compressed", "archived", "strength: mean", "10 %", "90 %",
                "used", "store, MB", "archive, MB"])  # fmt: skip
    yield _row(["---:"] * 11)
    for week in _every_fourth(life["weeks"]):
        strength, utility = week["strength"], week["utility"]
        yield _row([
            str(week["day"]), f"{week['stored']:,}", f"{week['hot']:,}",
            f"{week['memories']['compressed']:,}", f"{week['memories']['archived']:,}",
            f"{strength['mean']:.3f}", f"{strength['p10']:.3f}", f"{strength['p90']:.3f}",
            "" if utility is None else f"{utility:.0%}",
            f"{week['store_bytes'] / 1e6:.0f}", f"{week['archive_bytes'] / 1e6:.0f}",
        ])  # fmt: skip


def _every_fourth(weeks: Sequence[Week]) -> list[Week]:
    chosen = list(weeks[3::4])
    return chosen if chosen and chosen[-1] is weeks[-1] else [*chosen, weeks[-1]]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
