"""The training text as examples: tokens, labels and spans."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from network import Example, Span

from perdure.domain.readings import Intent, Modality, Relation
from perdure.domain.readings import Span as Place
from perdure.understanding.forms import form_of
from perdure.understanding.learned.features import (
    EARLIER_ASSISTANT,
    EARLIER_USER,
    Features,
    WordVectors,
    features_of,
)
from perdure.understanding.learned.reader import EARLIER_TOKENS, EARLIER_TURNS, NAMED, OTHER
from perdure.understanding.learned.tokens import Tokens, tokenise
from perdure.understanding.predicates import FAVOURITE, MANY_VALUED, SINGLE_VALUED
from perdure.understanding.roles import ROLES
from perdure.understanding.sentences import split_sentences
from perdure.understanding.signs import NO_CUES, cues_in

HERE = Path(__file__).resolve().parent
Item = dict[str, Any]

INTENTS = [intent.value for intent in Intent]
RELATIONS = [relation.value for relation in Relation]
MODALITIES = [modality.value for modality in Modality]
PREDICATES = ["none", *sorted(SINGLE_VALUED | MANY_VALUED), FAVOURITE]
SUBJECTS = ["user", NAMED, OTHER, *(f"user.{role}" for role in ROLES)]


def subject_number(subject: str) -> int:
    """The number of the subject's class in `SUBJECTS`."""
    if subject in SUBJECTS:
        return SUBJECTS.index(subject)
    return SUBJECTS.index(OTHER if subject.startswith("user.") else NAMED)


