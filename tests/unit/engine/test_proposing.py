"""Verdicts with a language model: what it names, and what its facts say."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from perdure.domain.predicates import PREDICATES
from perdure.domain.readings import Claim, Intent, Reading, Relation, Sentence, Span, Verdict
from perdure.engine.proposing import Asking, Bearing, Proposed, Proposer
from perdure.engine.proposing_prompt import Shown
from perdure.errors import LanguageModelUnavailable
from perdure.testing import ScriptedLanguageModel, answer

NOON = datetime(2031, 3, 10, 12, tzinfo=UTC)
MESSAGE = "I live in Olomouc now. The bees are fine."
BRNO, BEES, BOTH = "I live in Brno.", "I keep bees.", "I live in Brno and keep bees."


class Rules:
    """Rules that split at full stops and give every pair the same verdict."""

    identity = "rules"

    def __init__(self, relation: Relation = Relation.ADDS, probability: float = 0.8) -> None:
        self._verdict = Verdict(relation=relation, probability=probability)

    def split(self, text: str) -> Sequence[Span]:
        return [Span(start=0, end=len(text))]

    def read(self, message: str, **_: Any) -> Reading:
        made, start = [], 0
        for part in message.split(". "):
            span = Span(start=start, end=start + len(part))
            made.append(Sentence(span=span, text=part, intent=Intent.CREATE))
            start += len(part) + 2
        return Reading(language="en", intent=Intent.CREATE, confidence=0.5, sentences=tuple(made))

    def relate(self, old: str, new: str, **_: Any) -> Verdict:
        return self._verdict


def claim(predicate: str, value: str, subject: str = "user") -> Claim:
    return Claim(
        subject=subject, predicate=predicate, object=value, span=Span(start=0, end=0),
        statement=f"{subject} {predicate} {value}",
    )  # fmt: skip


def proposed(said: dict[str, Any], rules: Rules | None = None, message: str = MESSAGE) -> Proposed:
    """What the model's answer makes of the message, having been shown three memories."""
    known = [
        Bearing(shown=Shown(id="m1", said=NOON, text=BRNO), memory_id="a", is_fact=False),
        Bearing(shown=Shown(id="m2", said=NOON, text=BEES), memory_id="b", is_fact=False),
        Bearing(
            shown=Shown(id="m3", said=NOON, text="The user lives in Brno."), memory_id="c",
            is_fact=True, relatives=(BOTH,),
        ),
    ]  # fmt: skip
    asking = Asking(
        content=message, at=NOON, speaker=None, speaker_names=("ilka",), context=(), known=known,
        predicates=PREDICATES,
    )  # fmt: skip
    proposer = Proposer(ScriptedLanguageModel([said]), rules or Rules())
    return asyncio.run(proposer.propose(asking))


OLOMOUC = {"predicate": "lives_in", "object": "Olomouc", "evidence": "I live in Olomouc now"}
UPDATE = {"operation": "update", "targets": ["m1", "m3"], "evidence": "I live in Olomouc now"}
FIRST, SECOND = "I live in Olomouc now. ", "The bees are fine."


def test_what_the_model_names_gives_way() -> None:
    verdict = proposed(answer([OLOMOUC], [UPDATE])).relate(BRNO, FIRST)
    assert (verdict.relation, verdict.probability) == (Relation.SUPERSEDES, 0.9)
    assert verdict.leaned_on == ("scripted", "read.en@1")


def test_of_a_statement_only_the_fact_it_names_gives_way() -> None:
    made = proposed(answer([OLOMOUC], [UPDATE]))
    assert made.relate("The user lives in Brno.", FIRST).probability == 0.9
    assert made.relate(BOTH, FIRST).probability == 0.6
    assert made.relate(BOTH, FIRST).relation is Relation.SUPERSEDES


def test_what_it_was_shown_and_did_not_name_stays() -> None:
    made = proposed(answer([OLOMOUC], [UPDATE]), Rules(Relation.SUPERSEDES, 0.99))
    assert made.relate(BEES, FIRST).relation is Relation.UNRELATED


def test_what_it_was_not_shown_is_for_the_rules() -> None:
    made = proposed(answer([OLOMOUC], [UPDATE]), Rules(Relation.SUPERSEDES, 0.99))
    assert made.relate("I pay rent in Brno.", FIRST).relation is Relation.SUPERSEDES


def test_another_sentence_of_the_message_is_for_the_rules() -> None:
    assert proposed(answer([OLOMOUC], [UPDATE])).relate(BRNO, SECOND).relation is Relation.ADDS


@pytest.mark.parametrize(
    ("stored", "relation"),
    [
        (claim("lives_in", "Brno"), Relation.SUPERSEDES),
        (claim("lives_in", "Olomouc"), Relation.RESTATES),
        (claim("lives_in", "Brno", subject="Kova"), Relation.ADDS),
        (claim("likes", "Brno"), Relation.ADDS),
    ],
)
def test_its_facts_take_the_place_of_others_in_their_slot(
    stored: Claim, relation: Relation
) -> None:
    verdict = proposed(answer([OLOMOUC])).relate(BRNO, FIRST, old_claims=[stored])
    assert verdict.relation is relation


@pytest.mark.parametrize("relation", [Relation.EXCEPTS, Relation.PRECEDES])
def test_a_gentler_relation_stands_against_a_slot(relation: Relation) -> None:
    made = proposed(answer([OLOMOUC]), Rules(relation, 0.7))
    stored = [claim("lives_in", "Brno")]
    assert made.relate(BRNO, FIRST, old_claims=stored).relation is relation


@pytest.mark.parametrize("relation", [Relation.RESTATES, Relation.SUPERSEDES])
def test_facts_that_differ_are_neither_the_same_nor_a_change(relation: Relation) -> None:
    made = proposed(answer([OLOMOUC]), Rules(relation, 0.99))
    stored = [claim("hobby", "bees")]
    assert made.relate(BEES, FIRST, old_claims=stored).relation is Relation.ADDS


def test_a_loss_takes_what_was_named_and_nothing_else_that_was_shown() -> None:
    message = "Please forget the bees."
    made = proposed(
        answer([], [{"operation": "delete", "targets": ["m2"], "evidence": "forget the bees"}]),
        Rules(Relation.RETRACTS, 0.9),
        message,
    )
    assert made.relate(BEES, message).relation is Relation.RETRACTS
    assert made.relate(BRNO, message).relation is Relation.UNRELATED


def test_other_messages_are_read_by_the_rules() -> None:
    made = proposed(answer([OLOMOUC]))
    assert made.read("It rains.", at=NOON).leaned_on == ()
    assert made.read(MESSAGE, at=NOON, addressed=True).leaned_on == ()
    assert made.read(MESSAGE, at=NOON).leaned_on == ("scripted", "read.en@1")


def test_a_foreign_failure_is_being_out_of_reach() -> None:
    with pytest.raises(LanguageModelUnavailable, match="ZeroDivisionError"):
        proposed(ZeroDivisionError())  # type: ignore[arg-type]
