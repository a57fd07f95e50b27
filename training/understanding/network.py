"""The network with gradients: the same steps as `perdure.understanding.learned.network`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tape import (
    Value,
    add,
    cross_entropy,
    linear,
    maxima,
    means,
    relu,
    rows,
    shifted,
    side_by_side,
    times,
    weighted_sum,
)

from perdure.understanding.learned.features import (
    EARLIER_USER,
    EXTRA,
    LOOKS,
    PART_BUCKETS,
    WORD_BUCKETS,
    WORD_DIMENSION,
)
from perdure.understanding.learned.network import DILATIONS, GAP, RELATED
from perdure.understanding.signs import CUE_NAMES

Array = NDArray[Any]

CUES = len(CUE_NAMES)
WIDTH = 96
HIDDEN = 128
WORD_WIDTH, PART_WIDTH, LOOK_WIDTH = 32, 16, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    predicates: int
    subjects: int
    modalities: int
    intents: int
    relations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span of a batch row's message tokens and what it is, by number; `predicate` 0 is none."""

    start: int
    end: int
    predicate: int
    subject: int
    polarity: int
    modality: int
    cues: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One message with its context, or one pair; labels below zero count nothing."""

    hashes: Array
    looks: Array
    dense: Array
    sides: Array
    cues: tuple[float, ...]
    cues_before: tuple[float, ...]
    intent: int = -1
    part_cues: tuple[float, ...] = ()
    part: tuple[int, int] | None = None
    relation: int = -1
    cosine: float | None = None
    objects: Array | None = None
    mentions: Array | None = None
    targets: Array | None = None
    spans: tuple[Span, ...] = ()
    sentences: tuple[tuple[int, tuple[float, ...]], ...] = ()

    def sentence_cues(self, place: int) -> tuple[float, ...]:
        """The cues of the sentence that holds the token: (its last token + 1, its cues) each."""
        return next((cues for end, cues in self.sentences if place < end), self.cues)


def new_parameters(sizes: Sizes, seed: int) -> dict[str, Value]:
    """Freshly drawn weights."""
    chance = np.random.default_rng(seed)
    shown = WORD_WIDTH + 2 * PART_WIDTH + LOOK_WIDTH + 2 * WORD_DIMENSION + EXTRA
    found: dict[str, Value] = {}

    def table(name: str, count: int, width: int) -> None:
        found[name] = Value((chance.standard_normal((count, width)) * 0.1).astype(np.float32))
        found[name].touched = []

    def layer(name: str, source: int, target: int, suffix: str = "") -> None:
        scale = np.sqrt(2.0 / source)
        weight = (chance.standard_normal((source, target)) * scale).astype(np.float32)
        found[f"{name}.{suffix}w"] = Value(weight)
        found[f"{name}.{suffix}b"] = Value(np.zeros(target, np.float32))

    table("words", WORD_BUCKETS, WORD_WIDTH)
    table("lefts", PART_BUCKETS, PART_WIDTH)
    table("rights", PART_BUCKETS, PART_WIDTH)
    table("looks", LOOKS, LOOK_WIDTH)
    layer("in", shown, WIDTH)
    for dilation in DILATIONS:
        layer(f"conv{dilation}", 3 * WIDTH, WIDTH)
        found[f"conv{dilation}.w"].data *= 0.5
    layer("mix", WIDTH, WIDTH)
    mixed = (chance.standard_normal((4 * WIDTH, WIDTH)) * np.sqrt(0.5 / WIDTH)).astype(np.float32)
    found["mix.g"] = Value(mixed * 0.5)
    layer("tagconv", 3 * WIDTH, WIDTH)
    layer("object", WIDTH, 3)
    layer("mention", WIDTH, 3)
    layer("target", WIDTH, 3)
    layer("span", 7 * WIDTH + CUES, HIDDEN)
    layer("predicate", HIDDEN, sizes.predicates)
    layer("subject", HIDDEN, sizes.subjects)
    layer("polarity", HIDDEN, 2)
    layer("modality", HIDDEN, sizes.modalities)
    layer("intent", 4 * WIDTH + 2 * CUES + sizes.relations, HIDDEN, "h")
    layer("intent", HIDDEN, sizes.intents)
    layer("relation", 4 * WIDTH + 2 + 2 * CUES, HIDDEN, "h")
    layer("relation", HIDDEN, sizes.relations)
    return found


class Batch:
    """Examples laid out one after another, with empty rows between texts."""

    def __init__(self, examples: list[Example]) -> None:
        self.examples = examples
        places: list[Array] = []
        self.messages: list[Array] = []
        self.earlier: list[Array] = []
        offset = 0
        for each in examples:
            place = np.arange(len(each.sides), dtype=np.int64)
            place[1:] += GAP * np.cumsum(each.sides[1:] != each.sides[:-1])
            place += offset
            offset = int(place[-1]) + 1 + GAP
            places.append(place)
            self.messages.append(place[each.sides == 0])
            self.earlier.append(place[each.sides != 0])
        self.size = offset
        where = np.concatenate(places)
        self.hashes = np.full((offset, 3), -1, np.int64)
        self.looks = np.full(offset, -1, np.int64)
        width = examples[0].dense.shape[1]
        self.dense = np.zeros((offset, width), np.float32)
        self.mask = np.zeros((offset, 1), np.float32)
        self.hashes[where] = np.concatenate([each.hashes for each in examples])
        self.looks[where] = np.concatenate([each.looks for each in examples])
        self.dense[where] = np.concatenate([each.dense for each in examples])
        self.mask[where] = 1.0
        self.owner = np.full(offset, -1, np.int64)
        for number, place in enumerate(places):
            self.owner[place] = number


class Chance:
    """Dropout while training; with rate 0, none."""

    def __init__(self, generator: np.random.Generator, rate: float, words: float) -> None:
        self.generator = generator
        self.rate = rate
        self.words = words

    def drop(self, value: Value) -> Value:
        if not self.rate:
            return value
        # One byte of chance is enough for each.
        least = round(self.rate * 256)
        kept = self.generator.integers(0, 256, value.data.shape, np.uint8) >= least
        return times(value, kept * np.float32(256 / (256 - least)))


def _convolved(p: dict[str, Value], x: Value, dilation: int, name: str) -> Value:
    window = side_by_side([shifted(x, dilation), x, shifted(x, -dilation)])
    return relu(linear(window, p[f"{name}.w"], p[f"{name}.b"]))


def _encoded(p: dict[str, Value], batch: Batch, chance: Chance) -> Value:
    hashes, dense = batch.hashes, batch.dense
    if chance.words:
        hashes = hashes.copy()
        hidden = chance.generator.random(len(hashes)) < chance.words
        hashes[hidden, 0] = -1
        bare = chance.generator.random(len(hashes)) < chance.words * 0.6
        dense = dense.copy()
        dense[bare, :WORD_DIMENSION] = 0.0
        dense[bare, 2 * WORD_DIMENSION + 4] = 0.0
        hashes[hidden & bare] = -1
    shown = side_by_side(
        [
            rows(p["words"], hashes[:, 0]),
            rows(p["lefts"], hashes[:, 1]),
            rows(p["rights"], hashes[:, 2]),
            rows(p["looks"], batch.looks),
            Value(dense),
        ]
    )
    h = times(relu(linear(chance.drop(shown), p["in.w"], p["in.b"])), batch.mask)
    for dilation in DILATIONS:
        more = times(_convolved(p, chance.drop(h), dilation, f"conv{dilation}"), batch.mask)
        h = add(h, more)
    return h


def _summary(h: Value, messages: list[Array], earlier: list[Array]) -> Value:
    return side_by_side(
        [maxima(h, messages), means(h, messages), maxima(h, earlier), means(h, earlier)]
    )


def _layered(p: dict[str, Value], x: Value, name: str, chance: Chance) -> Value:
    hidden = relu(linear(chance.drop(x), p[f"{name}.hw"], p[f"{name}.hb"]))
    return linear(chance.drop(hidden), p[f"{name}.w"], p[f"{name}.b"])


def _constant(rows_of: list[tuple[float, ...]]) -> Value:
    return Value(np.array(rows_of, np.float32))


def intent_logits(
    p: dict[str, Value], summary: Value, cues: Value, follows: Array, chance: Chance
) -> Value:
    """Logits of the intents, which see how the text relates to what the user said before it."""
    unknown = Value(np.zeros((len(summary.data), 2), np.float32))
    related = _layered(p, side_by_side([summary, unknown, cues]), "relation", chance)
    related = times(related, (RELATED * follows).astype(np.float32))
    return _layered(p, side_by_side([summary, cues, related]), "intent", chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    total: Value
    parts: dict[str, float]


def loss_of(
    p: dict[str, Value],
    batch: Batch,
    chance: Chance,
    intent_weights: Array,
    relation_weights: Array,
) -> Loss:
    """What the network has still to learn about a batch."""
    h = _encoded(p, batch, chance)
    losses: list[tuple[str, float, Value]] = []
    summary = _summary(h, batch.messages, batch.earlier)
    examples = batch.examples

    intents = np.array([each.intent for each in examples])
    if (intents >= 0).any():
        weights = intent_weights[np.maximum(intents, 0)]
        cues = _constant([each.cues + each.cues_before for each in examples])
        follows = np.array([[float((e.sides == EARLIER_USER).any())] for e in examples])
        logits = intent_logits(p, summary, cues, follows, chance)
        losses.append(("intent", 1.0, cross_entropy(logits, intents, weights, 0.05)))
        parted = [n for n, each in enumerate(examples) if each.part is not None]
        if parted:
            pieces = [
                batch.messages[n][examples[n].part[0] : examples[n].part[1]]  # type: ignore[index]
                for n in parted
            ]
            summaries = _summary(h, pieces, [batch.earlier[n] for n in parted])
            cues = _constant([examples[n].part_cues + examples[n].cues_before for n in parted])
            logits = intent_logits(p, summaries, cues, follows[parted], chance)
            losses.append(
                ("part", 0.3, cross_entropy(logits, intents[parted], weights[parted], 0.05))
            )

    relations = np.array([each.relation for each in examples])
    if (relations >= 0).any():
        known = np.array(
            [[0.0, 0.0] if e.cosine is None else [1.0, e.cosine] for e in examples], np.float32
        )
        if chance.rate:
            known *= (chance.generator.random((len(known), 1)) < 0.6).astype(np.float32)
        cues = _constant([each.cues + each.cues_before for each in examples])
        logits = _layered(p, side_by_side([summary, Value(known), cues]), "relation", chance)
        weights = relation_weights[np.maximum(relations, 0)]
        losses.append(("relation", 1.0, cross_entropy(logits, relations, weights, 0.05)))

    told = [n for n, each in enumerate(examples) if each.objects is not None]
    if told:
        losses.extend(_span_losses(p, batch, h, summary, told, chance))
    return Loss(
        total=weighted_sum([(weight, value) for _, weight, value in losses]),
        parts={name: float(value.data) for name, _, value in losses},
    )


def _span_losses(
    p: dict[str, Value], batch: Batch, h: Value, summary: Value, told: list[int], chance: Chance
) -> list[tuple[str, float, Value]]:
    spread = rows(summary, batch.owner)
    mixed = add(
        linear(chance.drop(h), p["mix.w"], p["mix.b"]), linear(chance.drop(spread), p["mix.g"])
    )
    z = times(relu(mixed), batch.mask)
    z = add(z, times(_convolved(p, chance.drop(z), 1, "tagconv"), batch.mask))
    objects = np.full(batch.size, -1, np.int64)
    mentions = np.full(batch.size, -1, np.int64)
    targets = np.full(batch.size, -1, np.int64)
    for n in told:
        objects[batch.messages[n]] = batch.examples[n].objects
        mentions[batch.messages[n]] = batch.examples[n].mentions
        if batch.examples[n].targets is not None:
            targets[batch.messages[n]] = batch.examples[n].targets
    weights = np.ones(batch.size, np.float32)
    object_logits = linear(chance.drop(z), p["object.w"], p["object.b"])
    losses = [
        ("object", 2.0, cross_entropy(object_logits, objects, weights)),
        (
            "mention",
            0.7,
            cross_entropy(
                linear(chance.drop(z), p["mention.w"], p["mention.b"]), mentions, weights
            ),
        ),
    ]
    target_logits = linear(chance.drop(z), p["target.w"], p["target.b"])
    losses.append(("target", 0.3, cross_entropy(target_logits, targets, weights)))
    spans = [(n, span) for n in told for span in batch.examples[n].spans]
    spans += _wrong_spans(object_logits.data, batch, told)
    if not spans:
        return losses
    inner = [batch.messages[n][span.start : span.end] for n, span in spans]
    before = [batch.messages[n][max(0, span.start - 1) : span.start] for n, span in spans]
    after = [batch.messages[n][span.end : span.end + 1] for n, span in spans]
    shown = side_by_side(
        [
            means(z, inner),
            means(z, before),
            means(z, after),
            rows(summary, np.array([n for n, _ in spans])),
            _constant([span.cues for _, span in spans]),
        ]
    )
    hidden = chance.drop(relu(linear(chance.drop(shown), p["span.w"], p["span.b"])))
    right = np.array([span.predicate for _, span in spans]) != 0
    trust = {
        "predicate": np.where(right, 1.0, 0.4),
        "polarity": np.array([2.0 if span.polarity == 1 else 1.0 for _, span in spans]),
    }
    ones = np.ones(len(spans))
    for name, weight in (
        ("predicate", 1.5),
        ("subject", 1.0),
        ("polarity", 0.5),
        ("modality", 0.7),
    ):
        labels = np.array([getattr(span, name) for _, span in spans])
        logits = linear(hidden, p[f"{name}.w"], p[f"{name}.b"])
        losses.append((name, weight, cross_entropy(logits, labels, trust.get(name, ones), 0.02)))
    return losses


def _wrong_spans(logits: Array, batch: Batch, told: list[int]) -> list[tuple[int, Span]]:
    """Spans that the tagger finds at present where there is none: the judge learns to refuse them."""
    found = []
    for n in told:
        example = batch.examples[n]
        tags = logits[batch.messages[n]].argmax(1)
        labels = example.objects
        right = {(span.start, span.end) for span in example.spans}
        for start in np.flatnonzero(tags == 1)[:4]:
            end = int(start) + 1
            while end < len(tags) and tags[end] == 2:
                end += 1
            if (int(start), end) in right:
                continue
            overlaps = [s for s in example.spans if s.start < end and start < s.end]
            if overlaps:
                continue
            if labels is not None and (labels[start:end] < 0).any():
                continue
            wrong = Span(
                start=int(start),
                end=end,
                predicate=0,
                subject=-1,
                polarity=-1,
                modality=-1,
                cues=example.sentence_cues(int(start)),
            )
            found.append((n, wrong))
    return found
