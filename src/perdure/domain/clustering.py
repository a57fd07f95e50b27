"""Which memories belong together: by what they say, what they name, and when they happened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from perdure.domain.proposals import name_form
from perdure.domain.readings import USER
from perdure.domain.records import Memory
from perdure.domain.summaries import shared
from perdure.domain.text import fold

LIKENESS, NAMES, NEARNESS = 0.6, 0.25, 0.15
"""Weights of the three signs; they add up to 1."""
NEAR = timedelta(days=3)
"""The distance in time at which nearness is halved."""
TOGETHER = 0.28
"""Relatedness from which two memories belong together. Of 26 sentences in English and Chinese on
eight subjects, pairs of one subject had 0.27 to 0.48 with the built-in embedder, others up to 0.28."""
WORDS_ALONE = 2.0
"""What shared terms count for where there is no vector: related sentences share few words."""
LEAST, MOST = 3, 12
"""How many memories a cluster has: two need no summary, and of many too little would be told."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A memory as clustering sees it. `terms` as of `query_lexemes`; `names` are `names_of`.

    `cluster` is the id of the summary it is part of already.
    """

    id: str
    at: datetime
    terms: frozenset[int]
    names: frozenset[str] = frozenset()
    cluster: str | None = None


@dataclass(slots=True)
class Cluster:
    """Memories that belong together, and the id of the summary they have, if any."""

    members: list[Item] = field(default_factory=list)
    summary: str | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The members' ids, in the order of time."""
        return tuple(item.id for item in sorted(self.members, key=_in_time))


def pair(one: str, other: str) -> Pair:
    """The key of two memories, whichever comes first."""
    return (one, other) if one <= other else (other, one)


def relatedness(one: Item, other: Item, relevance: float | None = None) -> float:
    """How much two memories belong together, in [0, 1].

    0.6 × likeness + 0.25 × shared names + 0.15 × nearness in time. Likeness is the mean of the
    shared terms (Dice) and the `relevance` of their cosine, or twice the former, up to 1, where there
    is no vector; shared names are those of both ÷ those of the one that has fewer; nearness is halved
    every three days. The weights are ours.
    """
    words = shared(one.terms, other.terms)
    likeness = min(1.0, WORDS_ALONE * words) if relevance is None else (words + relevance) / 2
    fewer = min(len(one.names), len(other.names))
    names = len(one.names & other.names) / fewer if fewer else 0.0
    nearness: float = 0.5 ** (abs(one.at - other.at) / NEAR)
    return LIKENESS * likeness + NAMES * names + NEARNESS * nearness


def clusters_of(items: Iterable[Item], links: Mapping[Pair, float | None]) -> list[Cluster]:
    """Put the memories that have no summary yet with those they belong to.

    In the order of time each joins the cluster it is on average most related to, from `TOGETHER`
    on, if that has room; otherwise it begins its own. `links` maps pairs worth comparing to the
    relevance of their cosine (None: unknown): only a cluster that holds a linked memory is looked
    at. Members of an existing summary stay in it. The same input gives the same clusters, in
    whatever order it comes.
    """
    known = sorted(items, key=_in_time)
    settled: dict[str, Cluster] = {}
    of: dict[str, Cluster] = {}
    for item in known:
        if item.cluster is not None:
            cluster = settled.setdefault(item.cluster, Cluster(summary=item.cluster))
            cluster.members.append(item)
            of[item.id] = cluster
    neighbours: dict[str, list[str]] = {}
    for one, other in sorted(links):
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    made: list[Cluster] = []
    for item in known:
        if item.cluster is not None:
            continue
        chosen = _nearest(
            item, [of[name] for name in neighbours.get(item.id, ()) if name in of], links
        )
        if chosen is None:
            chosen = Cluster()
            made.append(chosen)
        chosen.members.append(item)
        of[item.id] = chosen
    return [*settled.values(), *made]


def _nearest(
    item: Item, candidates: Sequence[Cluster], links: Mapping[Pair, float | None]
) -> Cluster | None:
    best, most = None, TOGETHER
    for cluster in {id(one): one for one in candidates}.values():
        if len(cluster.members) >= MOST:
            continue
        mean = sum(
            relatedness(item, member, links.get(pair(item.id, member.id)))
            for member in cluster.members
        ) / len(cluster.members)
        if mean > most or (mean == most and best is None):
            best, most = cluster, mean
    return best


def _in_time(item: Item) -> tuple[datetime, str]:
    return (item.at, item.id)


_PROPER = re.compile(
    r"(?<=[\w,;:]\s)[A-Z][^\W\d_]+|\b[A-Za-z]*\d[\w-]*\b|《[^》]{1,40}》|「[^」]{1,40}」"
)
_NO_NAMES = frozenset("i i'm i've i'll i'd".split())


def names_of(memory: Memory, facts: Iterable[Memory]) -> frozenset[str]:
    """The people and things a memory names, folded: those of its facts, but for the one whose
    scope it is, and what is written as a name."""
    told = [part for fact in facts for part in (fact.subject, fact.object) if part]
    if memory.predicate is not None:
        told += [part for part in (memory.subject, memory.object) if part]
    named = {name_form(part.removeprefix(f"{USER}.")) for part in told}
    named |= {fold(match) for match in _PROPER.findall(memory.content)}
    return frozenset(named - _NO_NAMES - {USER, ""})
