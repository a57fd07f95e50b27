"""Trains the network on the training text and writes its weights.

    python training/understanding/train.py [--seed 1] [--epochs 14] [--hold-out en/a.jsonl ...]

Deterministic for one seed, one text and one version of numpy. With `--hold-out`, whole files are
left out, for measuring; what ships is trained on everything.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

import frames
import numpy as np
from crossing import crossed_pairs
from joining import Joiner
from network import Batch, Chance, Example, Sizes, loss_of, new_parameters
from surroundings import Surroundings
from swapping import Swapper
from tape import Adam, Value
from text import (
    INTENTS,
    MODALITIES,
    PREDICATES,
    RELATIONS,
    SUBJECTS,
    Item,
    items_of,
    message_example,
    pair_example,
)

from perdure.understanding.learned.features import WordVectors
from perdure.understanding.learned.weights import load_words

log = logging.getLogger("train")

TARGET = Path(__file__).parents[2] / "src/perdure/understanding/weights"
BATCH = 32
RATE = 2.5e-3
DECAY = 0.02
DROPOUT = 0.12
HIDDEN_WORDS = 0.12
AFTER_OTHERS, JOINED, AS_PLAIN, AS_SWAPPED = 0.3, 0.15, 0.1, 0.25
"""How often an item is shown in each other way than as written, where it has one."""
DRAWS = 2
"""Ways of a kind that are drawn for each item."""
FACTS_COUNT = 2
"""How often a message with facts is shown, against once without."""

LANGUAGES = ("en", "zh")
MADE_MESSAGES = 4000
MADE_PAIRS = 1200
MADE_SEED = 1
"""Plain statements made from frames, for each language."""


def plainer(text: str) -> str:
    """The text as a hurried typist would leave it; of the same length."""
    typed = text.lower() if text.isascii() else text
    if typed[-1:] in ".!。！":
        typed = typed[:-1] + " "
    return typed.replace("，", " ") if len(typed) < 40 else typed


def plainer_item(item: Item) -> Item:
    """The message in plainer typing, with its labels in step."""
    plain = {**item, "text": plainer(item["text"]), "facts": [dict(f) for f in item["facts"]]}
    if item["text"].isascii():
        for fact in plain["facts"]:
            fact["object"] = fact["object"].lower()
            if not fact["subject"].startswith("user"):
                fact["subject"] = fact["subject"].lower()
        for key in ("evidence", "target"):
            plain[key] = item.get(key, "").lower()
    return plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """One item in the ways it is shown: as written, in plainer typing, with other values, after
    turns on something else, beside another message."""

    written: Example
    plain: Example
    swapped: tuple[Example, ...] = ()
    after: tuple[Example, ...] = ()
    joined: tuple[Example, ...] = ()

    def drawn(self, generator: np.random.Generator) -> Example:
        """One of the ways; as written most of the time."""
        draw = generator.random()
        for share, ways in (
            (AFTER_OTHERS, self.after),
            (JOINED, self.joined),
            (AS_SWAPPED, self.swapped),
            (AS_PLAIN, (self.plain,)),
        ):
            if draw < share and ways:
                return ways[int(generator.integers(len(ways)))]
            draw -= share
        return self.written


def examples_of(
    hold_out: Sequence[str],
    cosines: dict[str, float],
    *,
    messages_only: bool = False,
    languages: Sequence[str] = LANGUAGES,
) -> list[Ways]:
    """For each item the ways it is shown."""
    vectors = load_words()
    found: list[Ways] = []
    for language in languages:
        found += _messages(language, hold_out, vectors)
        if not messages_only:
            found += _pairs(language, hold_out, vectors, cosines)
    return [ways for ways in found if len(ways.written.sides)]


def _messages(language: str, hold_out: Sequence[str], vectors: WordVectors) -> Iterator[Ways]:
    written = [item for name, item in items_of("messages", [language]) if name not in hold_out]
    swapper = Swapper(language, Random(MADE_SEED))
    joiner = Joiner(language, written, Random(MADE_SEED))
    surroundings = Surroundings(language, written, Random(MADE_SEED))

    def shown(item: Item) -> Example:
        return message_example(item, vectors)

    def several(draw: Callable[[Item], Item | None], item: Item) -> tuple[Example, ...]:
        return tuple(map(shown, filter(None, (draw(item) for _ in range(DRAWS)))))

    for item in written:
        ways = Ways(
            written=shown(item),
            plain=shown(plainer_item(item)),
            swapped=several(swapper.swapped, item),
            after=several(surroundings.after_others, item),
            joined=several(joiner.joined, item),
        )
        yield from [ways] * (FACTS_COUNT if item["facts"] else 1)
    for item in frames.made("messages", language, MADE_MESSAGES, MADE_SEED):
        yield Ways(
            written=shown(item),
            plain=shown(plainer_item(item)),
            joined=several(joiner.joined, item),
        )


def _pairs(
    language: str, hold_out: Sequence[str], vectors: WordVectors, cosines: dict[str, float]
) -> Iterator[Ways]:
    pairs = [item for name, item in items_of("pairs", [language]) if name not in hold_out]
    pairs += crossed_pairs(language, hold_out)
    pairs += frames.made("pairs", language, MADE_PAIRS, MADE_SEED)
    for item in pairs:
        cosine = cosines.get(item["old"] + "\n" + item["new"])
        yield Ways(
            written=pair_example(item, vectors, cosine),
            plain=pair_example({**item, "new": plainer(item["new"])}, vectors, cosine),
        )


def class_weights(labels: Sequence[int], classes: int) -> np.ndarray:
    """Rare classes count more, by the square root of their rarity."""
    counts = np.bincount([label for label in labels if label >= 0], minlength=classes) + 1.0
    weights = np.sqrt(counts.mean() / counts)
    return np.asarray(weights / weights.mean(), np.float32)


def trained(examples: list[Ways], *, seed: int, epochs: int) -> dict[str, Value]:
    sizes = Sizes(
        predicates=len(PREDICATES),
        subjects=len(SUBJECTS),
        modalities=len(MODALITIES),
        intents=len(INTENTS),
        relations=len(RELATIONS),
    )
    parameters = new_parameters(sizes, seed)
    optimiser = Adam(parameters, decay=DECAY)
    generator = np.random.default_rng(seed + 1)
    intents = class_weights([ways.written.intent for ways in examples], sizes.intents)
    relations = class_weights([ways.written.relation for ways in examples], sizes.relations)
    steps = epochs * ((len(examples) + BATCH - 1) // BATCH)
    done = 0
    for epoch in range(epochs):
        began = time.perf_counter()
        sums: dict[str, list[float]] = {}
        for places in batches(examples, generator):
            rate = RATE * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * done / steps)))
            rate *= min(1.0, (done + 1) / 100)
            chosen = [examples[n].drawn(generator) for n in places]
            chance = Chance(generator, DROPOUT, HIDDEN_WORDS)
            loss = loss_of(parameters, Batch(chosen), chance, intents, relations)
            loss.total.backward()
            optimiser.update(rate)
            done += 1
            for name, value in loss.parts.items():
                sums.setdefault(name, []).append(value)
        told = " ".join(f"{name} {np.mean(values):.3f}" for name, values in sums.items())
        log.info("epoch %d, %.0f s: %s", epoch + 1, time.perf_counter() - began, told)
    return parameters


def batches(examples: list[Ways], generator: np.random.Generator) -> list[list[int]]:
    order = generator.permutation(len(examples))
    return [order[k : k + BATCH].tolist() for k in range(0, len(order), BATCH)]


def save(
    folder: Path,
    name: str,
    parameters: dict[str, Value],
    *,
    reads: Sequence[str],
    relates: bool,
) -> None:
    """Write one network's weights, and what it is for to the manifest of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.npz"
    np.savez(path, **{key: value.data.astype(np.float16) for key, value in parameters.items()})
    manifest_path = folder / "manifest.json"
    manifest = json.loads(manifest_path.read_text()) if manifest_path.exists() else {}
    manifest["words"] = sha256((TARGET / "words.npz").read_bytes()).hexdigest()
    manifest.setdefault("networks", {})[path.name] = {
        "sha256": sha256(path.read_bytes()).hexdigest(),
        "reads": list(reads),
        "relates": relates,
    }
    manifest |= {
        "predicates": PREDICATES,
        "subjects": SUBJECTS,
        "modalities": MODALITIES,
        "intents": INTENTS,
        "relations": RELATIONS,
    }
    manifest_path.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--hold-out", nargs="*", default=[])
    parser.add_argument("--cosines", type=Path, help="JSON: encoder similarity of each pair")
    parser.add_argument("--target", type=Path, default=TARGET)
    parser.add_argument("--name", required=True, help="of the file of weights, without suffix")
    parser.add_argument("--languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--messages-only", action="store_true", help="learn nothing from pairs")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    cosines = json.loads(options.cosines.read_text()) if options.cosines else {}
    examples = examples_of(
        options.hold_out,
        cosines,
        messages_only=options.messages_only,
        languages=options.languages,
    )
    log.info("%d examples", len(examples))
    parameters = trained(examples, seed=options.seed, epochs=options.epochs)
    save(
        options.target,
        options.name,
        parameters,
        reads=options.languages,
        relates=not options.messages_only,
    )


if __name__ == "__main__":
    main()
