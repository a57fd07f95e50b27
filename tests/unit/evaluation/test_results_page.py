"""The page of results is made from runs, and nothing is claimed that no run says."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from perdure.cli.plain import plain
from perdure.evaluation.picture import picture
from perdure.evaluation.retrieval.running import evaluate
from perdure.evaluation.running import Setting
from tests.unit.evaluation.asking import pottery

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "build_results.py"


@pytest.fixture(scope="module")
def results():
    spec = importlib.util.spec_from_file_location("build_results", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def run():
    report = evaluate(pottery(), Setting(embedder="off"))
    return json.loads(json.dumps({"seconds": 1.5, "report": plain(report)}))


def test_a_run_becomes_a_page(results, run):
    page = results.page({"locomo": run})
    assert "| as it ships | 1.000 (1.000 to 1.000) |" in page
    assert "| **Perdure as it ships** | 1.000 (1.000 to 1.000) |" in page
    assert page.index("**Perdure as it ships**") < page.index("best of 89")  # by figure
    assert "sentence vectors alone" not in page  # no embedder, no such arm
    assert "## Chinese" not in page


def test_its_picture_shows_each_way_of_asking(results, run):
    root = ElementTree.fromstring(picture(results.drawn({"cmrc": run})))
    words = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"default", "words", "newest", "CMRC, Chinese sentences"} <= words


def test_runs_that_are_there_are_kept(results, run, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "drcd_x.json.gz").write_bytes(b"")
    for name in ("drcd", results.OWN):
        (tmp_path / "runs" / f"{name}.json").write_text(json.dumps(run))
    found = results.measured(tmp_path, tmp_path / "runs", keep=True)
    assert list(found) == ["drcd", results.OWN]
