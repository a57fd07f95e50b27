"""Understanding messages without a language model: pure functions, no input or output, no clock."""

from perdure.understanding.times import Interval, Precision, TimeExpression, find_times

__all__ = ["Interval", "Precision", "TimeExpression", "find_times"]
