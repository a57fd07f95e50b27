"""How well the times in a labelled file are understood.

    python -m perdure.evaluation.dates PATH [--failures]

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

import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timezone
from pathlib import Path

from perdure.errors import InvalidInput
from perdure.understanding.times import Interval, TimeExpression, find_times

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
    item: DateItem
    found: tuple[TimeExpression, ...]
    is_right: bool
    spurious: int
    has_precision: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DateFigures:
    """What one language came to. Spurious finds are those that touch no labelled span."""

    language: str
    timed: int
    timed_right: int
    timeless: int
    timeless_right: int
    spurious_per_100: float
    precision_agrees: int

    @property
    def accuracy(self) -> float:
        return self.timed_right / self.timed if self.timed else 0.0

    @property
    def accuracy_bounds(self) -> tuple[float, float]:
        """Wilson's 95 % interval for the accuracy on items with a time."""
        return wilson(self.timed_right, self.timed)


def wilson(hits: int, cases: int) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson, 1927)."""
    if not cases:
        return 0.0, 1.0
    z = 1.96
    share = hits / cases
    middle = share + z * z / (2 * cases)
    spread = z * math.sqrt(share * (1 - share) / cases + z * z / (4 * cases * cases))
    scale = 1 + z * z / cases
    return (middle - spread) / scale, (middle + spread) / scale


def read_items(lines: Iterable[str]) -> list[DateItem]:
    """The items of a file in the format above. Raises `InvalidInput` for what is not."""
    items = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            items.append(_item(json.loads(line)))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"line {number} is not an item: {error!r}") from error
    return items


def _item(raw: dict[str, object]) -> DateItem:
    reference = datetime.fromisoformat(str(raw["reference"]))
    accepted: list[Interval] = []
    span = None
    if raw["expression"] is not None:
        pairs = raw.get("accept") or [[raw["start"], raw["end"]]]
        if not isinstance(pairs, list) or not isinstance(raw["span"], list):
            raise TypeError("accept and span must be lists")
        accepted = [
            Interval(
                start=_instant(start, reference), end=_instant(end, reference) if end else None
            )
            for start, end in pairs
        ]
        span = (int(raw["span"][0]), int(raw["span"][1]))
    return DateItem(
        id=str(raw["id"]),
        language=str(raw["lang"]),
        reference=reference,
        text=str(raw["text"]),
        span=span,
        accepted=tuple(accepted),
        precision=str(raw["precision"]) if raw["precision"] else None,
    )


def _instant(text: str, reference: datetime) -> datetime:
    """A date is its local midnight; a time without an offset has that of the reference."""
    offset = timezone(reference.utcoffset() or datetime.resolution * 0)
    if len(text) == 10:
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


def evaluate(items: Iterable[DateItem]) -> list[DateVerdict]:
    """Find the times of every item and judge them."""
    return [judge(item, find_times(item.text, reference=item.reference)) for item in items]


def figures(verdicts: Sequence[DateVerdict]) -> list[DateFigures]:
    """One row per language, in alphabetical order."""
    rows = []
    for language in sorted({verdict.item.language for verdict in verdicts}):
        mine = [verdict for verdict in verdicts if verdict.item.language == language]
        timed = [verdict for verdict in mine if verdict.item.span is not None]
        timeless = [verdict for verdict in mine if verdict.item.span is None]
        rows.append(
            DateFigures(
                language=language,
                timed=len(timed),
                timed_right=sum(verdict.is_right for verdict in timed),
                timeless=len(timeless),
                timeless_right=sum(verdict.is_right for verdict in timeless),
                spurious_per_100=100 * sum(verdict.spurious for verdict in mine) / len(mine),
                precision_agrees=sum(verdict.has_precision for verdict in timed),
            )
        )
    return rows


def report(rows: Iterable[DateFigures]) -> str:
    """The figures as lines of text."""
    lines = []
    for row in rows:
        low, high = row.accuracy_bounds
        lines.append(
            f"{row.language}: {row.timed_right}/{row.timed} intervals right "
            f"({row.accuracy:.3f}, 95 % {low:.3f} to {high:.3f}); "
            f"{row.timeless_right}/{row.timeless} without a time left alone; "
            f"{row.spurious_per_100:.1f} spurious finds per 100 items; "
            f"precision agrees on {row.precision_agrees}/{row.timed}"
        )
    return "\n".join(lines)


def _failure(verdict: DateVerdict) -> str:
    item = verdict.item
    found = "; ".join(
        f"[{f.text}] {f.interval.start:%Y-%m-%dT%H:%M}/"
        f"{f.interval.end:%Y-%m-%dT%H:%M} {f.precision}"
        if f.interval.end
        else f"[{f.text}] {f.interval.start:%Y-%m-%dT%H:%M}/ {f.precision}"
        for f in verdict.found
    )
    wanted = "nothing"
    if item.span:
        first = item.accepted[0]
        end = f"{first.end:%Y-%m-%dT%H:%M}" if first.end else ""
        wanted = (
            f"[{item.text[slice(*item.span)]}] {first.start:%Y-%m-%dT%H:%M}/{end} {item.precision}"
        )
    return f"{item.id} {item.reference:%a %Y-%m-%dT%H:%M} {item.text}\n    want {wanted}\n    got  {found or 'nothing'}"


def main(arguments: Sequence[str]) -> int:
    """Print the figures for a file, and with --failures every text that went wrong."""
    paths = [argument for argument in arguments if argument != "--failures"]
    if len(paths) != 1:
        sys.stderr.write("usage: python -m perdure.evaluation.dates PATH [--failures]\n")
        return 2
    with Path(paths[0]).open(encoding="utf-8") as lines:
        verdicts = evaluate(read_items(lines))
    if "--failures" in arguments:
        for verdict in verdicts:
            if not verdict.is_right or verdict.spurious:
                sys.stdout.write(_failure(verdict) + "\n")
    sys.stdout.write(report(figures(verdicts)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
