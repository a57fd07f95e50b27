"""What a sentence asks of the memory, from its closed-class words."""

from __future__ import annotations

from dataclasses import dataclass

from perdure.domain.readings import Intent, Modality
from perdure.understanding.signs import Signs


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """An intent, how sure it is, where it shows (in the sentence), and the rule behind it."""

    intent: Intent
    confidence: float
    rule: str
    start: int = 0
    end: int = 0


def ask_by_rules(signs: Signs, modality: Modality, *, has_facts: bool) -> Ask:
    """What the sentence asks by itself, without what was said before."""
    for intent, cue, confidence in _requests(signs):
        match = signs.of(cue)
        start, end = match.span() if match else (0, 0)
        return Ask(intent=intent, confidence=confidence, rule=f"cue:{cue}", start=start, end=end)
    if not modality.is_held or signs.has("courtesy"):
        return Ask(intent=Intent.NONE, confidence=0.7, rule=f"modality:{modality}")
    if has_facts and signs.has("change", "correction", "ended"):
        return Ask(intent=Intent.UPDATE, confidence=0.6, rule="cue:change")
    if has_facts or signs.has("remember", "instruction"):
        return Ask(intent=Intent.CREATE, confidence=0.6, rule="facts")
    if signs.has("task"):
        return Ask(intent=Intent.NONE, confidence=0.6, rule="cue:task")
    if signs.has("first_person"):
        return Ask(intent=Intent.CREATE, confidence=0.4, rule="cue:first_person")
    return Ask(intent=Intent.NONE, confidence=0.4, rule="nothing")


def _requests(signs: Signs) -> list[tuple[Intent, str, float]]:
    if signs.has("not_forget") and not signs.has("forget_back"):
        return [(Intent.CREATE, "remember", 0.6)] if signs.has("remember") else []
    found: list[tuple[Intent, str, float]] = []
    if signs.has("consolidate"):
        found.append((Intent.CONSOLIDATE, "consolidate", 0.8))
    found += [
        (Intent.DELETE, cue, 0.8)
        for cue in ("forget", "forget_back", "taken_back")
        if signs.has(cue)
    ]
    return found
