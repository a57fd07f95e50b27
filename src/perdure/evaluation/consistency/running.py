"""Playing scenarios to a memory, and asking it afterwards."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from perdure.domain.records import Kind, Memory
from perdure.domain.results import Hit, Observed
from perdure.evaluation.clock import SetClock
from perdure.evaluation.consistency.checks import (
    Found,
    absent_passes,
    as_of_passes,
    attributed_passes,
    conflict_passes,
    contains,
    current_passes,
    decision_passes,
    live_facts_passes,
    time_passes,
)
from perdure.evaluation.consistency.figures import Played, Verdict, every_time, report
from perdure.evaluation.consistency.scenarios import (
    AbsentCheck,
    AsOfCheck,
    AttributedCheck,
    Check,
    ConflictCheck,
    CurrentCheck,
    DecisionCheck,
    LiveFactsCheck,
    Scenario,
    TimeCheck,
    Turn,
)
from perdure.evaluation.report import Report
from perdure.evaluation.running import Setting, Watch, unwatched
from perdure.sync import MemoryManager

LIMIT = 10
"""Hits per question."""
PAUSE = timedelta(minutes=1)
"""From the last turn to the questions."""


def evaluate(
    scenarios: Sequence[Scenario], setting: Setting, *, watch: Watch = unwatched, rounds: int = 1
) -> Report:
    """Play every scenario, each to a user of its own.

    With several `rounds` a scenario passes when it passes in each of them.
    """
    every: list[list[Played]] = []
    with setting.opened(scenarios[0].turns[0].time) as (memory, clock):
        for round_ in range(rounds):
            every.append([])
            for scenario in scenarios:
                watch(sum(map(len, every)), rounds * len(scenarios), scenario.id)
                user = setting.user(f"{round_}/{scenario.id}" if rounds > 1 else scenario.id)
                every[-1].append(play(memory.scoped(user=user), clock, scenario))
    return report(every_time(every))


def play(memory: MemoryManager, clock: SetClock, scenario: Scenario) -> Played:
    """Observe the turns, each at its time, then make the checks a minute after the last."""
    decided: list[frozenset[str]] = []
    for number, turn in enumerate(scenario.turns):
        clock.set(turn.time)
        decided.append(decided_on(turn, memory.observe([message_of(number, turn)])))
    clock.set(scenario.turns[-1].time + PAUSE)
    asking = _Asking(memory, scenario.turns, decided, clock.now())
    return Played(
        scenario=scenario,
        verdicts=tuple(asking.verdict(check) for check in scenario.checks),
    )


def message_of(number: int, turn: Turn) -> dict[str, object]:
    """A turn as `observe` takes it. Its id leads from a hit back to the turn."""
    message: dict[str, object] = {
        "role": turn.role,
        "content": turn.content,
        "time": turn.time,
        "id": str(number),
    }
    if turn.speaker is not None:
        message["name"] = turn.speaker
    return message


def decided_on(turn: Turn, observed: Observed) -> frozenset[str]:
    """What was decided on a turn, in the words of the checks.

    Tidying what is known changes nothing that holds. A system turn is context the application
    supplied; to keep it is no news, unless a fact was drawn from it.
    """
    decided = set()
    for decision in observed.decisions:
        operation = str(decision.operation)
        draws = any(memory.kind is Kind.SEMANTIC for memory in decision.memories)
        if operation == "consolidate" or (
            operation == "create" and turn.role == "system" and not draws
        ):
            operation = "none"
        decided.add(operation)
    return frozenset(decided or {"none"})


class _Asking:
    """The questions after one conversation."""

    def __init__(
        self,
        memory: MemoryManager,
        turns: Sequence[Turn],
        decided: Sequence[Collection[str]],
        now: datetime,
    ) -> None:
        self._memory = memory
        self._turns = turns
        self._decided = decided
        self._now = now

    def verdict(self, check: Check) -> Verdict:
        """Ask, and decide whether the check passes."""
        if isinstance(check, DecisionCheck):
            decided = self._decided[check.turn]
            return Verdict(
                check=check,
                passed=decision_passes(decided, check.expect),
                asked=self._turns[check.turn].content,
                expected=" or ".join(check.expect),
                came=" and ".join(sorted(decided)),
            )
        as_of = check.as_of if isinstance(check, AsOfCheck) else None
        hits = [
            self._found(hit) for hit in self._memory.recall(check.query, limit=LIMIT, as_of=as_of)
        ]
        return Verdict(
            check=check,
            passed=passes(check, hits),
            asked=check.query,
            expected=expectation(check),
            came=shown(hits),
        )

    def _found(self, hit: Hit) -> Found:
        memory = hit.memory
        return Found(
            id=memory.id,
            text=memory.content,
            is_marked=hit.status == "former" or memory.superseded_by is not None,
            is_contested=hit.status == "contested",
            disputes=frozenset(memory.contradicts),
            subject=memory.subject,
            object=memory.object,
            polarity=memory.polarity,
            times=_times(memory),
            is_counted=self._is_counted(memory),
        )

    def _is_counted(self, memory: Memory) -> bool:
        """Whether a verbatim hit is a user's words on a turn that decided something."""
        ids = {int(id_) for id_ in memory.source.message_ids if id_.isdecimal()}
        turns = ids or {
            number
            for number, turn in enumerate(self._turns)
            if contains(turn.content, memory.content)
        }
        return any(
            self._turns[number].role == "user" and set(self._decided[number]) != {"none"}
            for number in turns
            if number < len(self._turns)
        )


