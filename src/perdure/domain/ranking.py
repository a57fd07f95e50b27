"""From candidates to an order, with an explanation that recomputes exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import log
from types import MappingProxyType
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from perdure.domain.calibration import (
    STRAY_WORDS,
    Anchors,
    Calibration,
    odds_in_crowd,
    weight_of_words,
)
from perdure.domain.certainty import Certainty
from perdure.domain.decay import FREQUENCY_SATURATION, half_life_days
from perdure.domain.fusion import lexical_relevance, relevance, said_relevance
from perdure.domain.late_interaction import TELLING
from perdure.domain.times import to_micros
from perdure.errors import InvalidInput

_DAY_US = 86_400_000_000
FOREIGN = 0.9
"""What a memory in another script counts for beside one in the question's own: people mostly ask in
the language they told it in."""
AGREED = 2
"""Power of the odds in a crowd where vectors of words were compared: those say the same as the
sentence's and say it better, so that among many memories it should not be heard twice."""
_LEAST_STRENGTH = 1e-9
COMPONENTS = ("similarity", "importance", "recency", "frequency")


class Candidate(NamedTuple):
    """What a store says of a memory before ranking.

    `cosine` is the best of its vectors against the query's (None: no vector to compare),
    `lexical` the normalised BM25 score (0.0: no term in common), `occurred_us` microseconds since
    1970 UTC, `is_han` whether it is written in Chinese characters, be it in part. `tokens` is what
    late interaction says (`domain.late_interaction.evidence`; None: no vectors of words to compare),
    which no store knows. A tuple rather than a dataclass, because a recall makes many and keeps few.
    """

    id: str
    cosine: float | None
    lexical: float
    importance: float
    occurred_us: int
    accessed_count: int
    is_han: bool = False
    tokens: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Weights of the four components; they sum to 1.

    `half_life_days` None means 7 + 21 × importance days. `is_probability` has the weights of each
    hit scaled so that its score is the probability that the memory is what was asked for, as far as
    that is known of the embedder; the order stays the same.
    """

    name: str
    similarity: float
    importance: float
    recency: float
    frequency: float
    half_life_days: float | None = None
    is_probability: bool = False

    def __post_init__(self) -> None:
        weights = self.weights
        if min(weights) < 0 or abs(sum(weights) - 1.0) > 1e-9:
            raise InvalidInput(
                f"ranking weights of {self.name!r} must be at least 0 and sum to 1, not {weights}"
            )
        if self.half_life_days is not None and self.half_life_days <= 0:
            raise InvalidInput(f"half_life_days of {self.name!r} must be above 0")

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """In the order of COMPONENTS."""
        return (self.similarity, self.importance, self.recency, self.frequency)


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
BALANCED = Preset(
    name="balanced",
    similarity=0.95,
    importance=0.02,
    recency=0.02,
    frequency=0.01,
    is_probability=True,
)
"""Ours: relevance decides, and importance, recency and frequency settle what is about equal."""

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {preset.name: preset for preset in (SEED_WEIGHTED, AGENT_IO, BALANCED)}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a hit has its score.

    `components` maps a name to (value, weight), each value in [0, 1]; `score` is exactly the sum
    of value × weight in the order given. `arms` shows what the similarity was fused from.
    `strength` is the sum with the weights of the preset, by which hits are ordered; where `certainty`
    names what read it as a probability, the weights are scaled to that (that of frequency to 0:
    being read makes nothing likelier), and where it is None the two are the same.
    """

    components: Mapping[str, tuple[float, float]]
    score: float
    config_hash: str
    arms: Mapping[str, float] = field(default_factory=dict)
    strength: float = 0.0
    certainty: str | None = None

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
    """A candidate with its score and the values of COMPONENTS it is the weighted sum of.

    `strength` is the sum with the preset's weights; `scale` is what these are multiplied with for a
    score that is a probability, that of frequency apart, which counts nothing then; None: for others.
    """

    score: float
    values: tuple[float, ...]
    candidate: Candidate
    strength: float
    scale: float | None


