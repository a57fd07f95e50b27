"""The weights that ship: whole, light, and loaded only when needed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from perdure.errors import Misconfigured
from perdure.understanding.learned.weights import learned, load

FOLDER = Path(str(files("perdure.understanding"))) / "weights"
MEGABYTES = 1 << 20


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / "weights"
    shutil.copytree(FOLDER, copy)
    words = copy / "words.npz"
    data = bytearray(words.read_bytes())
    data[len(data) // 2] ^= 1
    words.write_bytes(data)
    with pytest.raises(Misconfigured, match=r"words\.npz"):
        load(copy)


def test_the_weights_are_a_few_megabytes() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 12 * MEGABYTES


def test_the_version_names_the_weights() -> None:
    assert len(learned().version) == 12
    assert learned().version == load(FOLDER).version


def test_importing_loads_no_weights() -> None:
    code = (
        "import perdure.understanding, sys;"
        "from perdure.understanding.learned.weights import learned;"
        "sys.exit(learned.cache_info().currsize)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
