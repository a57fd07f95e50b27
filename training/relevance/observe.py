"""What recall gives for questions whose evidence is known: the cases that `fit.py` learns from.

Every store is asked while it is small and when it is full. Questions are of four kinds: `told`
(something stored answers), `untold` (the answer comes later in the same conversation), `foreign`
(about another store) and `adversarial` (marked so in the file: the documents only seem to answer).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

from perdure import sync
from perdure.domain.results import Hit, Recall
from perdure.domain.text import holds_han
from perdure.embedders.registry import resolve_embedder
from perdure.engine.certainty import WORDS
from perdure.evaluation.clock import SetClock
from perdure.evaluation.retrieval.units import START, Document, Question, Unit, read_units
from perdure.ports.embedder import Embedder, tokens_of
from perdure.sync import MemoryManager

TOLD, UNTOLD, FOREIGN, ADVERSARIAL = "told", "untold", "foreign", "adversarial"
EMBEDDERS = ("local", "hashing", "off")
SIZES = (6, 12, 25, 50, 100, 200, 400, 1000, 3000)
"""Documents after which a store is asked while it grows."""
WHILE_GROWING, WHEN_FULL = 30, 150
"""Questions of a kind at most."""
LOOSE = 0.07
"""Sessions for each document from which on a store is many articles."""
PAIRS = Path(__file__).parents[2] / "benchmarks/calibration/pairs.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question and its hits, best first: strength, lexical score, cosine, tokens (None: none),
    and whether the hit is evidence. `fold` is what is left out together, `witness` the name of the
    certainty that reads them."""

    witness: str
    fold: str
    stored: int
    considered: int
    kind: str
    asks_in_han: bool
    hits: tuple[tuple[float, float, float | None, float | None, bool], ...]


def observed(paths: Sequence[Path], embedder: str, *, seed: int = 5) -> Iterator[Case]:
    """The cases of the files, and of the hand-written pairs in the repository."""
    units = [
        replace(unit, name=f"{path.name.partition('.')[0]} {unit.name}")
        for path in paths
        for unit in read_units(path.read_bytes())
    ]
    units += list(pair_units())
    for unit in units:
        others = [other for other in units if other.name != unit.name]
        yield from _of_unit(unit, others, embedder, Random(f"{seed} {unit.name}"))


def pair_units() -> Iterator[Unit]:
    """Half of the pairs, in each language and in both; asked in both."""
    rows = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    for half in (0, 1):
        for languages in (("en",), ("zh",), ("en", "zh")):
            yield _pair_unit(rows, half, languages)