def _times(memory: Memory) -> tuple[tuple[datetime, datetime], ...]:
    occurred = (memory.occurred_at, memory.occurred_until or memory.occurred_at)
    return (occurred, (memory.valid_from, memory.valid_to or memory.valid_from))


def passes(check: Check, hits: Sequence[Found]) -> bool:
    """Whether a check other than of a decision passes."""
    match check:
        case CurrentCheck():
            return current_passes(check, hits)
        case AsOfCheck():
            return as_of_passes(check, hits)
        case AbsentCheck():
            return absent_passes(check, hits)
        case TimeCheck():
            return time_passes(check, hits)
        case LiveFactsCheck():
            return live_facts_passes(check, hits)
        case ConflictCheck():
            return conflict_passes(check, hits)
        case AttributedCheck():
            return attributed_passes(check, hits)
        case DecisionCheck():
            raise TypeError("a decision is not asked of recall")


def expectation(check: Check) -> str:
    """What a check wants, in words."""
    match check:
        case CurrentCheck() | AsOfCheck():
            wanted = f"{_any(check.expect_any)} in the first {check.k}"
            if isinstance(check, AsOfCheck):
                wanted += f" as of {check.as_of.isoformat()}"
            return wanted + (f", and not {_any(check.reject)}" if check.reject else "")
        case AbsentCheck():
            return f"not {_any(check.reject)} in the first {check.k}"
        case TimeCheck():
            first, last = check.interval
            return f"“{check.contains}” from {first.isoformat()} to {last.isoformat()}"
        case LiveFactsCheck():
            what = "facts or sentences" if check.count == "any" else "facts"
            return f"{check.least} to {check.most} {what} with “{check.contains}”"
        case ConflictCheck():
            return f"{' and '.join(f'“{string}”' for string in check.expect_all)}, contested"
        case AttributedCheck():
            return f"“{check.contains}” said of {_any(check.names)}, not of the user"
        case DecisionCheck():
            return " or ".join(check.expect)


def _any(strings: Sequence[str]) -> str:
    return " or ".join(f"“{string}”" for string in strings)


def shown(hits: Sequence[Found]) -> str:
    """Hits for people to read, one per line."""
    return "\n".join(_shown(hit) for hit in hits) or "nothing"


def _shown(hit: Found) -> str:
    marks: Mapping[str, bool] = {
        "former": hit.is_marked,
        "contested": hit.is_contested,
        "not counted": not hit.is_counted and not hit.is_fact,
    }
    told = [name for name, is_so in marks.items() if is_so]
    if hit.is_fact:
        told.append(f"{hit.subject} → {hit.object} {hit.polarity or ''}".rstrip())
    told += [f"{start:%Y-%m-%dT%H:%M}/{end:%Y-%m-%dT%H:%M}" for start, end in hit.times]
    return f"{hit.text} [{'; '.join(told)}]"
