"""From pieces to one interval: coarse pieces first, then the reading that the tense asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from perdure.understanding.times import calendar as cal
from perdure.understanding.times.calendar import Span
from perdure.understanding.times.interval import Direction, Precision
from perdure.understanding.times.pieces import AnyMonth, AnyYear, Weekday
from perdure.understanding.times.terms import Piece, Rank, Setting


def may_join(first: Sequence[Piece], second: Sequence[Piece]) -> bool:
    """True when no two pieces are of one rank, so that together they can be one time."""
    told = [{piece.rank for piece in part if not _is_default(piece)} for part in (first, second)]
    return not told[0] & told[1]


def _is_default(piece: Piece) -> bool:
    return isinstance(piece, AnyYear | AnyMonth)


def _without_defaults(pieces: Iterable[Piece]) -> list[Piece]:
    """Coarse to fine; any year or month gives way where one is told."""
    ordered = sorted(pieces, key=lambda piece: piece.rank)
    told = {piece.rank for piece in ordered if not _is_default(piece)}
    return [piece for piece in ordered if not _is_default(piece) or piece.rank not in told]


def candidates(pieces: Iterable[Piece], setting: Setting) -> list[Span]:
    """Everything that the pieces can mean together; empty when they do not fit."""
    found: list[Span | None] = [None]
    for piece in _without_defaults(pieces):
        if piece.rank is Rank.DISTANCE and len(found) > 1:
            # "A week from Monday": the tense chooses the Monday.
            found = [chosen([span for span in found if span], setting)]
        found = [span for within in found for span in piece.spans(within, setting)]
    return [span for span in found if span is not None]


def chosen(found: Sequence[Span], setting: Setting) -> Span | None:
    """The nearest in the direction of the tense; else the only one there is."""
    now = setting.now
    if len(found) <= 1:
        return found[0] if found else None
    past = [span for span in found if span.start <= now]
    ahead = [span for span in found if span.end > now]
    match setting.direction:
        case Direction.PAST if past:
            return max(past, key=lambda span: span.start)
        case Direction.FUTURE | Direction.UNKNOWN if ahead:
            return min(ahead, key=lambda span: span.start)
        case _:
            return min(found, key=lambda span: _gap(span, setting))


def _gap(span: Span, setting: Setting) -> timedelta:
    if span.start > setting.now:
        return span.start - setting.now
    return max(setting.now - span.end, timedelta(0))


def resolve(pieces: Sequence[Piece], setting: Setting) -> Span | None:
    return chosen(candidates(pieces, setting), setting)


def resolve_range(first: Sequence[Piece], second: Sequence[Piece], setting: Setting) -> Span | None:
    """From the start of one to the end of the other; up to the second when it is a clock time.

    An end told in short borrows the coarser pieces of the other: "3 to 7 May", "5 May to the
    7th". Where the borrowing makes no sense ("Friday to next Tuesday") each stands alone.
    """
    first, second = ([_may_be_today(piece) for piece in end] for end in (first, second))
    for lender_first, lender_second in ((True, True), (False, True), (True, False), (False, False)):
        begin = [*first, *(_lent(second, first) if lender_second else ())]
        end = [*second, *(_lent(first, second) if lender_first else ())]
        found = _pairs(begin, end, setting)
        if setting.direction is Direction.FUTURE and isinstance(first[0], Weekday):
            # Weekdays come round soon enough for "from Monday to Friday" to lie ahead as a whole.
            found = [span for span in found if span.start > setting.now] or found
        if setting.direction is Direction.PAST:
            found = [span for span in found if span.end <= setting.now] or found
        if found:
            return chosen(found, setting)
    return None


def _may_be_today(piece: Piece) -> Piece:
    return replace(piece, may_be_today=True) if isinstance(piece, Weekday) else piece


def _lent(lender: Sequence[Piece], borrower: Sequence[Piece]) -> list[Piece]:
    finest = min(piece.rank for piece in borrower)
    return [piece for piece in lender if piece.rank < finest]


def _pairs(first: Sequence[Piece], second: Sequence[Piece], setting: Setting) -> list[Span]:
    is_clock = any(piece.rank is Rank.CLOCK for piece in second)
    ends = sorted(candidates(second, setting), key=lambda span: span.start)
    found = []
    for begin in candidates(first, setting):
        later = [end for end in ends if end.start > begin.start]
        if later:
            end = later[0].start if is_clock else later[0].end
            found.append(Span(begin.start, end, Precision.RANGE))
    return found


def until_now(since: Span, setting: Setting) -> Span | None:
    """From the start of the span to the end of the reference day; None for what is yet to come."""
    if since.start > setting.now:
        return None
    return Span(since.start, cal.day(setting.now).end, Precision.RANGE)
