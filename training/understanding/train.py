"""Trains the network on the training text and writes its weights.

    python training/understanding/train.py [--seed 1] [--epochs 8] [--hold-out en/a.jsonl ...]

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
from fnmatch import fnmatch
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
TOLD_EVERY = 200
"""Steps after which the losses are told."""
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
    """One item and how it is shown: as written, and in other ways, each made when it is drawn."""

    item: Item
    is_new: bool
    shown: Callable[[Item], Example]
    others: tuple[tuple[float, Callable[[Item], Item | None]], ...] = ()
    """How often it is shown in each other way, where it has one."""

    def drawn(self, generator: np.random.Generator) -> Example:
        """One of the ways; as written most of the time."""
        draw = generator.random()
        for share, way in self.others:
            made = way(self.item) if draw < share else None
            if made is not None:
                return self.shown(made)
            draw -= share
        return self.shown(self.item)


def ways_of(
    hold_out: Sequence[str],
    cosines: dict[str, float],
    *,
    messages_only: bool = False,
    languages: Sequence[str] = LANGUAGES,
    newly: Sequence[str] = (),
) -> list[Ways]:
    """For each item the ways it is shown; those of files that `newly` matches are marked."""
    vectors = load_words()
    found: list[Ways] = []
    for language in languages:
        found += _messages(language, hold_out, newly, vectors)
        if not messages_only:
            found += _pairs(language, hold_out, newly, vectors, cosines)
    return found


def _is_among(name: str, newly: Sequence[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in newly)


def _messages(
    language: str, hold_out: Sequence[str], newly: Sequence[str], vectors: WordVectors
) -> Iterator[Ways]:
    named = [each for each in items_of("messages", [language]) if each[0] not in hold_out]
    written = [item for _, item in named]
    swapper = Swapper(language, Random(MADE_SEED))
    joiner = Joiner(language, written, Random(MADE_SEED))
    surroundings = Surroundings(language, written, Random(MADE_SEED))

    def shown(item: Item) -> Example:
        return message_example(item, vectors)

    for name, item in named:
        ways = Ways(
            item=item,
            is_new=_is_among(name, newly),
            shown=shown,
            others=(
                (AFTER_OTHERS, surroundings.after_others),
                (JOINED, joiner.joined),
                (AS_SWAPPED, swapper.swapped),
                (AS_PLAIN, plainer_item),
            ),
        )
        yield from [ways] * (FACTS_COUNT if item["facts"] else 1)
    for item in frames.made("messages", language, MADE_MESSAGES, MADE_SEED):
        others = ((JOINED, joiner.joined), (AS_PLAIN, plainer_item))
        yield Ways(item=item, is_new=False, shown=shown, others=others)


def _pairs(
    language: str,
    hold_out: Sequence[str],
    newly: Sequence[str],
    vectors: WordVectors,
    cosines: dict[str, float],
) -> Iterator[Ways]:
    pairs = [each for each in items_of("pairs", [language]) if each[0] not in hold_out]
    pairs += [("", item) for item in crossed_pairs(language, hold_out)]
    pairs += [("", item) for item in frames.made("pairs", language, MADE_PAIRS, MADE_SEED)]

    def shown(item: Item) -> Example:
        return pair_example(item, vectors, item["cosine"])

    def plain(item: Item) -> Item:
        return {**item, "new": plainer(item["new"])}

    for name, item in pairs:
        yield Ways(
            item={**item, "cosine": cosines.get(item["old"] + "\n" + item["new"])},
            is_new=_is_among(name, newly),
            shown=shown,
            others=((AS_PLAIN, plain),),
        )


def class_weights(labels: Sequence[int], classes: int) -> np.ndarray:
    """Rare classes count more, by the square root of their rarity."""
    counts = np.bincount([label for label in labels if label >= 0], minlength=classes) + 1.0
    weights = np.sqrt(counts.mean() / counts)
    return np.asarray(weights / weights.mean(), np.float32)


def trained(
    ways: list[Ways],
    *,
    seed: int,
    epochs: float,
    start: Path | None = None,
    rate: float = RATE,
) -> dict[str, Value]:
    sizes = Sizes(
        predicates=len(PREDICATES),
        subjects=len(SUBJECTS),
        modalities=len(MODALITIES),
        intents=len(INTENTS),
        relations=len(RELATIONS),
    )
    parameters = new_parameters(sizes, seed)
    if start is not None:
        go_on_from(start, parameters)
    optimiser = Adam(parameters, decay=DECAY)
    generator = np.random.default_rng(seed + 1)
    intents = class_weights([_label(each, "intent", INTENTS) for each in ways], sizes.intents)
    relations = class_weights(
        [_label(each, "relation", RELATIONS) for each in ways], sizes.relations
    )
    order = list(batches(ways, epochs, generator))
    began = time.perf_counter()
    sums: dict[str, list[float]] = {}
    for done, places in enumerate(order):
        now = rate * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * done / len(order))))
        now *= min(1.0, (done + 1) / 100)
        chosen = [ways[n].drawn(generator) for n in places]
        chosen = [each for each in chosen if len(each.sides)]
        chance = Chance(generator, DROPOUT, HIDDEN_WORDS)
        loss = loss_of(parameters, Batch(chosen), chance, intents, relations)
        loss.total.backward()
        optimiser.update(now)
        for name, value in loss.parts.items():
            sums.setdefault(name, []).append(value)
        if (done + 1) % TOLD_EVERY == 0 or done + 1 == len(order):
            told = " ".join(f"{name} {np.mean(values):.3f}" for name, values in sums.items())
            took = time.perf_counter() - began
            log.info("step %d of %d, %.0f s: %s", done + 1, len(order), took, told)
            sums.clear()
    return parameters


def go_on_from(path: Path, parameters: dict[str, Value]) -> None:
    """Begin with the weights of a network that was trained before."""
    with np.load(path) as arrays:
        for name, value in parameters.items():
            value.data = arrays[name].astype(np.float32)


def _label(ways: Ways, name: str, names: Sequence[str]) -> int:
    label = ways.item.get(name)
    return names.index(label) if label else -1


def batches(ways: list[Ways], epochs: float, generator: np.random.Generator) -> Iterator[list[int]]:
    """What is shown at each step, by number: all of it `epochs` times.

    Of a part of an epoch, what is new is shown as often as in a whole one.
    """
    while epochs > 0:
        order = generator.permutation(len(ways))
        if epochs < 1:
            new = [n for n in order.tolist() if ways[n].is_new]
            old = [n for n in order.tolist() if not ways[n].is_new]
            order = generator.permutation(new + old[: int(len(old) * epochs)])
        for k in range(0, len(order), BATCH):
            yield order[k : k + BATCH].tolist()
        epochs -= 1


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
    parser.add_argument("--epochs", type=float, default=8)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--go-on-from", type=Path, help="weights to begin with, instead of chance")
    parser.add_argument(
        "--newly",
        nargs="*",
        default=[],
        help="files, as en/plain_*.jsonl, that part of an epoch shows too",
    )
    parser.add_argument("--hold-out", nargs="*", default=[])
    parser.add_argument("--cosines", type=Path, help="JSON: encoder similarity of each pair")
    parser.add_argument("--target", type=Path, default=TARGET)
    parser.add_argument("--name", required=True, help="of the file of weights, without suffix")
    parser.add_argument("--languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--messages-only", action="store_true", help="learn nothing from pairs")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    cosines = json.loads(options.cosines.read_text()) if options.cosines else {}
    ways = ways_of(
        options.hold_out,
        cosines,
        messages_only=options.messages_only,
        languages=options.languages,
        newly=options.newly,
    )
    log.info("%d items, %d of them new", len(ways), sum(each.is_new for each in ways))
    parameters = trained(
        ways,
        seed=options.seed,
        epochs=options.epochs,
        start=options.go_on_from,
        rate=options.rate,
    )
    save(
        options.target,
        options.name,
        parameters,
        reads=options.languages,
        relates=not options.messages_only,
    )


if __name__ == "__main__":
    main()
