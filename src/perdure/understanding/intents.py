"""What a sentence asks of the memory: the networks' word, checked with closed-class words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from perdure.domain.readings import Intent
from perdure.understanding.signs import Signs

LEAST_COURTEOUS = 0.2
"""Words of courtesy ask nothing unless the networks are sure that they answer something."""

LEAST_SURE_DELETE = 0.8
"""Below it a request to lose something is not taken as one: a wrong loss is the worst mistake."""

SURE_WITH_WORDS = 0.5
"""The same where closed words ask for it and none speak against it."""

SURE_WITH_PLAIN_WORDS = 0.35
"""The same for a sentence that begins with a request to forget something of the speaker's."""

_ASKING = ("forget", "forget_back", "taken_back")
"""Cues of closed words that ask for a loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """An intent, how sure it is, and what says so."""

    intent: Intent
    confidence: float
    leaned_on: tuple[str, ...]


def ask_of(
    shares: Mapping[Intent, float],
    signs: Signs,
    version: str,
    *,
    states_facts: bool,
    is_loss_asked: bool = False,
) -> Ask:
    """The likeliest intent that may be acted on.

    `states_facts`: the text asserts something; `is_loss_asked`: one sentence of it, taken by
    itself, asks for a loss.
    """
    if signs.has("courtesy") and shares.get(Intent.NONE, 0.0) >= LEAST_COURTEOUS:
        return Ask(intent=Intent.NONE, confidence=1.0, leaned_on=("cue:courtesy",))
    ranked = sorted(Intent, key=lambda intent: -shares.get(intent, 0.0))
    for intent in ranked:
        if intent is Intent.DELETE and not _may_delete(shares[intent], signs, is_loss_asked):
            continue
        if intent is Intent.CREATE and not states_facts and signs.has("asks_only"):
            continue
        return Ask(
            intent=intent,
            confidence=shares.get(intent, 0.0),
            leaned_on=(f"network:{version}",),
        )
    return Ask(intent=Intent.NONE, confidence=1.0, leaned_on=("nothing",))


def _may_delete(share: float, signs: Signs, is_loss_asked: bool) -> bool:
    if signs.has("code", "loss_reported") and not is_loss_asked:
        return False
    if signs.has("not_to_lose"):
        # "Keep this, but forget that" asks for a loss in words of its own.
        return share >= SURE_WITH_WORDS and signs.beside("not_to_lose").has(*_ASKING)
    if signs.has("plain_loss") and share >= SURE_WITH_PLAIN_WORDS:
        return True
    if signs.has("to_keep") and not signs.has(*_ASKING):
        return False
    if share >= LEAST_SURE_DELETE:
        return True
    return signs.has(*_ASKING) and not signs.has("not_forget") and share >= SURE_WITH_WORDS
