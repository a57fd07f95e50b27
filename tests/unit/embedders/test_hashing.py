from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from perdure.embedders._text_features import features_of
from perdure.embedders.hashing import HashingEmbedder, calibration_for
from perdure.errors import InvalidInput
from perdure.ports.blocking import run_now
from perdure.ports.embedder import FloatArray

PAIRS = Path(__file__).parents[3] / "benchmarks" / "calibration" / "pairs.jsonl"


def rows(*texts: str, dimension: int = 256) -> FloatArray:
    return run_now(HashingEmbedder(dimension).embed(texts, purpose="query"))


def cosine(one: str, other: str, dimension: int = 1024) -> float:
    first, second = rows(one, other, dimension=dimension)
    return float(first @ second)


def test_vectors_of_this_version_never_change() -> None:
    """Stored vectors rely on it. When this fails, raise `hashing.VERSION`."""
    texts = ("The boat is green.", "船是绿色的。", "naïve Straße 🚢", "…")
    found = rows(*texts, dimension=8)
    expected = np.array(GOLDEN, dtype=np.float32)
    assert np.allclose(found, expected, atol=1e-4)


GOLDEN = [
    [0.56321, 0.19712, 0.19712, -0.11264, 0.64769, -0.36609, -0.19712, 0.00000],
    [0.59761, -0.47809, 0.00000, 0.00000, 0.23905, 0.00000, 0.00000, -0.59761],
    [0.22158, -0.63309, -0.63309, -0.22158, 0.00000, -0.25324, -0.18993, 0.00000],
    [0.00000, 1.00000, 0.00000, 0.00000, 0.00000, 0.00000, 0.00000, 0.00000],
]


def test_vectors_are_the_same_in_every_process() -> None:
    program = (
        "from perdure.embedders.hashing import HashingEmbedder as H\n"
        "from perdure.ports.blocking import run_now\n"
        "print(run_now(H().embed(['Ada 喜欢 tea'], purpose='query')).tobytes().hex())"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "src"},
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == rows("Ada 喜欢 tea").tobytes().hex()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The boat is green", "the BOAT is green!"),
        ("résumé naïve", "resume naive"),
        ("ＡＢＣ１２３", "abc123"),
        ("我喜歡綠茶", "我喜欢绿茶"),
        ("船是绿色的。", "船是绿色的"),
    ],
    ids=["case and punctuation", "accents", "width", "traditional Chinese", "full stop"],
)
def test_the_same_words_in_another_dress_share_a_vector(one: str, other: str) -> None:
    assert cosine(one, other) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dog bites man", "man bites dog"),
        ("I like you", "you like me"),
        ("I love 🐱", "I love 🐶"),
        ("我喜欢猫", "我喜欢狗"),
        ("flat 12", "flat 13"),
        ("我爱你", "你爱我"),
        ("…", "?!"),
        ("", " "),
        ("tea", "tea and coffee"),
    ],
)
def test_different_words_have_different_vectors(one: str, other: str) -> None:
    assert cosine(one, other) < 0.999


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("the workshop moved", "the workshops are moving", "quarterly revenue grew"),
        ("accommodation in Vienna", "acommodation in Viena", "a green fishing boat"),
        ("我妹妹搬到了老港口", "妹妹的工作室在老港口", "股市星期二下跌了"),
        ("ช่างไม้ซ่อมเรือ", "ช่างไม้ซ่อมบ้าน", "ฝนตกหนักมาก"),
    ],
    ids=["inflection", "misspelling", "Chinese", "Thai"],
)
def test_shared_words_and_spelling_bring_texts_near(text: str, near: str, far: str) -> None:
    assert cosine(text, near) > 0.25
    assert abs(cosine(text, far)) < 0.15


def test_function_words_alone_do_not_make_texts_similar() -> None:
    assert cosine("where is the boat and what is it", "what is the rent and where is it") < 0.4


@pytest.mark.parametrize(("once", "often"), [("tea", "tea " * 9), ("茶", "茶，" * 9)])
def test_a_repeated_word_counts_with_the_logarithm(once: str, often: str) -> None:
    """1 + ln 9 = 3.197 times the weight, for the same features."""
    alone, repeated = features_of(once), features_of(often)
    shared = np.isin(repeated.hashes, alone.hashes)
    ratio = repeated.weights[shared].sum() / alone.weights.sum()
    assert ratio == pytest.approx(3.197, abs=0.001)


def test_a_text_without_words_has_its_own_unit_vector() -> None:
    empty, dots = rows("", "...")
    assert np.count_nonzero(empty) == np.count_nonzero(dots) == 1
    assert np.array_equal(rows("")[0], empty)


@pytest.mark.parametrize("dimension", [64, 256, 512, 1024])
def test_unrelated_texts_rarely_exceed_the_noise(dimension: int) -> None:
    situations = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    noise = calibration_for(dimension).noise
    assert noise is not None
    for language in ("en", "zh"):
        memories = rows(*(each[language]["memory"] for each in situations), dimension=dimension)
        asked = rows(*(each[language]["question"] for each in situations), dimension=dimension)
        told = rows(*(each[language]["paraphrase"] for each in situations), dimension=dimension)
        others = (asked @ memories.T)[~np.eye(len(situations), dtype=bool)]
        assert np.mean(others > noise) < 0.02
        assert np.mean((told * memories).sum(axis=1) > noise) > 0.5


def test_the_dimension_belongs_to_the_identity() -> None:
    assert HashingEmbedder(64).model.identity == "hashing@1/64"
    assert HashingEmbedder().model.dimension == 256


@pytest.mark.parametrize("dimension", [0, -1])
def test_a_dimension_below_one_is_refused(dimension: int) -> None:
    with pytest.raises(InvalidInput, match="dimension"):
        HashingEmbedder(dimension)
