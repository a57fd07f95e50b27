"""Spaced repetition: a memory that is recalled and used holds longer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from perdure.domain.decay import decayed_importance, half_life_days
from perdure.domain.records import Strength
from perdure.domain.resting import Lifeline

MIN_EASE, MAX_EASE = 1.3, 2.5
LAPSE_FACTOR = 0.5
SPACING = timedelta(days=1)
"""Reviews closer together than this count as one: repeating a thing at once teaches nothing more,
and no loop of calls may make a memory last for ever."""
MAX_INTERVAL_DAYS = 36_525.0
"""A century: longer says nothing more, and sums with it leave the calendar."""


def ease_after(ease: float, quality: int) -> float:
    """The next ease factor, in 1.3..2.5, after a review of `quality` 0..5.

    ease + 0.1 − (5 − q)(0.08 + (5 − q) · 0.02), bounded. Quality 4 leaves it unchanged.

    Source: Wozniak, SuperMemo 2, 1987; the upper bound is ours.
    """
    gap = 5 - quality
    return min(MAX_EASE, max(MIN_EASE, ease + 0.1 - gap * (0.08 + gap * 0.02)))


def reviewed(strength: Strength, *, quality: int, now: datetime) -> Strength:
    """The strength after a review: interval × ease when it was remembered (quality >= 3).

    A lapse halves the interval and starts the repetitions again. The interval never falls under
    a day nor exceeds a century, and a remembered review never shortens it. A remembered review
    within a day of the last one only counts from now on.
    """
    if quality >= 3 and _is_massed(strength, now):
        due_at = now + timedelta(days=strength.interval_days)
        return replace(strength, due_at=max(due_at, strength.due_at or due_at))
    ease = ease_after(strength.ease, quality)
    if quality >= 3:
        grown = max(strength.interval_days * ease, strength.interval_days, 1.0)
        interval = min(grown, MAX_INTERVAL_DAYS)
        repetitions = strength.repetitions + 1
    else:
        interval, repetitions = max(strength.interval_days * LAPSE_FACTOR, 1.0), 0
    return replace(
        strength,
        ease=ease,
        interval_days=interval,
        repetitions=repetitions,
        due_at=now + timedelta(days=interval),
    )


def _is_massed(strength: Strength, now: datetime) -> bool:
    """Whether the last review, a remembered one, was less than a day ago."""
    if strength.due_at is None or strength.repetitions == 0:
        return False
    last = strength.due_at - timedelta(days=strength.interval_days)
    return now - last < SPACING


def retention(strength: Strength, *, idle: timedelta, importance: float) -> float:
    """Share of the original strength left after `idle`, in (0, 1]; 0.5 after one half-life.

    The half-life is 7 + 21 × importance days, stretched by what reviews have earned:
    × max(1, interval in days).
    """
    return share_left(strength.interval_days, idle=idle, importance=importance)


def share_left(interval_days: float, *, idle: timedelta, importance: float) -> float:
    """The same for what reviews have earned so far."""
    life = half_life_days(importance) * max(1.0, interval_days)
    return float(0.5 ** (max(0.0, idle / timedelta(days=1)) / life))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    """How memories lose their strength.

    `spaced`: by half-lives that importance lengthens and reviews stretch (`retention`). `daily`:
    by `daily_rate` of the importance a day after `grace`, down to `floor`, reviewed or not
    (`decay.decayed_importance`).
    """

    model: Literal["spaced", "daily"] = "spaced"
    daily_rate: float = 0.01
    grace: timedelta = timedelta(days=7)
    floor: float = 0.1


SPACED = Decay()
"""The default."""


def strength_at(line: Lifeline, now: datetime, decay: Decay) -> float:
    """How well a memory holds at `now`, in [0, 1]: what is left of its importance.

    A function of the time since it was last touched alone, so how often it is looked at, and
    whether it is recalled, never makes it smaller.
    """
    idle = now - line.touched_at
    match decay.model:
        case "spaced":
            left = share_left(line.interval_days, idle=idle, importance=line.importance)
            return line.importance * left
        case "daily":
            return decayed_importance(
                line.importance, idle, daily_rate=decay.daily_rate, grace=decay.grace,
                min_threshold=decay.floor,
            )  # fmt: skip
