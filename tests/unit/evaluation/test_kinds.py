"""Every evaluation runs from a file to a report, on a store that others use too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import perdure
from perdure.errors import InvalidInput
from perdure.evaluation.kinds import EVALUATIONS, OWN_SUITES, evaluate, own_suite
from perdure.evaluation.report import Report
from perdure.evaluation.running import Setting

ITEMS: dict[str, dict[str, Any]] = {
    "consistency": {
        "id": "1",
        "lang": "en",
        "kind": "small_talk",
        "turns": [
            {"role": "user", "content": "Good morning!", "time": "2024-05-06T08:00:00+02:00"}
        ],
        "checks": [{"type": "decision", "turn": 0, "expect": ["none"]}],
    },
    "intents": {
        "id": "1",
        "lang": "en",
        "context": [{"role": "assistant", "content": "Good morning."}],
        "message": "Good morning!",
        "label": "none",
    },
    "dates": {
        "id": "1",
        "lang": "en",
        "reference": "2024-05-06T08:00:00+02:00",
        "text": "Good morning!",
        "expression": None,
        "precision": None,
    },
    "extraction": {
        "id": "1",
        "lang": "en",
        "speaker": "user",
        "message": "Good morning!",
        "facts": [],
    },
    "consolidation": {
        "units": [
            {
                "unit": "u",
                "docs": [{"id": "a", "text": "The Petrel is moored in Oban.", "time": 0}],
                "queries": [{"qid": "1", "text": "Where is the Petrel?", "newest": ["a"]}],
            }
        ]
    },
    "retrieval": {
        "units": [
            {
                "docs": [{"id": "a", "text": "The Petrel is moored in Oban."}],
                "queries": [{"qid": "1", "text": "Where is the Petrel?", "gold": ["a"]}],
            }
        ]
    },
}


def run(name: str, folder: Path, store: str = "memory://", run_: str = "r", **more: Any) -> Report:
    path = folder / f"{name}.jsonl"
    path.write_text(json.dumps(ITEMS[name]), encoding="utf-8")
    setting = Setting(store=store, embedder="hashing", run=run_)
    return evaluate(name, path, setting, **more)


@pytest.mark.parametrize("name", list(EVALUATIONS))
def test_it_runs_and_tells_how_far_it_is(name: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    made = run(name, tmp_path, watch=lambda done, total, _: seen.append((done, total)))
    assert made.evaluation == name
    assert made.headline in made.measures
    assert seen
    assert all(done <= total for done, total in seen)


def test_several_runs_share_a_store_and_leave_others_alone(tmp_path: Path) -> None:
    store = str(tmp_path / "memory.db")
    with perdure.open(store, embedder="hashing") as memory:
        memory.remember("The spare key hangs behind the door.")
    for run_ in ("first", "second"):
        run("consistency", tmp_path, store, run_)
    with perdure.open(store, embedder="hashing") as memory:
        assert memory.count() == 1
        assert memory.count(everything=True) > 1


def test_several_rounds_are_for_consistency(tmp_path: Path) -> None:
    made = run("consistency", tmp_path, rounds=3)
    figure = made.figure(made.headline, language="en")
    assert figure is not None
    assert figure.cases == 1
    with pytest.raises(InvalidInput, match="rounds"):
        run("dates", tmp_path, rounds=2)


def test_a_suite_of_its_own_does_not_come_for_every_evaluation() -> None:
    assert set(EVALUATIONS) >= set(OWN_SUITES)
    with pytest.raises(InvalidInput, match="name a file"):
        own_suite("consolidation")
