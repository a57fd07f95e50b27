"""How well the times in a labelled file are understood.

Each line of the file is a JSON object: `id`, `lang`, `reference` (ISO 8601 with an offset),
`text`, `expression` and `span` (start and end in characters), `start`, `end` (exclusive),
`precision`, and where more than one answer is right `accept`, a list of `[start, end]` with the
preferred one first; a null end is open. Days and coarser are local dates, finer values carry the
offset. An item whose `expression` is null names no time.

An item is right when one found interval that overlaps the span equals an accepted one as instants;
for a part of a day, month or year it is enough to share half of what the two cover together. An
item without a time is right when nothing is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timezone

from perdure.evaluation.lines import Fields, read_items
from perdure.evaluation.report import ALL, Entry, Failure, Report, languages_of
from perdure.evaluation.running import Watch, unwatched
from perdure.evaluation.statistics import Figure, bootstrapped, share
from perdure.understanding.times import Interval, TimeExpression, find_times

ACCURACY = "intervals right"
LEFT_ALONE = "items without a time left alone"
PRECISION = "precision agrees"
SPURIOUS = "spurious finds per item"

_LOOSE = frozenset({"part_of_day", "part_of_month", "part_of_year"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DateItem:
    """One labelled text; `accepted` is empty when it names no time."""

    id: str
    language: str
    reference: datetime
    text: str
    span: tuple[int, int] | None
    accepted: tuple[Interval, ...]
    precision: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DateVerdict:
    """Spurious finds are those that touch no labelled span."""

    item: DateItem
    found: tuple[TimeExpression, ...]
    is_right: bool
    spurious: int
    has_precision: bool


def read_dates(lines: Iterable[str]) -> list[DateItem]:
    """The items of a file in the format above. Raises `InvalidInput`, which names the line."""
    return read_items(lines, _item)


def _item(fields: Fields) -> DateItem:
    reference = fields.moment("reference")
    text = fields.text("text")
    names_time = fields.optional_text("expression") is not None
    return DateItem(
        id=fields.text("id"),
        language=fields.text("lang"),
        reference=reference,
        text=text,
        span=_span(fields, text) if names_time else None,
        accepted=_accepted(fields, reference) if names_time else (),
        precision=fields.optional_text("precision"),
    )


def _span(fields: Fields, text: str) -> tuple[int, int]:
    begin, end = fields.wholes("span")
    if not begin < end <= len(text):
        raise ValueError('"span" lies outside the text')
    return begin, end


def _accepted(fields: Fields, reference: datetime) -> tuple[Interval, ...]:
    pairs = (
        fields.spans("accept")
        if "accept" in fields
        else [(fields.text("start"), fields.optional_text("end"))]
    )
    return tuple(
        Interval(
            start=_instant(start, reference), end=None if end is None else _instant(end, reference)
        )
        for start, end in pairs
    )


def _instant(text: str, reference: datetime) -> datetime:
    """A date is its local midnight; a time without an offset has that of the reference."""
    offset = timezone(reference.utcoffset() or datetime.resolution * 0)
    if len(text) == len("2031-01-01"):
        day = date.fromisoformat(text)
        return datetime(day.year, day.month, day.day, tzinfo=offset)
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=offset)


def judge(item: DateItem, found: Sequence[TimeExpression]) -> DateVerdict:
    """Hold what was found in one text to its label."""
    if item.span is None:
        return DateVerdict(
            item=item,
            found=tuple(found),
            is_right=not found,
            spurious=len(found),
            has_precision=False,
        )
    begin, end = item.span
    touching = [f for f in found if f.start_char < end and f.end_char > begin]
    right = [f for f in touching if any(_is_accepted(item, f.interval, a) for a in item.accepted)]
    return DateVerdict(
        item=item,
        found=tuple(found),
        is_right=bool(right),
        spurious=len(found) - len(touching),
        has_precision=any(f.precision == item.precision for f in right or touching),
    )


def _is_accepted(item: DateItem, found: Interval, accepted: Interval) -> bool:
    if found == accepted:
        return True
    if item.precision not in _LOOSE or found.end is None or accepted.end is None:
        return False
    shared = min(found.end, accepted.end) - max(found.start, accepted.start)
    covered = max(found.end, accepted.end) - min(found.start, accepted.start)
    return shared * 2 >= covered


def evaluate(items: Sequence[DateItem], *, watch: Watch = unwatched) -> Report:
    """Find the times of every item and judge them. No memory is needed for it."""
    verdicts = []
    for done, item in enumerate(items):
        watch(done, len(items), item.id)
        verdicts.append(judge(item, find_times(item.text, reference=item.reference)))
    return report(verdicts)


def report(verdicts: Sequence[DateVerdict]) -> Report:
    """Accuracy on items with a time and on those without apart, per language."""
    return Report(
        evaluation="dates",
        headline=ACCURACY,
        by_group=ACCURACY,
        entries=tuple(_entries(verdicts)),
        failures=tuple(_failures(verdicts)),
    )


def _entries(verdicts: Sequence[DateVerdict]) -> Iterator[Entry]:
    for language in languages_of(verdict.item.language for verdict in verdicts):
        mine = [verdict for verdict in verdicts if language in (ALL, verdict.item.language)]
        timed = [verdict for verdict in mine if verdict.item.span is not None]
        timeless = [verdict for verdict in mine if verdict.item.span is None]
        figures = {
            ACCURACY: _right(timed),
            LEFT_ALONE: _right(timeless),
            PRECISION: share(sum(v.has_precision for v in timed), len(timed)),
            SPURIOUS: bootstrapped([[v.spurious, 1.0] for v in mine], lambda s: s[:, 0] / s[:, 1]),
        }
        for measure, figure in figures.items():
            yield Entry(measure=measure, language=language, figure=figure)
        for precision in sorted({str(verdict.item.precision) for verdict in timed}):
            yield Entry(
                measure=ACCURACY,
                language=language,
                group=precision,
                figure=_right([v for v in timed if v.item.precision == precision]),
            )


def _right(verdicts: Sequence[DateVerdict]) -> Figure:
    return share(sum(verdict.is_right for verdict in verdicts), len(verdicts))


def _failures(verdicts: Sequence[DateVerdict]) -> Iterator[Failure]:
    for verdict in verdicts:
        item = verdict.item
        if verdict.is_right and not verdict.spurious:
            continue
        wanted = "nothing"
        if item.span is not None:
            words = item.text[slice(*item.span)]
            wanted = f"[{words}] {_shown(item.accepted[0])} {item.precision}"
        yield Failure(
            id=item.id,
            language=item.language,
            group=item.precision or "no time",
            said=f"{item.reference:%a %Y-%m-%dT%H:%M} {item.text}",
            expected=wanted,
            came="\n".join(f"[{f.text}] {_shown(f.interval)} {f.precision}" for f in verdict.found)
            or "nothing",
        )


def _shown(interval: Interval) -> str:
    end = f"{interval.end:%Y-%m-%dT%H:%M}" if interval.end else ""
    return f"{interval.start:%Y-%m-%dT%H:%M}/{end}"
