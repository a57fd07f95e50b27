"""Filling a memory with statements, and asking it about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from perdure.domain.results import Hit
from perdure.evaluation.clock import SetClock
from perdure.evaluation.consolidation.scoring import LIMIT, Asked, report
from perdure.evaluation.consolidation.units import Unit
from perdure.evaluation.report import Report
from perdure.evaluation.running import Setting, Watch, unwatched
from perdure.sync import MemoryManager

START = datetime(2024, 1, 1, tzinfo=UTC)
"""The statements number their times; each counts as a minute from here."""


def evaluate(units: Sequence[Unit], setting: Setting, *, watch: Watch = unwatched) -> Report:
    """Remember every unit's statements in order for a user of its own, then ask its questions."""
    asked: list[Asked] = []
    total = sum(len(unit.statements) + len(unit.questions) for unit in units)
    done = 0
    with setting.opened(START) as (memory, clock):
        for unit in units:
            mine = memory.scoped(user=setting.user(unit.name))
            statements: dict[str, str] = {}
            for id_, statement in _remembered(mine, clock, unit):
                statements[id_] = statement
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


def _remembered(memory: MemoryManager, clock: SetClock, unit: Unit) -> Iterator[tuple[str, str]]:
    """Each memory's id with that of its statement."""
    for statement in sorted(unit.statements, key=lambda statement: statement.time):
        clock.set(START + timedelta(minutes=statement.time))
        in_session = memory.scoped(session=statement.session) if statement.session else memory
        remembered = in_session.remember(
            statement.text, source={"role": "user", "speaker": statement.speaker}
        )
        yield remembered.memory.id, statement.id


def ranked(hits: Sequence[Hit], statements: Mapping[str, str]) -> tuple[str, ...]:
    """The statements that came, best first, each once; a fact stands for those it was drawn from."""
    came = [
        statements[id_]
        for hit in hits
        for id_ in (hit.memory.id, *hit.memory.provenance)
        if id_ in statements
    ]
    return tuple(dict.fromkeys(came))
