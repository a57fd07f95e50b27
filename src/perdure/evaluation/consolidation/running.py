"""Filling a memory with statements, and asking it about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from perdure.domain.results import Hit
from perdure.evaluation.clock import SetClock
from perdure.evaluation.consolidation.scoring import LIMIT, Asked, report
from perdure.evaluation.consolidation.units import Statement, Unit
from perdure.evaluation.report import Report
from perdure.evaluation.running import Setting, Watch, unwatched
from perdure.sync import MemoryManager

START = datetime(2024, 1, 1, tzinfo=UTC)
"""The statements number their times; each counts as a minute from here."""


def evaluate(units: Sequence[Unit], setting: Setting, *, watch: Watch = unwatched) -> Report:
    """Tell a user's memory of its own each unit's statements in order, then ask the questions."""
    asked: list[Asked] = []
    total = sum(len(unit.statements) + len(unit.questions) for unit in units)
    done = 0
    with setting.opened(START) as (memory, clock):
        for unit in units:
            mine = memory.scoped(user=setting.user(unit.name))
            statements: dict[str, str] = {}
            for statement, ids in _told(mine, clock, unit, observes=setting.observes):
                for id_ in ids:
                    statements.setdefault(id_, statement.id)
                watch(done := done + 1, total, unit.name)
            for question in unit.questions:
                found = mine.recall(question.text, limit=LIMIT)
                asked.append(
                    Asked(
                        unit=unit.name,
                        language=unit.language,
                        question=question,
                        came=ranked(found, statements),
                    )
                )
                watch(done := done + 1, total, question.id)
    return report(asked)


def _told(
    memory: MemoryManager, clock: SetClock, unit: Unit, *, observes: bool
) -> Iterator[tuple[Statement, tuple[str, ...]]]:
    """Each statement with the ids of the memories that came of it."""
    for statement in sorted(unit.statements, key=lambda statement: statement.time):
        clock.set(START + timedelta(minutes=statement.time))
        in_session = memory.scoped(session=statement.session) if statement.session else memory
        tell = _observed if observes else _remembered
        yield statement, tell(in_session, statement)


def _remembered(memory: MemoryManager, statement: Statement) -> tuple[str, ...]:
    source = {"role": "user", "speaker": statement.speaker}
    return (memory.remember(statement.text, source=source).memory.id,)


def _observed(memory: MemoryManager, statement: Statement) -> tuple[str, ...]:
    message = {"role": "user", "content": statement.text, "id": statement.id}
    if statement.speaker is not None:
        message["name"] = statement.speaker
    return tuple(made.id for made in memory.observe([message]).memories)


def ranked(hits: Sequence[Hit], statements: Mapping[str, str]) -> tuple[str, ...]:
    """The statements that came, best first, each once; a fact stands for those it was drawn from."""
    came = [
        statements[id_]
        for hit in hits
        for id_ in (hit.memory.id, *hit.memory.provenance)
        if id_ in statements
    ]
    return tuple(dict.fromkeys(came))
