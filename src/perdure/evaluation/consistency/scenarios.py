"""Scenarios: short conversations, and the checks that are made after them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Literal

from perdure.evaluation.lines import Fields, read_items

DECISIONS = ("create", "update", "delete", "none")
Counted = Literal["any", "facts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    role: str
    content: str
    time: datetime
    speaker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCheck:
    """What may be decided on a turn."""

    turn: int
    expect: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentCheck:
    """What holds now, and what must not be given as holding."""

    query: str
    expect_any: tuple[str, ...]
    reject: tuple[str, ...]
    k: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOfCheck:
    """The same for an earlier time."""

    query: str
    as_of: datetime
    expect_any: tuple[str, ...]
    reject: tuple[str, ...]
    k: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentCheck:
    """What was withdrawn, and may not come back."""

    query: str
    reject: tuple[str, ...]
    k: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeCheck:
    """When something happened, both ends included."""

    query: str
    contains: str
    interval: tuple[datetime, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFactsCheck:
    """How many memories hold a string."""

    query: str
    contains: str
    least: int
    most: int
    count: Counted


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictCheck:
    """What is contested."""

    query: str
    expect_all: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributedCheck:
    """What is not true of the user but of somebody else."""

    query: str
    contains: str
    names: tuple[str, ...]


Check = (
    DecisionCheck
    | CurrentCheck
    | AsOfCheck
    | AbsentCheck
    | TimeCheck
    | LiveFactsCheck
    | ConflictCheck
    | AttributedCheck
)

NAMES: dict[type[Check], str] = {
    DecisionCheck: "decision",
    CurrentCheck: "current",
    AsOfCheck: "as_of",
    AbsentCheck: "absent",
    TimeCheck: "time",
    LiveFactsCheck: "live_facts",
    ConflictCheck: "conflict",
    AttributedCheck: "attributed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    id: str
    language: str
    kind: str
    variant: str | None
    turns: tuple[Turn, ...]
    checks: tuple[Check, ...]


def read_scenarios(lines: Iterable[str]) -> list[Scenario]:
    """The scenarios of a file. Raises `InvalidInput`, which names the line."""
    return read_items(lines, _scenario)


def _scenario(fields: Fields) -> Scenario:
    turns = tuple(_turn(part) for part in fields.parts("turns"))
    if not turns:
        raise ValueError("it has no turns")
    if any(after.time <= before.time for before, after in pairwise(turns)):
        raise ValueError("its turns are not in the order of time")
    checks = tuple(_check(part) for part in fields.parts("checks"))
    if not checks:
        raise ValueError("it has no checks")
    if any(isinstance(check, DecisionCheck) and check.turn >= len(turns) for check in checks):
        raise ValueError("a check is about a turn that does not exist")
    return Scenario(
        id=fields.text("id"),
        language=fields.text("lang"),
        kind=fields.text("kind"),
        variant=fields.optional_text("variant"),
        turns=turns,
        checks=checks,
    )


def _turn(fields: Fields) -> Turn:
    return Turn(
        role=fields.text("role", of=("user", "assistant", "system")),
        content=fields.text("content"),
        time=fields.moment("time"),
        speaker=fields.optional_text("speaker"),
    )


def _check(fields: Fields) -> Check:
    match fields.text("type", of=NAMES.values()):
        case "decision":
            return DecisionCheck(
                turn=fields.whole("turn"), expect=fields.texts("expect", of=DECISIONS)
            )
        case "current":
            return CurrentCheck(
                query=fields.text("query"),
                expect_any=fields.texts("expect_any"),
                reject=fields.texts("reject", may_lack=True),
                k=fields.whole("k", least=1),
            )
        case "as_of":
            return AsOfCheck(
                query=fields.text("query"),
                as_of=fields.moment("as_of"),
                expect_any=fields.texts("expect_any"),
                reject=fields.texts("reject", may_lack=True),
                k=fields.whole("k", least=1),
            )
        case "absent":
            return AbsentCheck(
                query=fields.text("query"),
                reject=fields.texts("reject"),
                k=fields.whole("k", least=1),
            )
        case "time":
            return TimeCheck(
                query=fields.text("query"),
                contains=fields.text("contains"),
                interval=fields.moments("interval"),
            )
        case "live_facts":
            return _live_facts(fields)
        case "conflict":
            return ConflictCheck(query=fields.text("query"), expect_all=fields.texts("expect_all"))
        case _:
            return AttributedCheck(
                query=fields.text("query"),
                contains=fields.text("contains"),
                names=fields.texts("names"),
            )


def _live_facts(fields: Fields) -> LiveFactsCheck:
    least, most = fields.whole("min"), fields.whole("max")
    if least > most:
        raise ValueError('"min" is more than "max"')
    return LiveFactsCheck(
        query=fields.text("query"),
        contains=fields.text("contains"),
        least=least,
        most=most,
        count="facts" if fields.text("count", of=("any", "facts")) == "facts" else "any",
    )
