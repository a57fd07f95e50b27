"""Searching by words and by meaning at once is never worse than by one of them alone."""

from __future__ import annotations

import pytest

from perdure.evaluation.kinds import own_suite
from perdure.evaluation.retrieval.arms import VECTORS, WORDS
from perdure.evaluation.retrieval.running import evaluate
from perdure.evaluation.retrieval.scoring import named
from perdure.evaluation.retrieval.units import read_units
from perdure.evaluation.running import Setting


@pytest.fixture(scope="module")
def report():
    return evaluate(read_units(own_suite("retrieval").read_bytes()), Setting())


@pytest.mark.parametrize("metric", ["NDCG@10", "recall@5"])
@pytest.mark.parametrize("language", ["en", "zh", "all"])
@pytest.mark.parametrize("arm", [WORDS, VECTORS])
def test_the_default_is_at_least_as_good_as_an_arm_of_it(report, metric, language, arm):
    default = report.figure(metric, language=language)
    alone = report.figure(named(metric, arm), language=language)
    assert default.value >= alone.value


@pytest.mark.parametrize("direction", ["en, stored in zh", "zh, stored in en"])
def test_memories_are_found_across_the_two_languages(report, direction):
    language = direction[:2]
    assert report.figure("recall@5", language=language, group=direction).value >= 0.8
