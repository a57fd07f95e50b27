"""Numbers and checks."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from heapq import nsmallest

from perdure.domain.deferral import DEFERRED, FAILED
from perdure.domain.filters import parse_filter
from perdure.domain.query import Condition, Position, Query, sort_value
from perdure.domain.records import Kind, Memory
from perdure.domain.results import Problem, Stats, Verification
from perdure.domain.usage import NO_USAGE
from perdure.domain.utility import DayOfUse, by_period
from perdure.domain.visibility import View
from perdure.engine.archive_upkeep import check_archive
from perdure.engine.core import Core
from perdure.engine.reembedding import make_up_backlog
from perdure.engine.writing import write

DAY = timedelta(days=1)
PAGE = 1_000


async def stats(core: Core, view: View) -> Stats:
    """Counts of the view's scope."""
    sizes = await core.store.sizes(view)
    unwritten = core.accesses.total(view)
    recalled = sizes.recalled + unwritten
    today = view.now.date()
    days = await core.store.days_of_use(view, since=today - 83 * DAY)
    if unwritten:
        days = [*days, DayOfUse(day=today, recalled=unwritten, used=0)]
    return Stats(
        memories=dict(sizes.memories),
        recalled=recalled,
        used=sizes.used,
        utility_ratio=sizes.used / recalled if recalled else None,
        without_vector=sizes.without_vector,
        bytes=sizes.bytes,
        embedding_model=await core.store.embedding_model(),
        language_model=None if core.proposer is None else core.proposer.model,
        deferred=await core.store.count(_marked(view, DEFERRED)),
        deferral_failed=await core.store.count(_marked(view, FAILED)),
        language_model_usage=NO_USAGE if core.proposer is None else core.proposer.usage,
        utility_by_day=by_period(days, start=today - 13 * DAY, until=today, length_days=1),
        utility_by_week=by_period(days, start=today - 83 * DAY, until=today, length_days=7),
        maintenance=core.maintenance.status,
    )


def _marked(view: View, mark: str) -> Condition:
    everything = replace(view, include=frozenset(("former", "superseded", "archived")))
    return Condition(
        view=everything,
        # Conversations are kept as episodes; a key of that name elsewhere is the caller's own.
        kinds=frozenset((Kind.EPISODIC,)),
        filter=parse_filter({mark: {"exists": True}}),
    )


async def never_used(core: Core, view: View, *, at_least: int, limit: int) -> list[Memory]:
    """What was recalled `at_least` so often and never used, the most recalled first."""
    await flush_accesses(core)
    condition = Condition(
        view=view,
        filter=parse_filter({"memory.used_count": 0, "memory.accessed_count": {"gte": at_least}}),
    )
    best: list[Memory] = []
    after: Position | None = None
    while True:
        query = Query(condition=condition, limit=PAGE, after=after)
        page = await core.store.query(query)
        best = nsmallest(limit, [*best, *map(core.accesses.overlay, page)], key=_by_recalls)
        if len(page) < PAGE:
            return best
        after = Position(sort_value(page[-1], query.order), page[-1].id)


def _by_recalls(memory: Memory) -> tuple[int, str]:
    return -memory.accessed_count, memory.id


async def verify(core: Core, *, repair: bool) -> Verification:
    """Check every row, index and link of the store and the archive, and mend what is derived."""
    from perdure.engine import erasure

    findings = await core.store.check(repair=repair)
    left = await erasure.make_up(core, repair=repair, now=core.now())
    cold = await check_archive(core, repair=repair)
    if repair:
        while await make_up_backlog(core):
            pass
    return Verification(
        problems=tuple(
            Problem(
                place=finding.place,
                problem=finding.problem,
                memory_id=finding.memory_id,
                repaired=finding.repaired,
            )
            for finding in findings
        )
        + tuple(left)
        + tuple(cold)
    )


async def flush_accesses(core: Core) -> None:
    """Write the recalls counted since the last write."""
    if len(core.accesses):
        await write(core, [], at=core.now(), actor=None)
