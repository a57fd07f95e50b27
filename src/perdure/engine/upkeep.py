"""Numbers and checks."""

from __future__ import annotations

from dataclasses import replace

from perdure.domain.deferral import DEFERRED, FAILED
from perdure.domain.filters import parse_filter
from perdure.domain.query import Condition
from perdure.domain.records import Kind
from perdure.domain.results import Problem, Stats, Verification
from perdure.domain.usage import NO_USAGE
from perdure.domain.visibility import View
from perdure.engine import erasure
from perdure.engine.core import Core
from perdure.engine.reembedding import make_up_backlog
from perdure.engine.writing import write


async def stats(core: Core, view: View) -> Stats:
    """Counts of the view's scope."""
    sizes = await core.store.sizes(view)
    recalled = sizes.recalled + core.accesses.total(view)
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
    )


def _marked(view: View, mark: str) -> Condition:
    everything = replace(view, include=frozenset(("former", "superseded", "archived")))
    return Condition(
        view=everything,
        # Conversations are kept as episodes; a key of that name elsewhere is the caller's own.
        kinds=frozenset((Kind.EPISODIC,)),
        filter=parse_filter({mark: {"exists": True}}),
    )


async def verify(core: Core, *, repair: bool) -> Verification:
    """Check every row, index and link of the store, and mend what is derived."""
    findings = await core.store.check(repair=repair)
    left = await erasure.make_up(core, repair=repair, now=core.now())
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
    )


async def flush_accesses(core: Core) -> None:
    """Write the recalls counted since the last write."""
    if len(core.accesses):
        await write(core, [], at=core.now(), actor=None)
