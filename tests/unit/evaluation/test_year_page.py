"""The picture and the table of the simulated year say what its figures say."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "build_year.py"


@pytest.fixture(scope="module")
def year():
    spec = importlib.util.spec_from_file_location("build_year", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look up their annotations
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def a_week(day, hot, *, used=7, recalled=10):
    return {
        "day": day, "stored": day * 10, "hot": hot, "recalled": recalled, "used": used,
        "utility": used / recalled if recalled else None,
        "memories": {"compressed": 1, "archived": day * 10 - hot},
        "strength": {"mean": 0.4, "p10": 0.1, "p50": 0.3, "p90": 0.8},
        "store_bytes": 2_000_000, "archive_bytes": 300_000,
    }  # fmt: skip


def a_life(name="ordinary", weeks=((7, 60), (14, 80))):
    return {
        "life": name, "title": "<half>", "days": 14, "per_day": 10, "quota": 100,
        "most_hot": 80, "did": {"archive": 60}, "verify": {"problems": []}, "cpu_s": 3.2,
        "cpu_s_by_call": dict.fromkeys(
            ("remember_many", "recall", "feedback", "restore", "maintain"), 0.5
        ),
        "slowest_upkeep_s": 0.25, "store_bytes": 2_000_000, "archive_bytes": 300_000,
        "store_bytes_per_hot_memory": 25_000, "weeks": [a_week(*item) for item in weeks],
    }  # fmt: skip


def lines_of(picture):
    root = ElementTree.fromstring(picture)
    found = root.iter("{http://www.w3.org/2000/svg}polyline")
    return [element.get("points").split() for element in found]


def test_each_life_has_a_line_for_every_measure(year):
    lines = lines_of(year.picture([a_life(), a_life("knowing")]))
    assert [len(points) for points in lines] == [2] * 10  # three of memories, one of each other
    first, last = (float(point.split(",")[1]) for point in lines[0])
    assert last < first  # more hot memories stand higher


def test_a_week_without_a_recall_has_no_utility(year):
    life = a_life()
    life["weeks"].append(a_week(21, 90, recalled=0, used=0))
    *_, utility = lines_of(year.picture([life]))
    assert len(utility) == 2


def test_the_table_tells_the_figures(year):
    document = {"python": "3", "sqlite": "3", "machine": "m", "embedder": "e", "lives": [a_life()]}
    text = year.table(document)
    assert "| archived after 90 idle days | 60 |" in text
    assert "| store, bytes per hot memory | 25,000 |" in text
    assert "| used of what was recalled, the whole year | 70% |" in text
    assert "| 14 | 140 | 80 | 1 | 60 | 0.400 | 0.100 | 0.800 | 70% | 2 | 0 |" in text


def test_the_cost_is_bytes_times_prices(year):
    # 140 memories: 14,286 bytes each in the store and 2,143 in the archive.
    assert year.cost(a_life()) == pytest.approx(14.2857 * 0.115 + 2.142857 * 0.023, rel=1e-3)


def test_what_is_kept_was_drawn_from_the_kept_figures(year):
    document = json.loads(year.FIGURES.read_text(encoding="utf-8"))
    assert year.PICTURE.read_text(encoding="utf-8") == year.picture(document["lives"])
    assert year.TABLE.read_text(encoding="utf-8") == year.table(document)
