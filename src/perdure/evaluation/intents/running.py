"""Giving labelled messages to a memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from perdure.domain.results import Observed
from perdure.evaluation.clock import SetClock
from perdure.evaluation.intents.items import IntentItem
from perdure.evaluation.intents.scoring import Judged, label_of, report
from perdure.evaluation.report import Report
from perdure.evaluation.running import Setting, Watch, unwatched
from perdure.sync import MemoryManager

START = datetime(2024, 3, 6, 10, tzinfo=UTC)
"""The items name no time of their own. It is past, so that what they leave can be looked at."""
APART = timedelta(minutes=1)


def evaluate(items: Sequence[IntentItem], setting: Setting, *, watch: Watch = unwatched) -> Report:
    """Give every message to a memory of its own, after what was said before it."""
    judged = []
    with setting.opened(START) as (memory, clock):
        for done, item in enumerate(items):
            watch(done, len(items), item.id)
            observed = observe(memory.scoped(user=setting.user(item.id)), clock, item)
            given = label_of({str(decision.operation) for decision in observed.decisions})
            judged.append(Judged(item=item, given=given))
    return report(judged)


def observe(memory: MemoryManager, clock: SetClock, item: IntentItem) -> Observed:
    """What the memory made of the message, turn by turn as in a conversation."""
    clock.set(START)
    for message in item.context:
        memory.observe([{"role": message.role, "content": message.content, "time": clock.now()}])
        clock.set(clock.now() + APART)
    return memory.observe([{"role": "user", "content": item.message, "time": clock.now()}])
