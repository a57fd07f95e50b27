"""Searching by words and by meaning at once is not worse than by one of them alone."""

from __future__ import annotations

import pytest

from perdure.evaluation.kinds import own_suite
from perdure.evaluation.retrieval.arms import JOINED, VECTORS, WORDS
from perdure.evaluation.retrieval.running import evaluate
from perdure.evaluation.retrieval.scoring import named
from perdure.evaluation.retrieval.units import read_units
from perdure.evaluation.running import Setting


@pytest.fixture(scope="module")
def report():
    return evaluate(read_units(own_suite("retrieval").read_bytes()), Setting())


@pytest.mark.parametrize("metric", ["NDCG@10", "recall@5"])
@pytest.mark.parametrize("arm", [WORDS, VECTORS, JOINED])
def test_the_default_is_at_least_as_good_as_each_arm_of_it(report, metric, arm):
    default, alone = report.figure(metric), report.figure(named(metric, arm))
    assert default.value >= alone.value > 0


def test_memories_are_found_across_the_two_languages(report):
    groups = ("en, stored in zh", "zh, stored in en")
    found = [report.figure("recall@5", group=group) for group in groups]
    assert [figure.cases for figure in found] == [32, 32]
    assert sum(figure.value for figure in found) / 2 >= 0.8
