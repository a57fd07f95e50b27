"""Whether the whole is at least as good as its best part."""

from __future__ import annotations

import pytest

from perdure.evaluation.retrieval.lead import lead_of, told

STRATA = ["a"] * 4


def test_the_default_is_held_against_the_better_arm():
    arms = {"words": [0.5, 0.5, 0.0, 0.0], "vectors": [1.0, 0.5, 0.0, 0.5]}
    [lead] = lead_of("en", [1.0, 1.0, 0.0, 0.5], arms, STRATA)
    assert (lead.arm, lead.alone, lead.together, lead.holds) == ("vectors", 0.5, 0.625, True)
    assert lead.figure.value == pytest.approx(0.125)
    assert told(lead, "NDCG@10").startswith("en: not below its best arm: NDCG@10 0.625")


@pytest.mark.parametrize(
    ("mine", "words", "verdict"),
    [
        ([0.1, 0.2, 0.1, 0.2], [0.9, 0.8, 0.9, 0.8], "zh: BELOW ITS BEST ARM: "),
        ([0.1, 0.9, 0.5, 0.5], [0.9, 0.2, 0.5, 0.5], "zh: BELOW ITS BEST ARM, though within chance: "),
    ],
)  # fmt: skip
def test_falling_behind_is_said_aloud(mine, words, verdict):
    [lead] = lead_of("zh", mine, {"words": words}, STRATA)
    assert not lead.holds
    assert told(lead, "NDCG@10").startswith(verdict)


def test_without_arms_there_is_nothing_to_be_ahead_of():
    assert list(lead_of("en", [1.0], {}, ["a"])) == []
    assert list(lead_of("en", [], {"words": []}, [])) == []
