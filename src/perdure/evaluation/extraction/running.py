"""Giving labelled messages to a memory, and reading the facts it drew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from perdure.domain.readings import USER, Modality
from perdure.domain.records import Memory
from perdure.domain.results import Observed
from perdure.evaluation.extraction.items import ExtractionItem
from perdure.evaluation.extraction.matching import FoundFact
from perdure.evaluation.extraction.scoring import report
from perdure.evaluation.report import Report
from perdure.evaluation.running import Setting, Watch, unwatched
from perdure.sync import MemoryManager

START = datetime(2024, 3, 6, 10, tzinfo=UTC)
"""The items name no time of their own. It is past, so that what they leave can be looked at."""


def evaluate(
    items: Sequence[ExtractionItem], setting: Setting, *, watch: Watch = unwatched
) -> Report:
    """Give every message to a memory of its own."""
    found = []
    with setting.opened(START) as (memory, _clock):
        for done, item in enumerate(items):
            watch(done, len(items), item.id)
            found.append((item, facts_in(memory.scoped(user=setting.user(item.id)), item)))
    return report(found)


def facts_in(memory: MemoryManager, item: ExtractionItem) -> list[FoundFact]:
    """The facts the memory drew from the message."""
    message = {"role": "user", "content": item.message, "time": START}
    if item.speaker != USER:
        message["name"] = item.speaker
    return list(drawn(memory.observe([message]), START))


def drawn(observed: Observed, now: datetime) -> Iterator[FoundFact]:
    """The facts among the memories an observation made, each once."""
    memories = [*observed.memories, *(m for d in observed.decisions for m in d.memories)]
    for memory in {memory.id: memory for memory in memories}.values():
        fact = fact_of(memory, now)
        if fact is not None:
            yield fact


def fact_of(memory: Memory, now: datetime) -> FoundFact | None:
    """A memory as a fact, or None when it is not one.

    A fact whose time is over counts as denied, which is how a label writes it; one whose end is
    in sight as temporary.
    """
    if memory.subject is None or memory.predicate is None or memory.object is None:
        return None
    is_over = memory.valid_to is not None and memory.valid_to <= now
    modality = memory.metadata.get("modality")
    if modality not in set(Modality):
        ends = memory.valid_to is not None and not is_over
        modality = Modality.TEMPORARY if ends else Modality.ASSERTED
    return FoundFact(
        subject=memory.subject,
        predicate=memory.predicate,
        object=memory.object,
        polarity="-" if is_over or memory.polarity == "-" else "+",
        modality=Modality(modality),
    )
