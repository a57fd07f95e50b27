"""Pairs made of messages that were written apart.

Most statements have nothing to do with one another; two values of a kind that many may have
stand beside one another; of a kind that has one, the later takes the place of the earlier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from text import items_of

from perdure.understanding.predicates import SINGLE_VALUED

Item = dict[str, Any]

BESIDE = frozenset(
    "likes dislikes avoids allergic_to health_condition takes_medication child sibling relative "
    "friend colleague neighbour has_pet pet_name speaks learning skill hobby owns uses works_on "
    "member_of visited plans goal".split()
)
"""Predicates of which people have several values at once."""

IN_PLACE = SINGLE_VALUED - {"located_in", "deadline", "nickname", "native_language"}
"""Predicates whose later value takes the place of the earlier."""

NONE_SHARE = 0.4
"""Share of new messages that say nothing."""


UNRELATED, SEED = 2500, 7
"""Pairs that are drawn for each language."""


def crossed_pairs(language: str, hold_out: Sequence[str] = ()) -> list[Item]:
    """The pairs made of one language's messages; always the same."""
    items = [item for name, item in items_of("messages", [language]) if name not in hold_out]
    return list(crossed(items, UNRELATED, Random(SEED)))


def crossed(items: Sequence[Item], count: int, generator: Random) -> Iterator[Item]:
    """`count` unrelated pairs, and half as many that meet in one kind of fact."""
    items = [item for item in items if not item.get("context")]
    held = [item for item in items if item["intent"] == "create" and _held(item)]
    silent = [item for item in items if item["intent"] == "none"]
    others = [item for item in items if item["intent"] in ("create", "update")]
    made = 0
    while made < count:
        old = generator.choice(held)
        new = generator.choice(silent if generator.random() < NONE_SHARE else others)
        if old is new or _has_in_common(old, new):
            continue
        made += 1
        yield _pair(old, new, "unrelated")
    yield from _meeting(held, count // 2, generator)


def _meeting(held: Sequence[Item], count: int, generator: Random) -> Iterator[Item]:
    by_slot: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in held:
        if len(_held(item)) == 1 == len(item["facts"]):
            fact = item["facts"][0]
            by_slot[fact["subject"], fact["predicate"]].append(item)
    slots = sorted(slot for slot, found in by_slot.items() if len(found) > 1)
    slots = [(who, what) for who, what in slots if who == "user" and what in BESIDE | IN_PLACE]
    for _ in range(count):
        slot = generator.choice(slots)
        old, new = generator.sample(by_slot[slot], 2)
        if old["facts"][0]["object"].casefold() == new["facts"][0]["object"].casefold():
            continue
        yield _pair(old, new, "adds" if slot[1] in BESIDE else "supersedes")


def _held(item: Item) -> list[Item]:
    return [
        fact
        for fact in item["facts"]
        if fact.get("polarity", "+") == "+" and fact.get("modality", "asserted") == "asserted"
    ]


def _pair(old: Item, new: Item, relation: str) -> Item:
    return {"old": old["text"], "new": new["text"], "relation": relation, "kind": "crossed"}


def _has_in_common(old: Item, new: Item) -> bool:
    kinds = {fact["predicate"] for fact in old["facts"]}
    if kinds & {fact["predicate"] for fact in new["facts"]}:
        return True
    names = [fact["object"] for fact in old["facts"] if len(fact["object"]) > 1]
    return any(name in new["text"] for name in names)