def _pair_unit(rows: list[dict[str, dict[str, str]]], half: int, languages: Sequence[str]) -> Unit:
    kept = [(n, row) for n, row in enumerate(rows) if n % 2 == half]
    documents = tuple(
        Document(id=f"{n}{kind}", text=row[languages[n // 2 % len(languages)]][kind],
                 moment=START, is_dated=False)
        for n, row in kept
        for kind in ("memory", "related")
    )  # fmt: skip
    questions = tuple(
        Question(id=f"{n}{language}", text=row[language]["question"], category="", language=language,
                 gold=frozenset({f"{n}memory"}) if n % 2 == half else frozenset())
        for n, row in enumerate(rows)
        for language in ("en", "zh")
    )  # fmt: skip
    return Unit(
        name=f"pairs {half} {'-'.join(languages)}",
        language=languages[0],
        documents=documents,
        questions=questions,
    )


def _of_unit(unit: Unit, others: Sequence[Unit], embedder: str, chance: Random) -> Iterator[Case]:
    strange = [
        question
        for other in others
        if other.language[:2] == unit.language[:2] and not other.name.startswith("pairs")
        for question in other.questions
        if question.is_answerable
    ]
    clock = SetClock(START)
    with sync.open("memory://", embedder=embedder, clock=clock) as memory:
        mine = memory.scoped(user=unit.name)
        ids: dict[str, str] = {}
        for count, item in enumerate(unit.documents, start=1):
            ids[_stored(mine, item, clock)] = item.id
            is_full = count == len(unit.documents)
            if count not in SIZES and not is_full:
                continue
            most = WHEN_FULL if is_full else WHILE_GROWING
            for kind, question in _drawn(unit, strange, set(ids.values()), most, chance):
                found = mine.recall(question.text)
                yield _case(unit, question, kind, witness_of(embedder, question), found, ids)


def _stored(mine: MemoryManager, item: Document, clock: SetClock) -> str:
    clock.set(max(item.moment, clock.now()))
    stored = mine.scoped(session=item.session).remember(
        item.text,
        occurred_at=item.moment if item.is_dated else None,
        source={"speaker": item.speaker} if item.speaker else None,
    )
    return stored.memory.id


def _drawn(
    unit: Unit, strange: Sequence[Question], known: set[str], most: int, chance: Random
) -> Iterator[tuple[str, Question]]:
    kinds: dict[str, list[Question]] = {TOLD: [], UNTOLD: [], ADVERSARIAL: []}
    for question in unit.questions:
        if question.by_session:
            continue
        if question.gold and not question.is_answerable:
            kinds[ADVERSARIAL].append(question)
        else:
            kinds[TOLD if question.gold & known else UNTOLD].append(question)
    kinds[FOREIGN] = list(strange)
    for kind, questions in kinds.items():
        for question in chance.sample(questions, min(most, len(questions))):
            yield kind, question


def _case(
    unit: Unit, question: Question, kind: str, witness: str, found: Recall, ids: dict[str, str]
) -> Case:
    gold = question.gold if kind in (TOLD, ADVERSARIAL) else frozenset()
    return Case(
        witness=witness,
        fold=_fold(unit, question),
        stored=len(ids),
        considered=found.considered,
        kind=kind,
        asks_in_han=holds_han(question.text),
        hits=tuple(_seen(hit, gold, ids) for hit in found),
    )


def witness_of(embedder: str, question: Question) -> str:
    """The name of what speaks for hits of the question, as `engine/certainty.py` has it."""
    made = _resolved(embedder)
    if made is None:
        return WORDS
    model = made.model
    if model.tokens is None:
        return model.identity
    [rows] = asyncio.run(tokens_of(made, [question.text], purpose="query"))
    return f"{model.identity} + {model.tokens.identity}" if len(rows.rows) else model.identity


@cache
def _resolved(embedder: str) -> Embedder | None:
    return resolve_embedder(embedder)


def _fold(unit: Unit, question: Question) -> str:
    """The store, but parts of one that is made of many articles rather than of one conversation."""
    sessions = {item.session for item in unit.documents}
    if len(sessions) < LOOSE * len(unit.documents):
        return unit.name
    return f"{unit.name} {Random(question.id).randrange(5)}"


def _seen(
    hit: Hit, gold: frozenset[str], ids: dict[str, str]
) -> tuple[float, float, float | None, float | None, bool]:
    arms = hit.explanation.arms
    came = {ids[id_] for id_ in (hit.memory.id, *hit.memory.provenance) if id_ in ids}
    return (
        hit.explanation.strength,
        arms.get("lexical", 0.0),
        arms.get("vector"),
        arms.get("tokens"),
        not gold.isdisjoint(came),
    )


def kept(cases: Iterator[Case], target: Path) -> None:
    """Write the cases, one line each."""
    with target.open("w", encoding="utf-8") as lines:
        for case in cases:
            lines.write(json.dumps(asdict(case)) + "\n")


def read(source: Path) -> list[Case]:
    """What `kept` wrote."""
    rows = (json.loads(line) for line in source.read_text("utf-8").splitlines())
    return [Case(**{**row, "hits": tuple(tuple(hit) for hit in row["hits"])}) for row in rows]
