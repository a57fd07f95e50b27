"""A report as a picture: bars with their intervals, as SVG text that needs no library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from perdure.evaluation.report import ALL, Report
from perdure.evaluation.statistics import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Told apart also by the colour-blind (Okabe and Ito, 2008)."""
GREY = "#7f7f7f"
INK = "#222222"
FAINT = "#dddddd"

BAR, GAP, ROW_GAP = 9, 2, 9
LABELS, WIDTH, VALUES = 210, 440, 150
TOP, BOTTOM, MARGIN = 62, 34, 16
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the chart: a name, and a figure per language."""

    name: str
    figures: tuple[tuple[str, Figure], ...]


def picture(report: Report) -> str:
    """The report as an SVG document."""
    rows = rows_of(report)
    colours = dict(zip((x for x in report.languages if x != ALL), COLOURS, strict=False))
    height = TOP + sum(map(_height, rows)) + BOTTOM
    width = MARGIN + LABELS + WIDTH + VALUES
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(MARGIN, 24, title(report), size=15, weight="bold"),
        *_legend(report.languages, colours),
        *_axis(height),
        *_bars(rows, colours),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def title(report: Report) -> str:
    """What was evaluated, and what is drawn."""
    drawn = report.by_group or "all measures"
    return f"{report.evaluation}: {drawn}, with 95 % intervals"


def rows_of(report: Report) -> list[Row]:
    """What is drawn: one measure group by group, or every measure that has an interval."""
    if report.by_group is None:
        named = [(measure, measure, ALL) for measure in report.measures]
    else:
        groups = report.groups(report.by_group)
        beside = f"{report.headline}, "  # the same measure of a simpler way
        named = [(report.headline, report.headline, ALL)]
        named += [(name, name, ALL) for name in report.measures if name.startswith(beside)]
        named += [(group, report.by_group, group) for group in groups if group != ALL]
    rows = []
    for name, measure, group in named:
        figures = [
            (language, figure)
            for language in report.languages
            if (figure := report.figure(measure, language=language, group=group)) is not None
            and figure.low is not None
            and figure.cases
        ]
        if figures:
            rows.append(Row(name=name, figures=tuple(figures)))
    return rows


def _height(row: Row) -> int:
    return len(row.figures) * (BAR + GAP) + ROW_GAP


def _x(value: float) -> float:
    return MARGIN + LABELS + WIDTH * min(max(value, 0.0), 1.0)


def _text(
    x: float, y: float, words: str, *, anchor: str = "start", size: int = 12, weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}">{escape(words)}</text>'
    )


def _legend(languages: Sequence[str], colours: dict[str, str]) -> Iterator[str]:
    x = float(MARGIN + LABELS)
    for language in languages:
        yield f'<rect x="{x}" y="36" width="10" height="10" fill="{colours.get(language, GREY)}"/>'
        yield _text(x + 14, 45, language)
        x += 40 + 6 * len(language)


def _axis(height: int) -> Iterator[str]:
    for tick in TICKS:
        x = _x(tick)
        yield (f'<line x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{height - BOTTOM}" stroke="{FAINT}"/>')
        yield _text(x, height - BOTTOM + 16, f"{tick:g}", anchor="middle", size=11)


def _bars(rows: Sequence[Row], colours: dict[str, str]) -> Iterator[str]:
    y = TOP
    for row in rows:
        middle = y + (len(row.figures) * (BAR + GAP)) / 2
        yield _text(MARGIN + LABELS - 8, middle + 3, row.name, anchor="end")
        for language, figure in row.figures:
            yield from _bar(y, figure, colours.get(language, GREY))
            y += BAR + GAP
        y += ROW_GAP


def _bar(y: int, figure: Figure, colour: str) -> Iterator[str]:
    length = _x(figure.value) - _x(0)
    middle = y + BAR / 2
    low, high = _x(figure.low or 0.0), _x(1.0 if figure.high is None else figure.high)
    yield (
        f'<rect x="{_x(0)}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{colour}" '
        'fill-opacity="0.75"/>'
    )
    yield (f'<line x1="{low:.1f}" y1="{middle}" x2="{high:.1f}" y2="{middle}" stroke="{INK}"/>')
    told = f"{figure.value:.3f}"
    if figure.hits is not None:
        told += f"  {figure.hits}/{figure.cases}"
    yield _text(_x(1) + 8, middle + 4, told, size=10)
