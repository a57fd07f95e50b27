"""Telling related memories in one summary: made, extended, and taken back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from perdure.domain.changes import Change, Operation
from perdure.domain.clustering import (
    LEAST,
    TOGETHER,
    Cluster,
    Item,
    clusters_of,
    pair,
    relatedness,
)
from perdure.domain.consolidation import may_be_told
from perdure.domain.records import Kind, Memory, Metadata, State
from perdure.domain.scope import Scope
from perdure.domain.summaries import SUMMARY, SummaryMark, digest_of, is_summary, summary_in
from perdure.engine.consolidating_surroundings import MOST_CHARS, Step, Surroundings, item_of
from perdure.engine.observe_working import Working
from perdure.engine.summarising import Teller

TOLD = "it is told in one summary with {others} related memories"
REMADE = "a summary that is of more sessions than one now"


async def summarise(working: Working, around: Surroundings, teller: Teller) -> list[Step]:
    """Add the summaries of what lies around to the changes; what was done with which memory."""
    steps: list[Step] = []
    by_agent: dict[str, list[Memory]] = defaultdict(list)
    for_good = _told_for_good(working, around)
    for stored in around.memories.values():
        memory = working.note(stored)
        if may_be_told(memory) and _living(working, around, memory) not in for_good:
            by_agent[memory.scope.agent].append(memory)
    for _, memories in sorted(by_agent.items()):
        items = [
            item_of(memory, around.facts(memory), _living(working, around, memory))
            for memory in memories
        ]
        known = {memory.id: memory for memory in memories}
        await _compare_kin(working, around, known, items)
        for cluster in clusters_of(items, around.links):
            if len(cluster.members) >= LEAST:
                members = [known[name] for name in cluster.ids]
                steps += await _tell(working, around, teller, cluster, members)
    return steps


async def _compare_kin(
    working: Working, around: Surroundings, known: Mapping[str, Memory], items: Sequence[Item]
) -> None:
    """Link those that belong to the same memory, which the searches from it have not compared:
    two of long ago and one of today may be three of a kind."""
    free = {item.id: item for item in items if item.cluster is None}
    kin: dict[str, list[str]] = defaultdict(list)
    for (one, other), relevance in around.links.items():
        are_free = one in free and other in free
        if are_free and relatedness(free[one], free[other], relevance) >= TOGETHER:
            kin[one].append(other)
            kin[other].append(one)
    pairs = {pair(*two) for names in kin.values() for two in combinations(names, 2)}
    pairs -= around.links.keys()
    names = sorted({name for two in pairs for name in two})
    embedding = working.core.embedding
    made = await embedding.vectors([known[name].content[:MOST_CHARS] for name in names])
    rows = dict(zip(names, made, strict=True))
    for one, other in pairs:
        first, second = rows[one], rows[other]
        around.links[one, other] = (
            None
            if first is None or second is None
            else embedding.calibration.relevance(float(first.rows[0] @ second.rows[0]))
        )


def _living(working: Working, around: Surroundings, memory: Memory) -> str | None:
    """The summary a memory is part of, unless the changes so far took it back."""
    stored = around.summary(memory)
    if stored is None or working.note(stored).state is State.FORGOTTEN:
        return None
    return stored.id


def _told_for_good(working: Working, around: Surroundings) -> set[str]:
    """Summaries that tell of words which were compressed or archived since: they stay as they are,
    for they could not be made again."""
    return {
        summary.id
        for summary in around.drawn.values()
        if is_summary(summary)
        and not all(
            name in around.memories and may_be_told(working.note(around.memories[name]))
            for name in summary.provenance
        )
    }


def _forget(working: Working, summary: Memory, reason: str) -> Step:
    gone = replace(summary, state=State.FORGOTTEN, retired_at=working.now)
    working.change(gone, Operation.FORGOTTEN, reason)
    return Step(memory=summary, reason=reason)


async def _tell(
    working: Working,
    around: Surroundings,
    teller: Teller,
    cluster: Cluster,
    members: Sequence[Memory],
) -> list[Step]:
    stored = None if cluster.summary is None else around.drawn[cluster.summary]
    summary = None if stored is None else working.note(stored)
    scope = _scope_of(members)
    if summary is not None and _is_as_it_should_be(summary, members, scope):
        return []
    steps: list[Step] = []
    if summary is not None and summary.scope != scope:  # which a memory never changes
        steps.append(_forget(working, summary, REMADE))
        summary = None
    told = await teller.tell(members)
    content = "\n".join(line.text for line in told.lines)
    if not content:
        return steps
    mark = SummaryMark(
        by=told.by, digest=digest_of(members), lines=tuple(line.sources for line in told.lines)
    )
    [vectors] = await working.core.embedding.vectors([content])
    made = _memory(working, members, scope, content, mark, summary)
    working.add(
        Change(
            operation=Operation.CREATED if summary is None else Operation.CONSOLIDATED,
            before=summary,
            after=made,
            vectors=vectors,
            reason=f"a summary of {len(members)} related memories",
        )
    )
    return [*steps, *_link(working, made, members)]


def _is_as_it_should_be(summary: Memory, members: Sequence[Memory], scope: Scope) -> bool:
    mark = summary_in(summary)
    ids = tuple(item.id for item in members)
    is_of_them = summary.scope == scope and set(ids) == set(summary.provenance)
    return is_of_them and mark is not None and mark.digest == digest_of(members)


def _scope_of(members: Sequence[Memory]) -> Scope:
    """Where a summary belongs: in the session that all are of, or in none."""
    scope = members[0].scope
    is_of_one = all(item.scope.session == scope.session for item in members)
    return scope if is_of_one else replace(scope, session="")


def _memory(
    working: Working,
    members: Sequence[Memory],
    scope: Scope,
    content: str,
    mark: SummaryMark,
    summary: Memory | None,
) -> Memory:
    """The summary as a memory: true since all of it is, and no surer than the least sure of it."""
    first = min(item.occurred_at for item in members)
    last = max(item.occurred_until or item.occurred_at for item in members)
    base = summary or Memory(
        id=working.new_id(),
        content="",
        scope=scope,
        occurred_at=first,
        recorded_at=working.now,
        valid_from=first,
        kind=Kind.SEMANTIC,
    )
    return replace(
        base,
        content=content,
        occurred_at=first,
        occurred_until=last if last > first else None,
        valid_from=max(item.valid_from for item in members),
        importance=round(sum(item.importance for item in members) / len(members), 6),
        confidence=min(item.confidence for item in members),
        provenance=tuple(item.id for item in members),
        metadata=Metadata({**base.metadata, SUMMARY: mark.as_json()}),
    )


def _link(working: Working, summary: Memory, members: Sequence[Memory]) -> list[Step]:
    """Let the sources name their summary. Those it had before stay named: an erasure has to find
    them, too."""
    steps: list[Step] = []
    reason = TOLD.format(others=len(members) - 1)
    for member in members:
        current = working.current[member.id]
        if summary.id not in current.supports:
            supports = (*current.supports, summary.id)
            working.change(replace(current, supports=supports), Operation.CONSOLIDATED, reason)
            steps.append(Step(memory=current, reason=reason))
    return steps
