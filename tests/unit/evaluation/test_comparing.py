"""Two runs of the same questions, and files that are none."""

from __future__ import annotations

import json

import pytest

from perdure.errors import InvalidInput, NotFound
from perdure.evaluation.comparing import compare, p_of


def a_run(path, values):
    items = [
        {"id": f"q{n}", "unit": "u", "language": "en", "group": "", "values": {"NDCG@10": value}}
        for n, value in enumerate(values)
    ]
    path.write_text(json.dumps({"report": {"headline": "NDCG@10", "items": items}}))
    return path


def test_the_difference_is_that_of_pairs(tmp_path):
    before = a_run(tmp_path / "a.json", [0.0, 0.5, 1.0, 0.5] * 10)
    after = a_run(tmp_path / "b.json", [0.5, 0.5, 1.0, 1.0] * 10)
    report = compare(before, after)
    figure = report.figure("NDCG@10")
    assert figure.value == pytest.approx(0.25)
    assert 0.15 < figure.low < figure.value < figure.high < 0.35
    assert report.notes == ("NDCG@10: +0.2500, p = 0.0001, 20 up, 0 down",)
    assert compare(after, before).figure("NDCG@10").value == pytest.approx(-0.25)


def test_the_probability_by_hand():
    # of 2 ** 3 assignments of signs two have a sum as far from 0 as +3
    assert p_of([1.0, 1.0, 1.0]) == pytest.approx(2 / 8, abs=0.02)
    assert p_of([1.0, -1.0]) == 1.0
    assert p_of([]) == p_of([0.0, 0.0]) == 1.0


def test_other_questions_cannot_be_compared(tmp_path):
    with pytest.raises(InvalidInput, match="u/q2"):
        compare(a_run(tmp_path / "a.json", [1, 1]), a_run(tmp_path / "b.json", [1, 1, 1]))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"report": 1}', '{"report": {"items": [{}]}}'])
def test_a_file_that_is_no_run_is_refused(tmp_path, text):
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"b\.json"):
        compare(a_run(tmp_path / "a.json", [1]), tmp_path / "b.json")
    with pytest.raises(NotFound):
        compare(tmp_path / "none.json", tmp_path / "b.json")
