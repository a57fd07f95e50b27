"""Whether the newest of conflicting statements comes first."""

from __future__ import annotations

import gzip
import json

import pytest

from perdure.errors import InvalidInput
from perdure.evaluation.consolidation.running import evaluate
from perdure.evaluation.consolidation.scoring import (
    FIRST,
    HEADLINE,
    STALE_FIRST,
    Asked,
    figures,
    report,
)
from perdure.evaluation.consolidation.units import Question, read_units
from perdure.evaluation.running import Setting

FILE = {
    "meta": {"lang": "en"},
    "units": [
        {
            "unit": "boats",
            "docs": [
                {"id": "a", "text": "The Petrel is moored in Oban.", "time": 0, "session": "s"},
                {"id": "b", "text": "The Dunlin is moored in Leith.", "time": 1, "speaker": "Ann"},
            ],
            "queries": [
                {"qid": "1", "text": "Where is the Petrel moored?", "newest": ["a"], "stale": []}
            ],
        }
    ],
}


def asked(came: str, *, newest: str = "n", stale: str = "s") -> Asked:
    question = Question(id="q", text="?", newest=frozenset(newest), stale=frozenset(stale))
    return Asked(unit="u", language="en", question=question, came=tuple(came))


@pytest.mark.parametrize(
    ("came", "first"),
    [("ns", False), ("sn", True), ("xs", True), ("xx", None), ("x" * 10 + "s", None)],
)
def test_a_stale_statement_ranks_first_when_it_comes_before_every_newest(
    came: str, first: bool | None
) -> None:
    assert asked(came).ranks_stale_first is first


def test_the_share_of_stale_first_is_of_questions_where_either_came() -> None:
    made = figures([asked("ns"), asked("sn"), asked("x"), asked("xxxxxn")])
    assert (made[STALE_FIRST].hits, made[STALE_FIRST].cases) == (1, 3)
    assert (made[HEADLINE].hits, made[HEADLINE].cases) == (2, 4)
    assert made[FIRST].hits == 1


def test_a_failure_is_a_newest_too_late_or_a_stale_too_early() -> None:
    assert [f.came for f in report([asked("ns"), asked("sn"), asked("xxxxxn")]).failures] == [
        "s n",
        "x x x x x n",
    ]


@pytest.mark.parametrize("observes", [False, True])
def test_it_runs_through_the_public_calls(observes: bool) -> None:
    units = read_units(gzip.compress(json.dumps(FILE).encode()))
    made = evaluate(units, Setting(embedder="hashing", observes=observes))
    figure = made.figure(FIRST, language="en", group="boats")
    assert figure is not None
    assert figure.value == 1.0


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\x1f\x8bbroken", "holds no units"),
        (b"[]", "not a JSON object"),
        (b"{}", 'no "units"'),
        (b'{"units": []}', "holds no units"),
        (b'{"units": [{"unit": "u"}]}', 'unit 1: something has no "docs"'),
        (b'{"units": [{"unit": 3}]}', 'unit 1: "unit" is not text'),
    ],
)
def test_a_file_of_another_format_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_units(raw)
    assert message in str(raised.value)
