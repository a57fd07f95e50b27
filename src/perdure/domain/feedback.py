"""What being useful, or wrong, does to a memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from perdure.domain.records import Memory
from perdure.domain.strength import reviewed

STEP = 0.05
WRONG_STEP = 0.10
FLOOR, CEILING = 0.05, 0.95
"""Feedback alone never makes a memory worthless or untouchable; the caller's own value may lie
outside these bounds and is then not moved further out."""


WRONG_SHARE = 0.7
CONFIDENCE_FLOOR = 0.1
"""Being called wrong takes three tenths of the confidence, never below the floor: who says so may
be wrong as well, and what is known to be untrue is corrected or forgotten instead."""


def after_feedback(
    memory: Memory, *, used: bool, helpful: bool | None, wrong: bool, now: datetime
) -> Memory:
    """The next version of a memory after one piece of feedback.

    Being used is a review of its strength: of quality 5 when it helped, else 4; not helping is a
    lapse (2), and being wrong a worse one (1) that is not counted as a use.
    """
    used = used and not wrong
    strength = memory.strength
    if used or wrong or helpful is not None:
        quality = 1 if wrong else {True: 5, None: 4, False: 2}[helpful]
        strength = reviewed(strength, quality=quality, now=now)
    return replace(
        memory,
        importance=adjusted_importance(memory, used=used, helpful=helpful, wrong=wrong),
        confidence=adjusted_confidence(memory) if wrong else memory.confidence,
        used_count=memory.used_count + (1 if used else 0),
        strength=strength,
        version=memory.version + 1,
    )


def adjusted_confidence(memory: Memory) -> float:
    """The confidence after somebody called the memory wrong."""
    floor = min(memory.confidence, CONFIDENCE_FLOOR)
    return max(floor, memory.confidence * WRONG_SHARE)


def adjusted_importance(
    memory: Memory, *, used: bool, helpful: bool | None, wrong: bool = False
) -> float:
    """The importance after one piece of feedback, in [0, 1].

    Used and helpful each add half a step's worth of trust; not helpful takes a whole step, and
    wrong two.
    """
    step = -WRONG_STEP if wrong else 0.0
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
