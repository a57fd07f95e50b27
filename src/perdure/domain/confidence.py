"""How sure we are that something holds, and how news move that within bounds.

Told once: what the reader of the message gave, at most 0.95. Told again by somebody who vouches
for it: a quarter of the way up to 0.99, so that no number of repetitions makes certainty. In
conflict with something nobody could settle: seven tenths of what it was, never below 0.05. Only
0 means that nobody vouches for it at all.
"""

from __future__ import annotations

NOBODY_VOUCHES = 0.0
TOLD_ONCE_MOST = 0.95
MOST = 0.99
LEAST = 0.05
RESTATED_STEP = 0.25
CONTESTED_SHARE = 0.7


def told(confidence: float) -> float:
    """The confidence of something told for the first time."""
    return min(TOLD_ONCE_MOST, max(LEAST, confidence))


def restated(confidence: float) -> float:
    """The confidence after another statement of the same; never lower than before."""
    return max(confidence, confidence + RESTATED_STEP * (MOST - confidence))


def contested(confidence: float) -> float:
    """The confidence after a contradiction that could not be settled."""
    return max(LEAST, confidence * CONTESTED_SHARE)
