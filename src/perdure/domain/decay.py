"""How relevance to the present fades, as the published formulas say."""

from __future__ import annotations

from datetime import timedelta
from math import exp, log
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

DAY = timedelta(days=1)
BASE_HALF_LIFE_DAYS = 7.0
IMPORTANCE_HALF_LIFE_DAYS = 21.0
FREQUENCY_SATURATION = 20


def _days(age: timedelta) -> float:
    return max(0.0, age / DAY)


Number = TypeVar("Number", float, NDArray[np.float64])


def half_life_days(importance: Number) -> Number:
    """7 days for importance 0, 28 for importance 1 (7 + 21 × importance); also for a column."""
    return BASE_HALF_LIFE_DAYS + IMPORTANCE_HALF_LIFE_DAYS * importance


def recency(age_days: float, *, half_life: float) -> float:
    """0.5 ^ (age / half-life), in (0, 1]; both in days. A future moment counts as now."""
    return float(0.5 ** (max(0.0, age_days) / half_life))


def frequency(count: int) -> float:
    """min(1, ln(1 + n) / ln 20), in [0, 1]: 0 for never recalled, 1 from n = 19 on."""
    return min(1.0, log(1 + max(count, 0)) / log(FREQUENCY_SATURATION))


def relevance_to_now(importance: float, age: timedelta, count: int, *, scale: float = 7.0) -> float:
    """Relevance today: importance × e^(−age / `scale` days) × (1 + 0.1 · max(0, ln n)); at least 0.

    The relevance score of the `agent_io` preset's source. `count` below 1 adds nothing.
    """
    boost = 1.0 + 0.1 * max(0.0, log(count)) if count > 0 else 1.0
    return importance * exp(-_days(age) / scale) * boost


def decayed_importance(
    importance: float,
    idle: timedelta,
    *,
    daily_rate: float = 0.01,
    grace: timedelta = timedelta(days=7),
    min_threshold: float = 0.1,
) -> float:
    """What is left: importance × (1 − daily_rate)^days after `grace`, never below `min_threshold`.

    An importance that starts below the floor stays as it is. A function of the idle time alone,
    so how often it is evaluated changes nothing.
    """
    days = _days(idle - grace)
    faded = importance * float((1.0 - daily_rate) ** days)
    return max(faded, min(importance, min_threshold))
