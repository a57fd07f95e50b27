"""From candidates to an order, with an explanation that recomputes exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from perdure.domain.calibration import Calibration
from perdure.domain.decay import frequency, half_life_days, recency
from perdure.domain.fusion import lexical_relevance, relevance
from perdure.domain.times import to_micros
from perdure.errors import InvalidInput

_DAY_US = 86_400_000_000
COMPONENTS = ("similarity", "importance", "recency", "frequency")


class Candidate(NamedTuple):
    """What a store says of a memory before ranking.

    `cosine` is the best of its vectors against the query's (None: no vector to compare),
    `lexical` the normalised BM25 score (0.0: no term in common), `occurred_us` microseconds since
    1970 UTC. A tuple rather than a dataclass, because a recall makes many and keeps few.
    """

    id: str
    cosine: float | None
    lexical: float
    importance: float
    occurred_us: int
    accessed_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Weights of the four components; they sum to 1.

    `half_life_days` None means 7 + 21 × importance days.
    """

    name: str
    similarity: float
    importance: float
    recency: float
    frequency: float
    half_life_days: float | None = None

    def __post_init__(self) -> None:
        weights = (self.similarity, self.importance, self.recency, self.frequency)
        if min(weights) < 0 or abs(sum(weights) - 1.0) > 1e-9:
            raise InvalidInput(
                f"ranking weights of {self.name!r} must be at least 0 and sum to 1, not {weights}"
            )
        if self.half_life_days is not None and self.half_life_days <= 0:
            raise InvalidInput(f"half_life_days of {self.name!r} must be above 0")


SEED_WEIGHTED = Preset(
    name="seed_weighted", similarity=0.45, importance=0.25, recency=0.20, frequency=0.10
)
AGENT_IO = Preset(
    name="agent_io",
    similarity=0.40,
    importance=0.25,
    recency=0.20,
    frequency=0.15,
    half_life_days=7.0,
)
BALANCED = Preset(name="balanced", similarity=0.95, importance=0.02, recency=0.02, frequency=0.01)
"""Ours: relevance decides, and importance, recency and frequency settle what is about equal."""

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {preset.name: preset for preset in (SEED_WEIGHTED, AGENT_IO, BALANCED)}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a hit has its score.

    `components` maps a name to (value, weight), each value in [0, 1]; `score` is exactly the sum
    of value × weight in the order given. `arms` shows what the similarity was fused from.
    """

    components: Mapping[str, tuple[float, float]]
    score: float
    config_hash: str
    arms: Mapping[str, float] = field(default_factory=dict)

    def recomputed(self) -> float:
        """The score computed again from the components; equal to `score`, bit for bit."""
        return weighted_sum(self.components.values())


def weighted_sum(components: Iterable[tuple[float, float]]) -> float:
    """Σ value × weight, added in the order given, so that it is reproducible to the bit."""
    total = 0.0
    for value, weight in components:
        total += value * weight
    return total


class Scored(NamedTuple):
    """A candidate with its final score and its relevance (the similarity component), in [0, 1]."""

    score: float
    relevance: float
    candidate: Candidate


def relevance_of(candidate: Candidate, calibration: Calibration) -> float:
    """The candidate's relevance to the question, in [0, 1], from both arms."""
    cosine = candidate.cosine
    vector = calibration.relevance(cosine) if cosine is not None else 0.0
    if not candidate.lexical:
        return vector
    return relevance(vector, lexical_relevance(candidate.lexical))


def is_relevant(candidate: Candidate, calibration: Calibration) -> bool:
    """Whether anything says that the candidate has to do with the question.

    A term in common, or a cosine above what the encoder gives unrelated texts.
    """
    if candidate.lexical > 0:
        return True
    if candidate.cosine is None:
        return False
    return calibration.noise is None or candidate.cosine > calibration.noise


def _components(
    candidate: Candidate, *, preset: Preset, relevance: float, now_us: int
) -> tuple[tuple[float, float], ...]:
    life = preset.half_life_days or half_life_days(candidate.importance)
    age_days = (now_us - candidate.occurred_us) / _DAY_US
    return (
        (relevance, preset.similarity),
        (candidate.importance, preset.importance),
        (recency(age_days, half_life=life), preset.recency),
        (frequency(candidate.accessed_count), preset.frequency),
    )


def rank(
    candidates: Iterable[Candidate], *, preset: Preset, calibration: Calibration, now: datetime
) -> list[Scored]:
    """The relevant candidates, best first; equal scores are ordered by id."""
    now_us = to_micros(now)
    scored: list[Scored] = []
    for candidate in candidates:
        if is_relevant(candidate, calibration):
            found = relevance_of(candidate, calibration)
            parts = _components(candidate, preset=preset, relevance=found, now_us=now_us)
            scored.append(Scored(weighted_sum(parts), found, candidate))
    scored.sort(key=lambda item: (-item.score, item.candidate.id))
    return scored


def explain(item: Scored, *, preset: Preset, now: datetime, config_hash: str) -> Explanation:
    """The components behind a score that `rank` gave with the same preset and time."""
    candidate = item.candidate
    parts = _components(candidate, preset=preset, relevance=item.relevance, now_us=to_micros(now))
    arms: dict[str, float] = {}
    if candidate.cosine is not None:
        arms["vector"] = candidate.cosine
    if candidate.lexical:
        arms["lexical"] = candidate.lexical
    return Explanation(
        components=dict(zip(COMPONENTS, parts, strict=True)),
        score=item.score,
        config_hash=config_hash,
        arms=arms,
    )
