"""How a sentence is meant, from its closed-class words."""

from __future__ import annotations

from perdure.domain.readings import Modality
from perdure.understanding.signs import Signs


def modality_of(signs: Signs) -> Modality:
    """The modality of the sentence as a whole; a claim in it may be judged apart."""
    if signs.has("code"):
        return Modality.QUOTED
    if signs.has("text_task") and signs.has("reported"):
        return Modality.QUOTED
    if signs.has("hypothetical"):
        return Modality.HYPOTHETICAL
    if signs.has("question"):
        return Modality.QUESTION
    if signs.has("wish"):
        return Modality.HYPOTHETICAL
    quote = signs.of("reported")
    if quote and quote.group() in '“"':
        return Modality.QUOTED
    if is_passing(signs) and not signs.has("instruction"):
        return Modality.TEMPORARY
    return Modality.ASSERTED


def is_passing(signs: Signs) -> bool:
    """Whether the words say that it is so for a while: "until Friday", "I'm at home today".

    What happened today ("we got a puppy today") or begins with it is not over tomorrow.
    """
    if not signs.has("temporary") or signs.has("begins"):
        return False
    if signs.beside("this_day").has("temporary"):
        return True
    return signs.has("goes_on") and not signs.has("change", "ended")
