"""Spaced repetition: a memory that is recalled and used holds longer."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from perdure.domain.decay import half_life_days
from perdure.domain.records import Strength

MIN_EASE, MAX_EASE = 1.3, 2.5
LAPSE_FACTOR = 0.5
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
    a day nor exceeds a century, and a remembered review never shortens it.
    """
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


def retention(strength: Strength, *, idle: timedelta, importance: float) -> float:
    """Share of the original strength left after `idle`, in (0, 1]; 0.5 after one half-life.

    The half-life is 7 + 21 × importance days, stretched by what reviews have earned:
    × max(1, interval in days).
    """
    life = half_life_days(importance) * max(1.0, strength.interval_days)
    return float(0.5 ** (max(0.0, idle / timedelta(days=1)) / life))
