"""`find_times` for all languages that the package knows."""

from __future__ import annotations

from datetime import datetime

from perdure.understanding.languages.known_times import TIME_LANGUAGES
from perdure.understanding.times.finding import find_times_in
from perdure.understanding.times.interval import TimeExpression


def find_times(text: str, *, reference: datetime) -> list[TimeExpression]:
    """The times that the text names, in order of place, as intervals with a precision.

    `reference` is when the text was said; its UTC offset is used unchanged for every result, and
    an interval's end is exclusive. Lengths of time ("for two hours") and what recurs ("every
    Monday") are not times. Any text is accepted; English and Chinese are read, mixed too.
    Raises `InvalidInput` when the reference carries no offset.
    """
    return find_times_in(text, TIME_LANGUAGES, reference=reference)
