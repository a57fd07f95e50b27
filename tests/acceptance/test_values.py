"""What calls give back are ordinary values: they can be copied, pickled, hashed and written as
JSON, and none of that changes what is stored."""

import copy
import json
import pickle
from dataclasses import asdict

import pytest

import perdure
from perdure.testing import HashingEmbedder


@pytest.fixture
def hit():
    with perdure.open("memory://", embedder=HashingEmbedder(64)) as memory:
        memory.remember("The kiln is on the ground floor.", metadata={"tags": ["a"], "n": 1})
        return memory.recall("where is the kiln")[0]


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_results_can_be_copied_and_pickled(hit, again):
    assert again(hit) == hit


def test_a_memory_can_be_written_as_json(hit):
    assert json.loads(json.dumps(hit.memory.metadata)) == {"tags": ["a"], "n": 1}
    assert asdict(hit.memory)["metadata"] == {"tags": ["a"], "n": 1}


def test_memories_can_be_kept_in_a_set(hit):
    assert len({hit.memory, copy.deepcopy(hit.memory)}) == 1


def test_metadata_cannot_be_changed_in_place(hit):
    for change in (
        lambda it: it.__setitem__("n", 2),
        lambda it: it.update(n=2),
        lambda it: it.pop("n"),
        lambda it: it.clear(),
        lambda it: it.setdefault("m", 1),
    ):
        with pytest.raises(TypeError, match="update"):
            change(hit.memory.metadata)
    assert hit.memory.metadata["n"] == 1
