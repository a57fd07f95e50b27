"""What the embedded product must reach, beside the figures that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.registry import BASELINE, SUBJECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A bound on one figure of the subject: `limit`, times another system's figure if named.

    `figure` is looked up in the case's figures of `system`; `at_least` says which way is good.
    """

    case: str
    figure: str
    limit: float
    at_least: bool = False
    times: str | None = None
    system: str = SUBJECT
    unit: str = ""


TARGETS = (
    # One per add; what is above 1 are the checkpoints, spread over the adds between them.
    Target(case="add", figure="fsyncs", limit=1.05, unit="fsyncs"),
    Target(case="add", figure="cpu_ms", limit=0.7, unit="ms CPU"),
    Target(case="add_8_threads", figure="per_s", limit=5.0, at_least=True, times="langgraph"),
    Target(case="add_8_threads", figure="per_s", limit=1.0, at_least=True, times=BASELINE),
    Target(case="add_4_processes", figure="per_s", limit=2.0, at_least=True, times="langgraph"),
    Target(case="add_batch_100", figure="per_s", limit=7_000, at_least=True, unit="/s"),
    Target(case="import", figure="per_s", limit=0.7, at_least=True, times=BASELINE),
    Target(case="recall_10k", figure="cpu_ms", limit=1.0, unit="ms CPU"),
    Target(case="recall_10k", figure="fewest", limit=10, at_least=True, unit="hits"),
    Target(case="recall_100k", figure="cpu_ms", limit=4.0, unit="ms CPU"),
    Target(case="recall_100k", figure="fewest", limit=10, at_least=True, unit="hits"),
    Target(case="recall_10k_8_threads", figure="per_s", limit=1_500, at_least=True, unit="/s"),
    Target(case="recall_10k_kind", figure="to_unfiltered", limit=1.2, unit="x unfiltered"),
    Target(case="recall_10k_time", figure="to_unfiltered", limit=1.2, unit="x unfiltered"),
    Target(case="recall_100k_kind", figure="to_unfiltered", limit=1.2, unit="x unfiltered"),
    Target(case="recall_100k_time", figure="to_unfiltered", limit=1.2, unit="x unfiltered"),
    Target(case="exactness", figure="recall_at_10", limit=1.0, at_least=True),
    Target(case="recall_one_user_100k", figure="cpu_ms", limit=25.0, unit="ms CPU"),
    Target(case="import_time", figure="cpu_s", limit=0.3, unit="s CPU"),
    Target(case="open_first_recall", figure="wall_ms", limit=20.0, unit="ms"),
    Target(case="memory_10k", figure="mb_above_interpreter", limit=60.0, unit="MB"),
    Target(case="size_10k", figure="bytes_per_memory", limit=2_700, unit="B"),
    Target(
        case="size_10k", figure="bytes_per_memory", limit=1_300, system="perdure_int8", unit="B"
    ),
    Target(
        case="exactness", figure="recall_at_10", limit=0.99, at_least=True, system="perdure_int8"
    ),
)


def judge(cases: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Every target with what was measured: verdict `pass`, `FAIL` or `not measured`."""
    return [_judged(target, cases) for target in TARGETS]


def _judged(target: Target, cases: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    figures = cases.get(target.case, {})
    value = _number(figures.get(target.system, {}).get(target.figure), target.at_least)
    bound: float | None = target.limit
    if target.times is not None:
        other = _number(figures.get(target.times, {}).get(target.figure), target.at_least)
        bound = None if other is None else target.limit * other
    verdict = "not measured"
    if value is not None and bound is not None:
        is_met = value >= bound if target.at_least else value <= bound
        verdict = "pass" if is_met else "FAIL"
    return {
        "case": target.case,
        "system": target.system,
        "figure": target.figure,
        "wanted": _wanted(target),
        "bound": bound,
        "value": value,
        "verdict": verdict,
    }


def _number(value: Any, at_least: bool) -> float | None:
    """A figure as one number; of a list the worst, of a ratio its median."""
    if isinstance(value, list):
        return float(min(value) if at_least else max(value))
    if isinstance(value, Mapping):
        return float(value["median"])
    return None if value is None else float(value)


def _wanted(target: Target) -> str:
    sign = "≥" if target.at_least else "≤"
    if target.times is not None:
        return f"{sign} {target.limit:g} x {target.times}"
    return f"{sign} {target.limit:g} {target.unit}".rstrip()
