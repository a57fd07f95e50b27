"""When two memories say the same, and when they only look alike."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from functools import lru_cache

from perdure.domain.filters import same
from perdure.domain.records import Memory, State
from perdure.domain.text import fold, identity_text
from perdure.domain.visibility import holds, is_expired

JACCARD_THRESHOLD = 0.85
SHINGLE_WORDS = 2
SHINGLE_CHARS = 3


def restates(new: Memory, old: Memory, now: datetime) -> bool:
    """Whether storing `new` would add nothing to the visible memory `old`.

    True only when nothing would be lost by keeping `old` alone: the same statement
    (`identity_text`) by the same speaker in the same scope, kind and slot, holding at least as
    long, lasting at least as long, with all of the new metadata, attachments and pins. Two
    events at different stated times are two memories however alike their words.
    """
    return (
        old.scope == new.scope
        and old.kind is new.kind
        and old.key == new.key
        and identity_text(old.content) == identity_text(new.content)
        and old.state in (State.ACTIVE, State.COMPRESSED)
        and old.retired_at is None
        and not is_expired(old, now)
        and _holds_throughout(old, new)
        and (old.expires_at is None or _lasts(old, new))
        and _same_event(old, new)
        and (old.pinned or not new.pinned)
        and (old.held or not new.held)
        and (old.source.role, old.source.speaker) == (new.source.role, new.source.speaker)
        and (old.subject, old.predicate, old.object, old.polarity)
        == (new.subject, new.predicate, new.object, new.polarity)
        and set(new.attachments) <= set(old.attachments)
        and all(key in old.metadata and same(old.metadata[key], value)
                for key, value in new.metadata.items())
    )  # fmt: skip


def _holds_throughout(old: Memory, new: Memory) -> bool:
    begins = new.valid_from
    if _begins_when_told(old) and _begins_when_told(new):
        # Of two told at about the same time, the one told first need not be stored first.
        begins = max(begins, old.valid_from)
    if not holds(old, begins):
        return False
    return old.valid_to is None or (new.valid_to is not None and new.valid_to <= old.valid_to)


def _begins_when_told(memory: Memory) -> bool:
    """Whether nobody said since when it holds."""
    return memory.valid_from == memory.recorded_at


def _lasts(old: Memory, new: Memory) -> bool:
    return (
        old.expires_at is not None
        and new.expires_at is not None
        and new.expires_at <= old.expires_at
    )


def _same_event(old: Memory, new: Memory) -> bool:
    """A time the caller did not state is the time of recording, and says nothing."""
    return not _states_time(new) or (
        old.occurred_at == new.occurred_at and old.occurred_until == new.occurred_until
    )


_TOKEN = re.compile(
    r"[^\W\d_]+(?:['’][^\W\d_]+)*|(?:(?<!\w)[-−])?\d+(?:[.,:]\d+)*"
    "|[-+%$€£¥°/?\u2600-\u27bf\U0001f1e6-\U0001faff]"
)
_WORD = re.compile(r"\w+")
_UNSPACED_CHAR = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_LIGHT = frozenset("a an the very really just so well oh please 呢 吧 啊 呀 嘛 哦 - /".split())
"""Words whose presence never changes what is said. Pronouns, tenses, prepositions and negations
are not among them: they do."""


# Small caches but for `gist`: the words are looked at only of texts that share their gist.
@lru_cache(maxsize=128)
def _telling_tokens(text: str) -> tuple[str, ...]:
    folded = fold(text)
    if folded.isascii():
        return tuple(token for token in _TOKEN.findall(folded) if token not in _LIGHT)
    tokens: list[str] = []
    for token in _TOKEN.findall(folded):
        tokens.extend(token if _UNSPACED_CHAR.match(token) else (token,))
    return tuple(token for token in tokens if token not in _LIGHT)


@lru_cache(maxsize=128)
def _telling_case(text: str) -> frozenset[str]:
    """The words whose case may be their meaning, such as `fooBar`."""
    return frozenset(
        word for word in _WORD.findall(text) if identity_text(word) != identity_text(word.lower())
    )


@lru_cache(maxsize=128)
def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Runs of neighbouring words (spaced scripts) or characters (Chinese, Japanese, Thai)."""
    tokens = _telling_tokens(text)
    unspaced = sum(bool(_UNSPACED_CHAR.match(token)) for token in tokens)
    size = SHINGLE_CHARS if unspaced * 2 > len(tokens) else SHINGLE_WORDS
    return frozenset(tokens[i : i + size] for i in range(len(tokens) - size + 1))


