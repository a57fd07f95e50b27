"""The figures of an evaluation as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from perdure.cli.tables import table
from perdure.cli.terminal import printable
from perdure.evaluation.report import ALL, Failure, Report
from perdure.evaluation.statistics import Figure

if TYPE_CHECKING:
    from rich.table import Table


def figure_tables(report: Report) -> Iterator[Table]:
    """Everything together first, the headline on top; then each measure group by group."""
    measures = [report.headline, *(m for m in report.measures if m != report.headline)]
    yield _summary(report, measures)
    for measure in measures:
        groups = [group for group in report.groups(measure) if group != ALL]
        if groups:
            yield _by_group(report, measure, groups)


def _summary(report: Report, measures: Iterable[str]) -> Table:
    numbers = ("Value", "95 %", "Of")
    made = table("What", "Language", *numbers, right=numbers, flexible="What")
    for measure in measures:
        style = "bold" if measure == report.headline else None
        told = measure
        for language in report.languages:
            figure = report.figure(measure, language=language)
            if figure is not None and figure.cases:
                cells = (f"{figure.value:.3f}", _interval(figure), _cases(figure))
                if figure.low is None:
                    cells = (f"{figure.value:g}", "", _cases(figure))
                made.add_row(told, language, *cells, style=style)
                told = ""
        made.add_section()
    return made


def _by_group(report: Report, measure: str, groups: Iterable[str]) -> Table:
    languages = report.languages
    made = table(measure, *languages, right=languages, flexible=measure)
    for group in groups:
        figures = (report.figure(measure, language=each, group=group) for each in languages)
        made.add_row(printable(group), *map(_cell, figures))
    return made


def _cell(figure: Figure | None) -> str:
    """Such as “55/60 0.83–0.96”."""
    if figure is None or not figure.cases:
        return ""
    value = _cases(figure) if figure.hits is not None else f"{figure.value:.3f}"
    return f"{value} {_interval(figure)}"


def _cases(figure: Figure) -> str:
    return str(figure.cases) if figure.hits is None else f"{figure.hits}/{figure.cases}"


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f"{figure.low:.2f}–{figure.high:.2f}"


def failure_table(failures: Iterable[Failure]) -> Table:
    """What went wrong, one below the other."""
    from rich.text import Text

    made = table("Item", "What", flexible="What")
    for failure in failures:
        words = Text(printable(failure.said))
        words.append(f"\nwanted {printable(failure.expected)}", style="green")
        words.append(f"\ncame   {printable(failure.came)}", style="red")
        made.add_row(f"{printable(failure.id)}\n{printable(failure.group)}", words)
        made.add_section()
    return made
