"""Messages of the library as the shell tells them: no calls, no parameters, but what to type."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from perdure.cli.program import program, status_of
from perdure.cli.wording import flags_of, in_shell_words

PYTHON = re.compile(r"\w+\([^)]*\)|\w+=(?:True|False|…)|settings\.|min_score|max_tokens|valid_from")


def told(capsys: pytest.CaptureFixture[str], store: Path, *arguments: str) -> str:
    """What a refused command says."""
    status = status_of(["--store", str(store), "--embedder", "hashing", *arguments])
    captured = capsys.readouterr()
    assert status not in (0, 70), captured.out
    return captured.err + captured.out


@pytest.fixture
def store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "memory.db"
    words = "The kiln is repaired on Friday."
    assert status_of(["--store", str(path), "--embedder", "hashing", "remember", words]) == 0
    capsys.readouterr()
    return path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["recall", "x", "--limit", "0"], "--limit must be at least 1"),
        (["recall", "x", "--min-score", "5"], "--min-score must lie"),
        (["recall", "x", "--as-of", "then"], "--as-of: 'then'"),
        (["recall", "x", "--since", "then"], "--since: 'then'"),
        (["recall", ""], "`perdure list`"),
        (["list", "--cursor", "abc"], "`perdure list` gave"),
        (["list", "--user", ""], "--user is empty"),
        (["context", "x", "--max-tokens", "0"], "--max-tokens must be"),
        (["remember", "x", "--importance", "3"], "--importance must be"),
        (
            ["remember", "x", "--valid-from", "2025-01-02", "--valid-to", "2025-01-01"],
            "must lie after --valid-from",
        ),
        (["forget", "--all", "--yes"], "needs --user, --agent or --session; pass --everything"),
        (["erase", "--all", "--yes"], "--all with --user"),
        (["stats", "--everything", "--user", "ilka"], "leave --user, --agent and --session out"),
    ],
)
def test_a_refusal_names_flags(
    capsys: pytest.CaptureFixture[str], store: Path, arguments: list[str], expected: str
) -> None:
    message = told(capsys, store, *arguments)
    assert expected in message
    assert not PYTHON.search(message)


def test_what_is_gone_is_brought_back_by_a_command(
    capsys: pytest.CaptureFixture[str], store: Path
) -> None:
    def run(*arguments: str) -> str:
        assert status_of(["--store", str(store), "--embedder", "hashing", *arguments]) == 0
        return capsys.readouterr().out

    memory_id = json.loads(run("list", "--json"))["items"][0]["id"]
    run("hold", memory_id)
    run("forget", memory_id)
    message = told(capsys, store, "hold", "--release", memory_id)
    assert f"`perdure restore {memory_id}`" in message
    assert f"`perdure hold --release {memory_id}`" in message
    assert not PYTHON.search(message)
    run("restore", memory_id)
    assert f"`perdure hold --release {memory_id}`" in told(
        capsys, store, "erase", memory_id, "--yes"
    )
    run("hold", "--release", memory_id)
    certificate = store.with_name("certificate.json")
    run("erase", memory_id, "--yes", "--certificate", str(certificate), "--reason", "she asked")
    assert status_of(["--store", str(store), "show", memory_id]) == 0
    captured = capsys.readouterr()
    assert "It was erased on " in captured.err
    assert "by cli (she asked)" in captured.err
    assert "--certificate" in captured.err
    assert "`perdure show" in told(capsys, store, "correct", memory_id, "other words")
    of_another = told(
        capsys, store, "verify", "--user", "bren", "--certificate", str(certificate), "--json"
    )
    assert "another user" in of_another
    table = told(capsys, store, "verify", "--user", "bren", "--certificate", str(certificate))
    assert "--user" in table
    assert "Restore a backup" not in table


def test_a_tombstone_that_was_imported_is_not_called_restorable(
    capsys: pytest.CaptureFixture[str], store: Path
) -> None:
    def run(*arguments: str, at: Path = store) -> str:
        assert status_of(["--store", str(at), "--embedder", "hashing", *arguments]) == 0
        captured = capsys.readouterr()
        return captured.out + captured.err

    memory_id = json.loads(run("list", "--json"))["items"][0]["id"]
    run("forget", memory_id)
    export, other = store.with_name("export.jsonl"), store.with_name("other.db")
    run("export", str(export))
    run("import", str(export), at=other)
    assert "nothing brings it back" in run("show", memory_id, at=other)
    assert "withheld" in run("import", str(export))


def test_words_that_are_no_parameters_stay() -> None:
    flags = flags_of(program.commands["recall"])
    sentence = "content has 9 characters; the limit is 5 for this user, and the session goes on"
    assert in_shell_words(sentence, flags) == sentence
    assert in_shell_words("limit must be at least 1", flags) == "--limit must be at least 1"