def jaccard(one: str, other: str) -> float:
    """Shared shingles over all shingles, in [0, 1]; texts too short for any compare whole."""
    first, second = shingles(one), shingles(other)
    if not first or not second:
        return float(_telling_tokens(one) == _telling_tokens(other))
    return len(first & second) / len(first | second)


def is_near_duplicate(one: str, other: str) -> bool:
    """Whether one of two texts may be left out of an answer because the other says the same.

    They must be made of the same telling words in the same order, but for what stands first in one
    and last in the other (more than 0.85 of the shingles are then shared). Any word that is in one
    and not in the other (a digit, a sign, a negation, a name, a date, an antonym), and any two
    that changed places, make them two statements, however much else they share.
    """
    if one == other:
        return True
    if _telling_case(one) != _telling_case(other):
        return False
    first, second = _telling_tokens(one), _telling_tokens(other)
    if len(first) != len(second) or not first:
        return not first and not second and identity_text(one) == identity_text(other)
    if first == second:
        return True
    return _is_turned(first, second) and jaccard(one, other) > JACCARD_THRESHOLD


def _is_turned(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether moving words from the front of one to its end gives the other."""
    return any(
        one[place:] + one[:place] == other for place, token in enumerate(one) if token == other[0]
    )


MOST_EXCHANGED = 2
"""Telling words (or, in Chinese, characters) by which two statements of one pattern differ."""


def differs_in_detail(one: str, other: str) -> bool:
    """Whether two texts are of one pattern and differ in what stands at a place or two.

    Each then has a word, a digit, a name or a negation that the other has not, and they share at
    least twice as many: two statements, however alike.
    """
    first, second = Counter(_telling_tokens(one)), Counter(_telling_tokens(other))
    only_first, only_second = first - second, second - first
    exchanged = max(only_first.total(), only_second.total())
    shared = (first & second).total()
    return (
        ((bool(only_first) and bool(only_second)) or _negations(only_first + only_second))
        and exchanged <= MOST_EXCHANGED
        and shared >= 2 * exchanged
    )


_NEGATIONS = frozenset(
    "not no never n't don't doesn't didn't isn't aren't wasn't weren't hasn't haven't can't cannot "
    "won't 不 没 別 别 無 无 未".split()
)


_AUXILIARIES = frozenset("do does did is are was were has have will can".split())


def differs_in_negation(one: str, other: str) -> bool:
    """Whether two texts are the same but that one of them denies what the other says."""
    first, second = Counter(_telling_tokens(one)), Counter(_telling_tokens(other))
    apart = (first - second) + (second - first)
    return _negations(apart) and set(apart) <= _NEGATIONS | _AUXILIARIES


def _negations(tokens: Counter[str]) -> bool:
    return not _NEGATIONS.isdisjoint(tokens)


@lru_cache(maxsize=4096)
def gist(text: str) -> int:
    """A hash that near-duplicates share: of the telling words, whatever their order."""
    return hash(tuple(sorted(_telling_tokens(text))) or identity_text(text))


def repeats(one: Memory, other: Memory) -> bool:
    """Whether an answer that has `one` gains nothing from `other`.

    Near-duplicate words by the same speaker about the same event: another stated time, another
    validity or other metadata make it another memory.
    """
    return (
        one.valid_to == other.valid_to
        and one.metadata == other.metadata
        and (one.source.role, one.source.speaker) == (other.source.role, other.source.speaker)
        and (one.subject, one.object, one.polarity) == (other.subject, other.object, other.polarity)
        and (one.occurred_at == other.occurred_at or not (_states_time(one) or _states_time(other)))
        and is_near_duplicate(one.content, other.content)
    )


def _states_time(memory: Memory) -> bool:
    return memory.occurred_at != memory.recorded_at or memory.occurred_until is not None
