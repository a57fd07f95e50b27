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
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import frames
import numpy as np
from network import Batch, Chance, Example, Sizes, loss_of, new_parameters
from tape import Adam, Value
from text import (
    INTENTS,
    MODALITIES,
    PREDICATES,
    RELATIONS,
    SUBJECTS,
    items_of,
    message_example,
    pair_example,
)

from perdure.understanding.learned.weights import load_words

log = logging.getLogger("train")

TARGET = Path(__file__).parents[2] / "src/perdure/understanding/weights"
BATCH = 64
RATE = 3e-3
DECAY = 0.02
DROPOUT = 0.12
HIDDEN_WORDS = 0.12
MADE_MESSAGES = 3000
MADE_PAIRS = 1200
MADE_SEED = 1
"""Plain statements made from frames, for each language."""


def plainer(text: str) -> str:
    """The text as a hurried typist would leave it; of the same length."""
    typed = text.lower() if text.isascii() else text
    if typed[-1:] in ".!。！":
        typed = typed[:-1] + " "
    return typed.replace("，", " ") if len(typed) < 40 else typed


def examples_of(hold_out: Sequence[str], cosines: dict[str, float]) -> list[list[Example]]:
    """For each item its example, and a second one in plainer typing."""
    vectors = load_words()
    messages = [item for name, item in items_of("messages") if name not in hold_out]
    pairs = [item for name, item in items_of("pairs") if name not in hold_out]
    for language in ("en", "zh"):
        messages += frames.made("messages", language, MADE_MESSAGES, MADE_SEED)
        pairs += frames.made("pairs", language, MADE_PAIRS, MADE_SEED)
    found = []
    for item in messages:
        plain = {**item, "text": plainer(item["text"]), "facts": [dict(f) for f in item["facts"]]}
        if item["text"].isascii():
            for fact in plain["facts"]:
                fact["object"] = fact["object"].lower()
                if not fact["subject"].startswith("user"):
                    fact["subject"] = fact["subject"].lower()
            for key in ("evidence", "target"):
                plain[key] = item.get(key, "").lower()
        found.append([message_example(item, vectors), message_example(plain, vectors)])
    for item in pairs:
        cosine = cosines.get(item["old"] + "\n" + item["new"])
        plain = {**item, "new": plainer(item["new"])}
        found.append([pair_example(each, vectors, cosine) for each in (item, plain)])
    return [pair for pair in found if len(pair[0].sides)]


def class_weights(labels: Sequence[int], classes: int) -> np.ndarray:
    """Rare classes count more, by the square root of their rarity."""
    counts = np.bincount([label for label in labels if label >= 0], minlength=classes) + 1.0
    weights = np.sqrt(counts.mean() / counts)
    return np.asarray(weights / weights.mean(), np.float32)


def trained(examples: list[list[Example]], *, seed: int, epochs: int) -> dict[str, Value]:
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
    intents = class_weights([pair[0].intent for pair in examples], sizes.intents)
    relations = class_weights([pair[0].relation for pair in examples], sizes.relations)
    steps = epochs * ((len(examples) + BATCH - 1) // BATCH)
    done = 0
    for epoch in range(epochs):
        began = time.perf_counter()
        sums: dict[str, list[float]] = {}
        for places in batches(examples, generator):
            rate = RATE * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * done / steps)))
            rate *= min(1.0, (done + 1) / 100)
            chosen = [examples[n][int(generator.random() < 0.15)] for n in places]
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


def batches(examples: list[list[Example]], generator: np.random.Generator) -> list[list[int]]:
    order = generator.permutation(len(examples))
    return [order[k : k + BATCH].tolist() for k in range(0, len(order), BATCH)]


def save(folder: Path, name: str, parameters: dict[str, Value]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.npz"
    np.savez(path, **{key: value.data.astype(np.float16) for key, value in parameters.items()})
    manifest_path = folder / "manifest.json"
    manifest = json.loads(manifest_path.read_text()) if manifest_path.exists() else {"files": {}}
    manifest["files"][path.name] = sha256(path.read_bytes()).hexdigest()
    words = TARGET / "words.npz"
    manifest["files"][words.name] = sha256(words.read_bytes()).hexdigest()
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
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    cosines = json.loads(options.cosines.read_text()) if options.cosines else {}
    examples = examples_of(options.hold_out, cosines)
    log.info("%d examples", len(examples))
    parameters = trained(examples, seed=options.seed, epochs=options.epochs)
    save(options.target, f"reader-{options.seed}", parameters)


if __name__ == "__main__":
    main()
