"""Time expressions, resolved to intervals with a precision."""

from perdure.understanding.times.finding import find_times_in
from perdure.understanding.times.interval import Direction, Interval, Precision, TimeExpression
from perdure.understanding.times.known import find_times

__all__ = [
    "Direction",
    "Interval",
    "Precision",
    "TimeExpression",
    "find_times",
    "find_times_in",
]
