"""What being useful, or wrong, does to a memory's importance."""

from __future__ import annotations

from perdure.domain.records import Memory

STEP = 0.05
FLOOR, CEILING = 0.05, 0.95
"""Feedback alone never makes a memory worthless or untouchable; the caller's own value may lie
outside these bounds and is then not moved further out."""


def adjusted_importance(memory: Memory, *, used: bool, helpful: bool | None) -> float:
    """The importance after one piece of feedback, in [0, 1].

    Used and helpful each add half a step's worth of trust; not helpful takes a whole step.
    """
    step = 0.0
    if used:
        step += STEP / 2
    if helpful is True:
        step += STEP / 2
    elif helpful is False:
        step -= STEP
    moved = memory.importance + step
    if step > 0:
        return max(memory.importance, min(CEILING, moved))
    return min(memory.importance, max(FLOOR, moved))
