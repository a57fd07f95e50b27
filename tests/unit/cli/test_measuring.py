"""The command `perdure eval`."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from perdure.cli.exits import Exit
from perdure.cli.program import status_of

ITEM = {
    "id": "one",
    "lang": "en",
    "reference": "2027-04-14T10:20-05:00",
    "text": "The results arrive next week.",
    "expression": "next week",
    "span": [19, 28],
    "start": "2027-04-20",
    "end": "2027-04-26",
    "precision": "week",
}


@pytest.fixture
def dates(tmp_path: Path) -> str:
    path = tmp_path / "dates.jsonl"
    path.write_text(json.dumps(ITEM), encoding="utf-8")
    return str(path)


def test_it_prints_the_figures(dates: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["eval", "dates", dates]) == Exit.DONE
    printed = capsys.readouterr()
    assert "intervals right" in printed.out
    assert "0/1" in printed.out
    assert "1 went wrong" in printed.err


def test_failures_show_what_was_wanted_and_what_came(
    dates: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["eval", "dates", dates, "--failures"]) == Exit.DONE
    printed = capsys.readouterr().out
    assert "wanted [next week] 2027-04-20" in printed
    assert "came   [next week] 2027-04-19" in printed


@pytest.mark.parametrize("arguments", [["--json"], ["--json", "-"]])
def test_json_takes_the_place_of_the_tables(
    dates: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["eval", "dates", dates, *arguments]) == Exit.DONE
    found = json.loads(capsys.readouterr().out)
    assert found["report"]["headline"] == "intervals right"
    assert found["report"]["failures"][0]["id"] == "one"


def test_the_shared_json_option_before_the_command_is_heeded(
    dates: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["--json", "eval", "dates", dates]) == Exit.DONE
    assert json.loads(capsys.readouterr().out)["path"] == dates


def test_json_and_picture_go_into_files_beside_the_tables(
    dates: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, drawn = tmp_path / "made.json", tmp_path / "drawn.svg"
    arguments = ["eval", "dates", dates, "--json", str(made), "--picture", str(drawn)]
    assert status_of(arguments) == Exit.DONE
    assert "intervals right" in capsys.readouterr().out
    assert json.loads(made.read_text(encoding="utf-8"))["report"]["evaluation"] == "dates"
    assert ElementTree.parse(drawn).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["dates"], Exit.INVALID, "no suite for dates"),
        (["dates", "nowhere.jsonl"], Exit.NOT_FOUND, "no file nowhere.jsonl"),
        (["sorting", "x"], Exit.INVALID, "sorting"),
        (["dates", "{path}", "--rounds", "2"], Exit.INVALID, "rounds"),
        (["dates", "{path}", "--observe"], Exit.INVALID, "consolidation"),
        (["dates", "{path}", "--user", "mei"], Exit.INVALID, "user of its own"),
        (["intents", "{path}"], Exit.INVALID, "line 1"),
        (["dates", "{path}", "--picture", "{path}/x.svg"], Exit.INVALID, "cannot be written"),
    ],
)
def test_a_wrong_call_ends_as_those_of_other_commands(
    arguments: list[str],
    status: Exit,
    message: str,
    dates: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert status_of(["eval", *(part.format(path=dates) for part in arguments)]) == status
    assert message in capsys.readouterr().err


def test_a_damaged_line_is_named_as_json_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "dates.jsonl"
    path.write_text(json.dumps(ITEM) + "\n{broken", encoding="utf-8")
    assert status_of(["eval", "dates", str(path), "--json"]) == Exit.INVALID
    error = json.loads(capsys.readouterr().err)
    assert error["error"] == "InvalidInput"
    assert "line 2" in error["message"]
