"""Understanding messages without a language model: pure functions, no input or output, no clock."""

from perdure.understanding.reading import read
from perdure.understanding.relating import relate
from perdure.understanding.sentences import split_sentences
from perdure.understanding.times import Interval, Precision, TimeExpression, find_times
from perdure.understanding.told import told_fact

__all__ = [
    "Interval",
    "Precision",
    "TimeExpression",
    "find_times",
    "read",
    "relate",
    "split_sentences",
    "told_fact",
]
