"""Third-party stores and embedders: the ones the documentation writes, installed as packages are."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import perdure
from tests.acceptance.documentation import read_page

EXTENDING = Path(__file__).resolve().parents[2] / "docs" / "extending"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path with both modules and the entry points their pages show."""
    entry_points = ""
    for name in ("store.md", "embedder.md"):
        for block in read_page(EXTENDING / name).blocks:
            if block.remark.startswith("file=") and "test_" not in block.remark:
                (tmp_path / block.remark[5:]).write_text(block.text, encoding="utf-8")
            elif block.language == "toml":
                entry_points += (
                    block.text.replace('project.entry-points."', "")
                    .replace('"]', "]")
                    .replace('"', "")
                )
    information = tmp_path / "toys-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(entry_points)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    importlib.invalidate_caches()
    yield tmp_path
    for module in ("replayed", "letters"):
        sys.modules.pop(module, None)


def test_a_store_and_an_embedder_are_found_by_their_names(installed: Path) -> None:
    with perdure.open("replayed://memory.log", embedder="letters") as memory:
        ilka = memory.scoped(user="ilka")
        old = ilka.remember("The kettle is blue.").memory
        ilka.correct(old, "The kettle is red.")
    with perdure.open("replayed://memory.log", embedder="letters") as memory:
        ilka = memory.scoped(user="ilka")
        assert [hit.memory.content for hit in ilka.recall("kettle")] == ["The kettle is red."]
        assert memory.stats(everything=True).embedding_model == "letters@1/27"
        assert memory.verify().ok


async def test_they_work_in_asynchronous_programs_too(installed: Path) -> None:
    async with await perdure.open_async("replayed://memory.log", embedder="letters") as memory:
        await memory.remember("The kettle is blue.")
        assert len(await memory.recall("kettle")) == 1


def test_an_embedder_takes_what_follows_its_name(installed: Path) -> None:
    with perdure.open("memory://", embedder="letters:aeiou") as memory:
        memory.remember("The kettle is blue.")
        assert memory.stats().embedding_model == "letters@1/6"


def test_the_command_line_knows_them(installed: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(installed),
        "PERDURE_URL": "replayed://memory.log",
        "PERDURE_EMBEDDER": "letters",
    }
    for arguments in (["remember", "The kettle is blue."], ["recall", "kettle"], ["doctor"]):
        done = subprocess.run(
            [sys.executable, "-m", "perdure.cli", *arguments],
            capture_output=True,
            env=environment,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout


def test_an_unknown_scheme_names_those_that_are_installed(installed: Path) -> None:
    with pytest.raises(perdure.Misconfigured, match="replayed"):
        perdure.open("nothing://memory")
