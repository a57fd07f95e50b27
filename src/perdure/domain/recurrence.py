"""What is said again and again matters more, within bounds.

Both values depend only on how often it was said by now, never on how often anybody looked: to
consolidate the same occurrences again changes nothing.
"""

from __future__ import annotations

from perdure.domain import confidence

START, CEILING = 0.5, 0.9
STEP = 0.15
"""How much of the way to 1 each further occurrence goes."""


def importance_after(importance: float, times: int) -> float:
    """The importance of what was said so many times; never lower than it is.

    1 - 0.5 × 0.85^(times - 1), at most 0.9: 0.5 when said once, 0.575 twice, 0.639 three times.
    """
    if times < 2:
        return importance
    return max(importance, min(CEILING, 1 - (1 - START) * (1 - STEP) ** (times - 1)))


def confidence_after(own: float, others: float, times: int) -> float:
    """The confidence of words said so many times, of which the others have at most `others`.

    `others` moved by `confidence.restated` once for each further occurrence; never lower than
    `own`. Words that nobody vouches for stay so.
    """
    if own <= confidence.NOBODY_VOUCHES:
        return own
    told = others
    for _ in range(times - 1):
        told = confidence.restated(told)
    return max(own, told)