class Ranking(Sequence[Scored]):
    """Scored candidates, best first, made when they are asked for: few of them ever are.

    `scales` are in the order of `order`, everything else in that of the candidates.
    """

    def __init__(
        self,
        order: Sequence[int],
        scales: Sequence[float | None],
        strengths: Sequence[float],
        values: Sequence[tuple[float, ...]],
        candidates: Sequence[Candidate],
        preset: Preset,
    ) -> None:
        self._order = order
        self._scales = scales
        self._strengths = strengths
        self._values = values
        self._candidates = candidates
        self._weights = preset.weights

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Scored: ...
    @overload
    def __getitem__(self, index: slice) -> list[Scored]: ...
    def __getitem__(self, index: int | slice) -> Scored | list[Scored]:
        if isinstance(index, slice):
            return [
                self._made(place, scale)
                for place, scale in zip(self._order[index], self._scales[index], strict=True)
            ]
        return self._made(self._order[index], self._scales[index])

    def _made(self, place: int, scale: float | None) -> Scored:
        values, score = self._values[place], self._strengths[place]
        if scale is not None:
            score = weighted_sum(zip(values, _scaled(self._weights, scale), strict=True))
        return Scored(score, values, self._candidates[place], self._strengths[place], scale)


def _scaled(weights: Sequence[float], scale: float | None) -> tuple[float, ...]:
    if scale is None:
        return tuple(weights)
    return (*(weight * scale for weight in weights[:-1]), 0.0)


FloatColumn = NDArray[np.float64]


def _interpolated(cosines: FloatColumn, anchors: Anchors) -> FloatColumn:
    points, values = zip(*anchors, strict=True)
    found: FloatColumn = np.interp(cosines, points, values)
    return found


def _relevance(
    cosines: FloatColumn,
    lexical: FloatColumn,
    tokens: FloatColumn,
    calibration: Calibration,
    considered: int,
    is_foreign: NDArray[np.bool_] | None,
) -> FloatColumn:
    """Each candidate's relevance to the question, in [0, 1], from all arms (NaN: no vectors).

    `is_foreign` are those in another script than the question: no words of theirs can be its
    words, so their cosines are not read as beside words.
    """
    vector = _interpolated(cosines, calibration.anchors)
    weight = weight_of_words(float(lexical.max()))
    if weight > 0.0 and calibration.beside_words is not None:
        beside = _interpolated(cosines, calibration.beside_words)
        crowd = odds_in_crowd(considered)
        odds = np.where(np.isnan(tokens), crowd, crowd**AGREED)
        beside = beside * odds / (1.0 - beside + beside * odds)
        if is_foreign is not None:
            beside = np.where(is_foreign, FOREIGN * vector, beside)
        vector = weight * beside + (1.0 - weight) * vector
    vector[np.isnan(cosines)] = 0.0
    words = np.where(
        np.isnan(tokens),
        lexical_relevance(lexical),
        said_relevance(lexical, np.nan_to_num(tokens)),
    )
    return relevance(vector, words)


def _is_relevant(
    cosines: FloatColumn,
    lexical: FloatColumn,
    tokens: FloatColumn,
    calibration: Calibration,
    considered: int,
    is_foreign: NDArray[np.bool_] | None,
) -> NDArray[np.bool_]:
    """Whether anything says that a candidate has to do with the question.

    More in common than stray words, words much like its words, or a cosine above what the encoder
    gives unrelated texts.
    """
    above = cosines > calibration.noise_among(considered)
    if is_foreign is not None and calibration.noise_across is not None:
        above |= is_foreign & (cosines > calibration.noise_across)
    return (lexical > STRAY_WORDS) | (tokens > TELLING) | above


def _recency(
    occurred_us: FloatColumn, importance: FloatColumn, preset: Preset, now_us: int
) -> FloatColumn:
    """As `domain.decay.recency`, for a column."""
    age_days = np.maximum(now_us - occurred_us, 0.0) / _DAY_US
    life = preset.half_life_days or half_life_days(importance)
    return np.power(0.5, age_days / life)