def items_of(kind: str, languages: Iterable[str] = ("en", "zh")) -> Iterator[tuple[str, Item]]:
    """Every item of one kind ("messages" or "pairs") with the file it is from."""
    for language in languages:
        for path in sorted((HERE / language / kind).glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                if line.strip():
                    yield f"{language}/{path.name}", json.loads(line)


def message_example(item: Item, vectors: WordVectors) -> Example:
    text = item["text"]
    tokens = tokenise(text)
    earlier = [
        (
            EARLIER_USER if turn["role"] == "user" else EARLIER_ASSISTANT,
            tokenise(turn["content"], longest=EARLIER_TOKENS),
        )
        for turn in item.get("context", [])[-EARLIER_TURNS:]
    ]
    features = features_of(tokens, vectors, [each for each in earlier if len(each[1])])
    spans, objects = _objects(item, tokens)
    form = form_of(text)
    sentences = split_sentences(text)
    part = _part(item, tokens)
    context = item.get("context", [])
    return Example(
        **_shown(features),
        cues=cues_in(form),
        cues_before=cues_in(form_of(context[-1]["content"])) if context else NO_CUES,
        part_cues=_cues_at(form, sentences, tokens.starts[part[0]]) if part else (),
        sentences=tuple(
            (_tokens_before(tokens, span.end), cues_in(span.of(form))) for span in sentences
        ),
        intent=INTENTS.index(item["intent"]) if item["intent"] else -1,
        part=part,
        objects=objects,
        mentions=_tagged(item, tokens, _subjects(item)),
        targets=_targets(item, tokens),
        spans=tuple(spans),
    )


def pair_example(item: Item, vectors: WordVectors, cosine: float | None) -> Example:
    features = features_of(
        tokenise(item["new"]),
        vectors,
        [(EARLIER_USER, tokenise(item["old"], longest=EARLIER_TOKENS))],
    )
    return Example(
        **_shown(features),
        cues=cues_in(form_of(item["new"])),
        cues_before=cues_in(form_of(item["old"])),
        relation=RELATIONS.index(item["relation"]),
        cosine=cosine,
    )


def _cues_at(form: str, sentences: Sequence[Place], start: int) -> tuple[float, ...]:
    """The cues of the sentence that begins or stands at the character."""
    for span in sentences:
        if span.start <= start < span.end:
            return cues_in(span.of(form))
    return cues_in(form)


def _tokens_before(tokens: Tokens, end: int) -> int:
    return sum(start < end for start in tokens.starts)


def _shown(features: Features) -> dict[str, Any]:
    return {
        "hashes": features.hashes,
        "looks": features.looks,
        "dense": features.dense,
        "sides": features.sides,
    }


_ARTICLES = {"a", "an", "the"}


def _tokens_at(tokens: Tokens, start: int, end: int) -> tuple[int, int] | None:
    """The tokens that stand at the characters, without a leading article."""
    inside = [n for n in range(len(tokens)) if tokens.starts[n] < end and tokens.ends[n] > start]
    while len(inside) > 1 and tokens.words[inside[0]] in _ARTICLES:
        inside = inside[1:]
    return (inside[0], inside[-1] + 1) if inside else None


def _places(text: str, part: str) -> Iterator[tuple[int, int]]:
    """Where the words stand in the text, whole words only where they are Latin."""
    for match in re.finditer(re.escape(part), text):
        before = text[: match.start()][-1:]
        after = text[match.end() :][:1]
        if part[0].isascii() and part[0].isalnum() and before.isascii() and before.isalnum():
            continue
        if part[-1].isascii() and part[-1].isalnum() and after.isascii() and after.isalnum():
            continue
        yield match.span()


def _objects(item: Item, tokens: Tokens) -> tuple[list[Span], np.ndarray]:
    tags = np.zeros(len(tokens), np.int64)
    spans: list[Span] = []
    form = form_of(item["text"])
    sentences = split_sentences(item["text"])
    held = ("asserted", "temporary")
    facts = sorted(item["facts"], key=lambda fact: fact.get("modality", "asserted") not in held)
    for fact in facts:
        for start, end in _places(item["text"], fact["object"]):
            found = _tokens_at(tokens, start, end)
            if found is None or tags[found[0] : found[1]].any():
                continue
            tags[found[0]] = 1
            tags[found[0] + 1 : found[1]] = 2
            cues = _cues_at(form, sentences, tokens.starts[found[0]])
            spans.append(_span(fact, found, cues))
            break
    return spans, tags


def _span(fact: Item, found: tuple[int, int], cues: tuple[float, ...]) -> Span:
    predicate = fact["predicate"]
    if predicate.startswith(FAVOURITE):
        predicate = FAVOURITE
    return Span(
        start=found[0],
        end=found[1],
        predicate=PREDICATES.index(predicate),
        subject=subject_number(fact["subject"]),
        polarity=int(fact.get("polarity", "+") == "-"),
        modality=MODALITIES.index(fact.get("modality", "asserted")),
        cues=cues,
    )


def _subjects(item: Item) -> set[str]:
    return {f["subject"] for f in item["facts"] if not f["subject"].startswith("user")}


def _targets(item: Item, tokens: Tokens) -> np.ndarray | None:
    """What is to be forgotten, in messages that ask for it; of others nothing is learnt."""
    if item["intent"] != "delete":
        return None
    return _tagged(item, tokens, {item["target"]} if item.get("target") else set())


def _tagged(item: Item, tokens: Tokens, parts: set[str]) -> np.ndarray:
    tags = np.zeros(len(tokens), np.int64)
    for name in sorted(parts):
        for start, end in _places(item["text"], name):
            found = _tokens_at(tokens, start, end)
            if found and not tags[found[0] : found[1]].any():
                tags[found[0]] = 1
                tags[found[0] + 1 : found[1]] = 2
    return tags


def _part(item: Item, tokens: Tokens) -> tuple[int, int] | None:
    """The tokens of the sentence that shows the intent, where there are several sentences."""
    evidence = item.get("evidence")
    if not evidence:
        return None
    sentences = split_sentences(item["text"])
    if len(sentences) < 2:
        return None
    place = item["text"].find(evidence)
    for sentence in sentences:
        if sentence.start <= place < sentence.end:
            return _tokens_at(tokens, sentence.start, sentence.end)
    return None
