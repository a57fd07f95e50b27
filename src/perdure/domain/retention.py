"""What is kept, and for how long: the plan, as a pure function of what is stored and of the time.

What still holds true, is pinned, is held, or is important is not given up for lack of use; see
`docs/decisions/0013-retention.md` for why these and no others.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from perdure.domain.plans import Action, ActionKind
from perdure.domain.records import Kind, State
from perdure.domain.resting import Due, Lifeline, Rest
from perdure.domain.strength import SPACED, Decay, strength_at

DAY = timedelta(days=1)
SUMMARY_SHARE = 0.3
"""About how much of a long text its summary keeps; what a compression is counted to save."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How much is kept, and for how long.

    `quota` is how many hot memories one agent may have of one user. What rested for
    `compress_after` is compressed if it is long, and what rested for `archive_after` is archived,
    unless it is at least as important as `importance_floor`; None: never.
    """

    quota: int = 50_000
    compress_after: timedelta | None = timedelta(days=30)
    archive_after: timedelta | None = timedelta(days=90)
    importance_floor: float = 0.8
    decay: Decay = SPACED


def due_at(retention: Retention, now: datetime, *, archives: bool, limit: int | None) -> Due:
    """What to ask a store for: everything that `action_for` has something to do with."""
    compressing, archiving = retention.compress_after, retention.archive_after
    rested: dict[Rest, datetime] = {}
    if archives and archiving is not None:
        rested = dict.fromkeys(Rest, _before(now, archiving))
    if archives and compressing is not None:
        soon = _before(now, compressing)
        rested[Rest.LONG] = max(rested.get(Rest.LONG, soon), soon)
    return Due(rested=rested, below=retention.importance_floor, expired_at=now, limit=limit)


def action_for(
    line: Lifeline, retention: Retention, now: datetime, *, archives: bool
) -> Action | None:
    """What is due for the memory at `now`; None for most. `archives`: there is an archive."""
    if line.held:
        return None
    if line.expires_at is not None and line.expires_at <= now:
        return _action(line, ActionKind.EXPIRE, f"expired on {line.expires_at:%Y-%m-%d %H:%M}", 0)
    is_safe = line.pinned or line.holds or line.importance >= retention.importance_floor
    if is_safe or not archives:
        return None
    idle = now - line.touched_at
    if retention.archive_after is not None and idle >= retention.archive_after:
        return _action(line, ActionKind.ARCHIVE, f"idle for {_days(idle)}", line.bytes)
    if (
        line.rest is Rest.LONG
        and retention.compress_after is not None
        and idle >= retention.compress_after
    ):
        saved = round(line.bytes * (1 - SUMMARY_SHARE))
        return _action(line, ActionKind.COMPRESS, f"long, and idle for {_days(idle)}", saved)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Eviction:
    """Whom to evict from one scope, the first to leave first; `beyond` could not be helped."""

    actions: tuple[Action, ...] = ()
    beyond: int = 0


def evictions(
    residents: Iterable[Lifeline],
    retention: Retention,
    now: datetime,
    *,
    archives: bool,
    leaving: Collection[str] = frozenset(),
) -> Eviction:
    """Who must leave so that no more than the quota stay, beside those that are `leaving` anyway.

    The rule: what is neither important nor still true goes first, and everything else only when
    that was not enough; the pinned and the held never go, nor without an archive the compressed:
    set aside with their summaries, nobody would know that there are originals. Within each, one after the other leaves:
    of the kind that has most left in the scope, the weakest (`strength.strength_at`; of equally
    weak ones that which was touched first). So no kind loses any while another has more, and a
    flood of one kind displaces only itself.
    """
    staying = [line for line in residents if line.id not in leaving]
    surplus = len(staying) - retention.quota
    if surplus <= 0:
        return Eviction()
    left = {kind: sum(line.kind is kind for line in staying) for kind in Kind}
    chosen: list[tuple[Lifeline, float]] = []
    for is_last_resort in (False, True):
        candidates = [
            line
            for line in staying
            if may_be_evicted(line, archives=archives)
            and _is_valuable(line, retention) is is_last_resort
        ]
        chosen += _fairly(candidates, left, surplus - len(chosen), retention.decay, now)
    actions = tuple(
        _action(
            line,
            ActionKind.EVICT,
            f"over the quota of {retention.quota:,}: strength {strength:.3f}, the weakest "
            f"{line.kind.value} one",
            line.bytes if archives else 0,
        )
        for line, strength in chosen
    )
    return Eviction(actions=actions, beyond=surplus - len(actions))


def may_be_evicted(line: Lifeline, *, archives: bool) -> bool:
    """Whether a memory may leave because there is no room; see `evictions`."""
    return not (line.pinned or line.held) and (archives or line.state is not State.COMPRESSED)


def _is_valuable(line: Lifeline, retention: Retention) -> bool:
    return line.holds or line.importance >= retention.importance_floor


def _fairly(
    candidates: Sequence[Lifeline], left: dict[Kind, int], count: int, decay: Decay, now: datetime
) -> list[tuple[Lifeline, float]]:
    """Up to `count` of them with their strengths; takes them off what is `left` of each kind."""
    queues: dict[Kind, list[tuple[float, datetime, str, Lifeline]]] = {kind: [] for kind in Kind}
    for line in candidates:
        strength = strength_at(line, now, decay)
        queues[line.kind].append((strength, line.touched_at, line.id, line))
    for queue in queues.values():
        heapq.heapify(queue)
    chosen: list[tuple[Lifeline, float]] = []
    while len(chosen) < count and any(queues.values()):
        kind = min(
            (kind for kind in Kind if queues[kind]),
            key=lambda kind: (-left[kind], queues[kind][0][:3]),
        )
        strength, _, _, line = heapq.heappop(queues[kind])
        left[kind] -= 1
        chosen.append((line, strength))
    return chosen


def _action(line: Lifeline, kind: ActionKind, reason: str, saved: int) -> Action:
    return Action(
        memory_id=line.id, action=kind, reason=reason, bytes_saved=saved, scope=line.scope
    )


def _days(idle: timedelta) -> str:
    return f"{idle // DAY} days"


def _before(now: datetime, ago: timedelta) -> datetime:
    """So long ago, or the first moment there is."""
    try:
        return now - ago
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)
