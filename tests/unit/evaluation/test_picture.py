"""A report as a picture."""

from __future__ import annotations

from xml.etree import ElementTree

from perdure.evaluation.picture import picture, rows_of
from perdure.evaluation.report import Entry, Report, languages_of
from perdure.evaluation.statistics import count, share


def a_report(by_group: str | None) -> Report:
    entries = [
        Entry(measure="passed", language=language, group=group, figure=share(3, 4))
        for language in ("en", "zh", "all")
        for group in ("all", "a < b", "c")
    ]
    entries.append(Entry(measure="wrong", language="en", figure=count(2, 4)))
    entries.append(Entry(measure="of nothing", language="en", figure=share(0, 0)))
    return Report(
        evaluation="consistency", headline="passed", by_group=by_group, entries=tuple(entries)
    )


def test_it_is_well_formed_and_shows_every_group() -> None:
    root = ElementTree.fromstring(picture(a_report("passed")))
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a < b", "c", "passed", "en", "zh", "all"} <= set(words)
    assert words.count("0.750  3/4") == 9


def test_without_groups_the_measures_that_have_an_interval_are_drawn() -> None:
    assert [row.name for row in rows_of(a_report(None))] == ["passed"]


def test_several_languages_get_a_column_of_all() -> None:
    assert languages_of(["zh", "en", "zh"]) == ("en", "zh", "all")
    assert languages_of(["zh"]) == ("zh",)