def _frequency(counts: FloatColumn) -> FloatColumn:
    """As `domain.decay.frequency`, for a column."""
    return np.minimum(1.0, np.log1p(np.maximum(counts, 0.0)) / log(FREQUENCY_SATURATION))


def rank(
    candidates: Sequence[Candidate],
    *,
    preset: Preset,
    calibration: Calibration,
    now: datetime,
    considered: int = 0,
    asks_in_han: bool | None = None,
    unwritten: Sequence[int] | None = None,
    certainty: Certainty | None = None,
) -> Sequence[Scored]:
    """The relevant candidates, best first; equal strengths are ordered by id.

    `considered` is how many memories they were chosen from (0: no more than a few);
    `asks_in_han` whether the question holds Chinese characters, None for a question without words.
    `unwritten` are accesses of each candidate that its store does not know of yet. `certainty` reads
    strengths as probabilities, where the preset wants them; without it they are the scores.

    Computed by columns, because every recall scores dozens of candidates; each score is still the
    plain sum of value × weight, so an explanation recomputes it to the bit.
    """
    if not candidates:
        return []
    ids, cosines, lexical, importance, occurred, counts, han, tokens = zip(*candidates, strict=True)
    cosine = np.array(cosines, dtype=np.float64)  # None becomes NaN
    terms = np.array(lexical, dtype=np.float64)
    words = np.array(tokens, dtype=np.float64)
    weight = np.array(importance, dtype=np.float64)
    accesses = np.array(counts, dtype=np.float64)
    if unwritten is not None:
        accesses += unwritten
    foreign = None if asks_in_han is None else np.array(han) != asks_in_han
    columns = (
        _relevance(cosine, terms, words, calibration, considered, foreign),
        weight,
        _recency(np.array(occurred, dtype=np.float64), weight, preset, to_micros(now)),
        _frequency(accesses),
    )
    unread = np.zeros(len(candidates))
    for column, share in zip(columns[:-1], preset.weights[:-1], strict=True):
        unread += column * share
    strength = unread + columns[-1] * preset.frequency
    fit = np.flatnonzero(
        _is_relevant(cosine, terms, words, calibration, considered, foreign)
    ).tolist()
    strengths = strength.tolist()
    values = list(zip(*(column.tolist() for column in columns), strict=True))
    order = [place for _, _, place in sorted((-strengths[item], ids[item], item) for item in fit)]
    scales: list[float | None] = [None] * len(order)
    if certainty is not None and preset.is_probability:
        # Being read changes the order of what is about equal, and not what is likely.
        known = unread[order]
        likely = certainty.of(np.minimum.accumulate(known), considered)
        scales = (likely / np.maximum(known, _LEAST_STRENGTH)).tolist()
    return Ranking(order, scales, strengths, values, candidates, preset)


def likelihood(
    ranked: Sequence[Scored], *, preset: Preset, certainty: Certainty, considered: int
) -> float:
    """The probability that any of those that `rank` gave answers; 0 of none."""
    if not ranked:
        return 0.0
    unread = zip(ranked[0].values[:-1], preset.weights[:-1], strict=True)
    return certainty.answers(weighted_sum(unread), considered)


def explain(
    item: Scored, *, preset: Preset, config_hash: str, certainty: Certainty | None = None
) -> Explanation:
    """The components behind a score that `rank` gave with the same preset and certainty."""
    candidate = item.candidate
    arms: dict[str, float] = {}
    if candidate.cosine is not None:
        arms["vector"] = candidate.cosine
    if candidate.lexical:
        arms["lexical"] = candidate.lexical
    if candidate.tokens is not None:
        arms["tokens"] = candidate.tokens
    pairs = zip(item.values, _scaled(preset.weights, item.scale), strict=True)
    return Explanation(
        components=dict(zip(COMPONENTS, pairs, strict=True)),
        score=item.score,
        config_hash=config_hash,
        arms=arms,
        strength=item.strength,
        certainty=certainty.name if certainty is not None and preset.is_probability else None,
    )
