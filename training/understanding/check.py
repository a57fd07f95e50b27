"""Checks the training text of the message model and the pair model, and counts what is in it.

    python training/understanding/check.py [FILE ...] [--apart-from FILE ...]

Without files, all of `en` and `zh` is checked. A text may stand only once per language and kind,
and, with `--apart-from`, in none of the given JSON Lines files (sets that measure).
The exit code is 1 when something is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
Item = dict[str, Any]

INTENTS = set("create update delete consolidate none".split())
MODALITIES = set("asserted temporary hypothetical question quoted".split())
RELATIONS = set("supersedes adds restates contradicts excepts precedes retracts unrelated".split())
PREDICATES = set(
    """
    name nickname age born_on born_in raised_in lives_in ethnicity native_language religion
    marital_status spouse partner works_at job_title manager studies_at diet contact_preference
    timezone blood_type height shoe_size breed deadline located_in
    likes dislikes prefers avoids allergic_to health_condition takes_medication child parent
    sibling relative friend colleague housemate neighbour has_pet pet_name speaks learning skill
    hobby field_of_study owns uses works_on member_of plans goal schedule nationality visited
    email phone instructs
    """.split()
)
FAVOURITE = "favourite:"

MESSAGE_KEYS = set("text context intent evidence facts target tags".split())
FACT_KEYS = set("subject predicate object polarity modality replaces".split())
PAIR_KEYS = set("old new relation kind".split())


def message_faults(item: Item) -> Iterator[str]:
    """What is wrong with one message, in words."""
    text = item.get("text", "")
    if not isinstance(text, str) or not text.strip():
        yield "no text"
        return
    yield from (f"unknown key {key!r}" for key in item.keys() - MESSAGE_KEYS)
    if item.get("intent") not in INTENTS:
        yield f"unknown intent {item.get('intent')!r}"
    for key in ("evidence", "target"):
        if key in item and (not item[key] or item[key] not in text):
            yield f"{key} {item[key]!r} does not stand in the text"
    context = item.get("context", [])
    if len(context) > 3:
        yield "more than three turns of context"
    for turn in context:
        if turn.keys() != {"role", "content"} or turn["role"] not in ("user", "assistant"):
            yield f"not a turn: {turn!r}"
    known = " ".join([text, *(str(turn.get("content")) for turn in context)]).casefold()
    for fact in item.get("facts", ["facts are missing"]):
        yield from fact_faults(fact, text=text, known=known)
    seen = Counter(json.dumps(fact, sort_keys=True) for fact in item.get("facts", []))
    yield from (f"fact listed twice: {fact}" for fact, times in seen.items() if times > 1)


def fact_faults(fact: Any, *, text: str, known: str) -> Iterator[str]:
    """What is wrong with one fact of `text`; `known` is the text with its context, case folded."""
    if not isinstance(fact, dict):
        yield f"not a fact: {fact!r}"
        return
    yield from (f"unknown key {key!r} in a fact" for key in fact.keys() - FACT_KEYS)
    subject, predicate = str(fact.get("subject", "")), str(fact.get("predicate", ""))
    is_user = subject == "user" or subject.startswith("user.")
    if not subject or (not is_user and subject.casefold() not in known):
        yield f"subject {subject!r} is neither the user's nor named"
    if predicate not in PREDICATES and not predicate.removeprefix(FAVOURITE).isascii():
        yield f"the thing in {predicate!r} is not in English"
    elif predicate not in PREDICATES and not (
        predicate.startswith(FAVOURITE) and len(predicate) > len(FAVOURITE)
    ):
        yield f"unknown predicate {predicate!r}"
    if not fact.get("object") or fact["object"] not in text:
        yield f"object {fact.get('object')!r} does not stand in the text"
    if fact.get("polarity") not in ("+", "-"):
        yield f"unknown polarity {fact.get('polarity')!r}"
    if fact.get("modality") not in MODALITIES:
        yield f"unknown modality {fact.get('modality')!r}"
    if "replaces" in fact and fact["replaces"] not in text:
        yield f"replaced value {fact['replaces']!r} does not stand in the text"


def pair_faults(item: Item) -> Iterator[str]:
    """What is wrong with one pair, in words."""
    yield from (f"unknown key {key!r}" for key in item.keys() - PAIR_KEYS)
    for key in ("old", "new"):
        if not isinstance(item.get(key), str) or not item[key].strip():
            yield f"no {key} statement"
    if item.get("relation") not in RELATIONS:
        yield f"unknown relation {item.get('relation')!r}"


def items(path: Path) -> Iterator[tuple[str, Item]]:
    """Each line of a file with its place; a line that is not an object gives an empty item."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                item = json.loads(line)
            except json.JSONDecodeError:
                item = None
            yield f"{path}:{number}", item if isinstance(item, dict) else {}


def folded(text: str) -> str:
    """The letters and digits of a text, to tell whether two are the same."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def strings(value: Any) -> Iterator[str]:
    """All strings inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def is_pair(path: Path) -> bool:
    return path.parent.name == "pairs"


def identity(item: Item, *, pair: bool) -> str:
    """Equal for two items that would teach the same; a context can change what a text asks."""
    if pair:
        return f"{folded(str(item.get('old')))}|{folded(str(item.get('new')))}"
    return "|".join(map(folded, strings([item.get("context", []), item.get("text", "")])))


def faults(paths: Iterable[Path], apart_from: Iterable[Path]) -> Iterator[str]:
    """Everything that is wrong in the files, one line each."""
    # Short sentences ("Yes, please.") belong to everybody.
    kept_apart = {
        folded(text)
        for path in apart_from
        for _, item in items(path)
        for text in strings(item)
        if len(folded(text)) > 20
    }
    seen: dict[tuple[str, str], str] = {}
    for path in paths:
        for place, item in items(path):
            pair = is_pair(path)
            yield from (
                f"{place}: {fault}" for fault in (pair_faults if pair else message_faults)(item)
            )
            key = (str(path.parent), identity(item, pair=pair))
            if key in seen:
                yield f"{place}: the same as {seen[key]}"
            seen.setdefault(key, place)
            for text in strings(item):
                if folded(text) in kept_apart:
                    yield f"{place}: stands in a set that measures"


def counts(paths: Iterable[Path]) -> Iterator[tuple[str, Counter[str]]]:
    """How often each label occurs, by language and kind of text."""
    tables: dict[str, Counter[str]] = {}
    for path in paths:
        heading = f"{path.parent.parent.name} {path.parent.name}"

        def count(table: str, value: object, heading: str = heading) -> None:
            tables.setdefault(f"{heading}, {table}", Counter())[str(value)] += 1

        for _, item in items(path):
            if is_pair(path):
                count("relation", item.get("relation"))
                continue
            count("intent", item.get("intent"))
            for fact in item.get("facts", []):
                count("predicate", str(fact.get("predicate")).partition(":")[0])
                count("modality", fact.get("modality"))
                count("polarity", fact.get("polarity"))
                count("whose", "user" if fact.get("subject") == "user" else "another")
    yield from tables.items()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--apart-from", nargs="*", type=Path, default=[])
    options = parser.parse_args()
    paths = [path.resolve() for path in options.files] or sorted(HERE.glob("*/*/*.jsonl"))
    for table, counter in counts(paths):
        listed = ", ".join(f"{label} {times}" for label, times in counter.most_common())
        sys.stdout.write(f"{table} ({counter.total()}): {listed}\n")
    found = list(faults(paths, options.apart_from))
    sys.stdout.writelines(f"{fault}\n" for fault in found)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
