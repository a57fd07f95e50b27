from __future__ import annotations

import numpy as np
import pytest

from perdure.embedders.scripted import ScriptedEmbedder
from perdure.errors import InvalidInput
from perdure.ports.blocking import run_now
from perdure.ports.embedder import FloatArray


def rows(embedder: ScriptedEmbedder, *texts: str) -> FloatArray:
    return run_now(embedder.embed(texts, purpose="query"))


def test_a_text_of_the_table_has_its_dictated_direction() -> None:
    embedder = ScriptedEmbedder({"a": [3, 4, 0], "b": (0.0, 0.0, -2.0)})
    assert rows(embedder, "b", "a").tolist() == pytest.approx(np.array([[0, 0, -1], [0.6, 0.8, 0]]))
    assert embedder.model.dimension == 3


def test_dictated_cosines_hold() -> None:
    embedder = ScriptedEmbedder({"query": [1, 0], "near": [0.8, 0.6], "far": [0, 1]})
    query, near, far = rows(embedder, "query", "near", "far")
    assert float(query @ near) == pytest.approx(0.8)
    assert float(query @ far) == pytest.approx(0.0)


def test_an_unscripted_text_always_has_the_same_vector() -> None:
    one, other = (ScriptedEmbedder({"a": np.eye(16)[0]}) for _ in range(2))
    assert np.array_equal(rows(one, "unknown"), rows(other, "unknown"))
    first, second = rows(one, "unknown", "unknown too")
    assert float(first @ second) < 0.9


@pytest.mark.parametrize("dimension", [2, 3, 8, 64])
def test_an_unscripted_text_is_near_no_dictated_one(dimension: int) -> None:
    table = {str(index): row for index, row in enumerate(np.eye(dimension)[:3])}
    embedder = ScriptedEmbedder(table)
    dictated = rows(embedder, *table)
    derived = rows(embedder, *(f"piece {number}" for number in range(50)))
    assert float((derived @ dictated.T).max()) < 0.3


def test_a_default_serves_every_other_text() -> None:
    embedder = ScriptedEmbedder({"a": [1, 0]}, default=[0, 2])
    assert rows(embedder, "b", "a", "c").tolist() == [[0, 1], [1, 0], [0, 1]]


def test_cosines_are_taken_as_they_are() -> None:
    calibration = ScriptedEmbedder({"a": [1, 0]}).model.calibration
    assert calibration.noise is None
    assert calibration.relevance(0.37) == pytest.approx(0.37)


def test_the_name_belongs_to_the_identity() -> None:
    assert ScriptedEmbedder({"a": [1, 0]}, name="other").model.identity == "other@1/2"


@pytest.mark.parametrize(
    "vectors",
    [
        {},
        {"a": []},
        {"a": [0.0, 0.0]},
        {"a": [1.0, float("nan")]},
        {"a": [1.0, float("inf")]},
        {"a": [1, 0], "b": [1, 0, 0]},
        {"a": [[1, 0], [0, 1]]},
    ],
    ids=["empty", "no numbers", "zero", "NaN", "infinite", "other length", "a matrix"],
)
def test_vectors_without_one_common_direction_space_are_refused(
    vectors: dict[str, list[float]],
) -> None:
    with pytest.raises(InvalidInput):
        ScriptedEmbedder(vectors)


def test_a_default_of_another_length_is_refused() -> None:
    with pytest.raises(InvalidInput, match="default"):
        ScriptedEmbedder({"a": [1, 0]}, default=[1, 0, 0])
