"""Observing with a scripted understanding: what the engine does with readings and verdicts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import perdure
from perdure.domain.readings import (
    Claim,
    Intent,
    Modality,
    Reading,
    Relation,
    Sentence,
    Span,
    Target,
    Verdict,
    When,
)
from perdure.testing import FakeClock, HashingEmbedder

MORNING = datetime(2031, 3, 10, 9, tzinfo=UTC)
DAY = timedelta(days=1)


class Scripted:
    """Understands what it was told to; everything else is unrelated small talk."""

    identity = "scripted"

    def __init__(self):
        self.readings = {}
        self.verdicts = {}

    def split(self, text):
        return self.readings[text].sentences

    def read(self, message, *, at, context=(), speaker=None, addressed=False):
        return self.readings.get(message, Reading(language="en", intent=Intent.NONE))

    def relate(self, old, new, *, cosine=None, old_claims=(), new_claims=()):
        relation = self.verdicts.get((old.strip(), new.strip()), Relation.UNRELATED)
        asked = next((key for key in self.readings if key.strip(".") == new.strip(".")), None)
        if asked is not None and self.readings[asked].intent is Intent.DELETE:
            shared = {word.strip(".").lower() for word in old.split()} & set(new.lower().split())
            points_back = new.startswith("Scratch that")
            relation = Relation.RETRACTS if shared - {"my"} or points_back else Relation.UNRELATED
        return Verdict(relation=relation, probability=0.9, probabilities={relation: 0.9})

    def says(self, message, *claims, intent=Intent.CREATE, targets=(), answers=None, **sentence):
        """The message is one sentence that states these (predicate, value) pairs."""
        made = tuple(
            Claim(
                subject=subject,
                predicate=predicate,
                object=value,
                span=Span(start=0, end=0),
                statement=f"{subject} {predicate} {value}",
                modality=sentence.get("modality", Modality.ASSERTED),
                confidence=0.8,
            )
            for subject, predicate, value in (
                claim if len(claim) == 3 else ("user", *claim) for claim in claims
            )
        )
        span = Span(start=0, end=len(message))
        self.readings[message] = Reading(
            language="en",
            intent=intent,
            targets=targets,
            answers=answers,
            sentences=(Sentence(span=span, text=message, intent=intent, claims=made, **sentence),),
        )
        return message


class Desk:
    """A manager with a scripted understanding and a clock that moves on a day per message."""

    def __init__(self, url="memory://"):
        self.clock = FakeClock(MORNING)
        self.script = Scripted()
        self.manager = perdure.open(url, embedder=HashingEmbedder(64), clock=self.clock)
        core = self.manager._core
        core._core = replace(core._core, understanding=self.script)

    def tell(self, content, role="user", **parts):
        self.clock.advance(DAY)
        return self.manager.observe([{"role": role, "content": content, **parts}])

    def told(self, relation, old, new):
        self.script.verdicts[old, new] = relation

    def words(self, **call):
        return [memory.content for memory in self.manager.list(**call)]


@pytest.fixture
def desk():
    made = Desk()
    yield made
    made.manager.close()


OSLO = "I live in Oslo."
BERGEN = "We have moved to Bergen."


def move(desk):
    """Oslo, then Bergen."""
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    desk.script.says(BERGEN, ("lives_in", "Bergen"), intent=Intent.UPDATE)
    desk.told(Relation.SUPERSEDES, OSLO, BERGEN)
    return desk.tell(OSLO), desk.tell(BERGEN)


def operations(observed):
    return [decision.operation for decision in observed.decisions]


def test_words_and_facts_are_kept_with_pointers_both_ways(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    [words, fact] = desk.tell(OSLO, id="m1").memories
    assert (words.content, words.kind, words.source.role) == (OSLO, "episodic", "user")
    assert words.source.message_ids == ("m1",)
    assert (fact.subject, fact.predicate, fact.object, fact.polarity) == (
        "user", "lives_in", "Oslo", "+"
    )  # fmt: skip
    assert (words.supports, fact.provenance) == ((fact.id,), (words.id,))


def test_a_change_supersedes_the_words_and_the_fact(desk):
    first, second = move(desk)
    assert operations(second) == ["update"]
    assert set(second.decisions[0].superseded) == {memory.id for memory in first.memories}
    assert desk.words() == [BERGEN, "user lives_in Bergen"]
    old = desk.manager.get(first.memories[0].id)
    assert (old.state, old.superseded_by) == ("superseded", second.memories[0].id)


def test_the_old_value_answers_for_its_time(desk):
    move(desk)
    assert desk.words(as_of=MORNING + 1.5 * DAY) == [OSLO, "user lives_in Oslo"]


def test_a_return_to_the_first_value_keeps_two_intervals(desk):
    move(desk)
    back = desk.script.says("Back in Oslo.", ("lives_in", "Oslo"), intent=Intent.UPDATE)
    desk.told(Relation.SUPERSEDES, BERGEN, back)
    desk.tell(back)
    assert desk.words() == [back, "user lives_in Oslo"]
    assert desk.words(as_of=MORNING + 2.5 * DAY) == [BERGEN, "user lives_in Bergen"]
    assert desk.words(as_of=MORNING + 1.5 * DAY) == [OSLO, "user lives_in Oslo"]


def test_a_question_about_the_past_shows_what_is_former(desk):
    move(desk)
    assert OSLO not in [hit.memory.content for hit in desk.manager.recall("Where do I live?")]
    hits = {hit.memory.content: hit.status for hit in desk.manager.recall("I used to live where?")}
    assert hits[OSLO] == "former"


def test_a_restatement_is_held_once_and_raises_the_confidence(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    again = desk.script.says("Oslo is where I live.", ("lives_in", "Oslo"))
    desk.told(Relation.RESTATES, OSLO, again)
    [_, before] = desk.tell(OSLO).memories
    observed = desk.tell(again)
    assert operations(observed) == ["none"]
    fact = desk.manager.get(before.id)
    assert before.confidence < fact.confidence < 1.0
    assert len(fact.provenance) == 2


def test_a_contradiction_is_shown_on_both_until_one_is_lost(desk):
    low = desk.script.says("The notice says 300.", ("hall", "price", "300"))
    high = desk.script.says("The letter says 450.", ("hall", "price", "450"))
    desk.told(Relation.CONTRADICTS, low, high)
    [first, _] = desk.tell(low).memories
    assert operations(desk.tell(high)) == ["create"]
    statuses = {hit.memory.content: hit.status for hit in desk.manager.recall("says hall price")}
    assert set(statuses.values()) == {"contested"}
    desk.manager.forget(first.id)
    statuses = {hit.memory.content: hit.status for hit in desk.manager.recall("says hall price")}
    assert set(statuses.values()) == {"current"}


def test_an_assistant_is_not_believed(desk):
    guess = desk.script.says("You live in Oslo.", ("lives_in", "Oslo"))
    observed = desk.tell(guess, role="assistant")
    assert operations(observed) == ["none"]
    [memory] = observed.memories
    assert (memory.kind, memory.confidence, memory.supports) == ("episodic", 0.0, ())


@pytest.mark.parametrize("role", ["system", "tool", "developer"])
def test_recalled_text_and_tool_output_are_not_believed(desk, role):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    assert operations(desk.tell(OSLO, role=role)) == ["none"]
    assert desk.words(kinds="semantic") == []


def test_a_clear_yes_makes_the_guess_a_fact(desk):
    guess = desk.script.says("You live in Oslo, right?", ("lives_in", "Oslo"))
    desk.tell(guess, role="assistant")
    yes = desk.script.says("Yes, exactly.", answers=True, is_worth_keeping=False)
    assert operations(desk.tell(yes)) == ["create"]
    assert desk.words(kinds="semantic") == ["user lives_in Oslo"]


def test_a_denial_makes_nothing_a_fact(desk):
    guess = desk.script.says("You live in Oslo, right?", ("lives_in", "Oslo"))
    desk.tell(guess, role="assistant")
    no = desk.script.says("No.", answers=False, is_worth_keeping=False)
    assert operations(desk.tell(no)) == ["none"]
    assert desk.words(kinds="semantic") == []


def test_losing_on_request_takes_facts_and_echoes_along(desk):
    code = desk.script.says("My locker code is 5512.", ("attribute:locker code", "5512"))
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    desk.tell(code)
    desk.tell("Saved, 5512.", role="assistant")
    desk.tell(OSLO)
    target = Target(text="my locker code")
    ask = desk.script.says(
        "Forget my locker code.", intent=Intent.DELETE, targets=(target,), is_worth_keeping=False
    )
    observed = desk.tell(ask)
    assert operations(observed) == ["delete"]
    assert len(observed.decisions[0].superseded) == 3
    left = desk.words(include=("superseded", "former"))
    assert sorted(left) == sorted([OSLO, "user lives_in Oslo"])


def test_a_request_that_means_nothing_stored_loses_nothing(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    desk.tell(OSLO)
    ask = desk.script.says(
        "Forget my shoe size.", intent=Intent.DELETE, targets=(Target(text="my shoe size"),)
    )
    observed = desk.tell(ask)
    assert operations(observed) == ["delete"]
    assert observed.decisions[0].superseded == ()
    assert OSLO in desk.words()


def test_taking_back_a_change_lets_the_old_value_hold_again(desk):
    move(desk)
    ask = desk.script.says("Scratch that.", intent=Intent.DELETE, targets=(Target(text=""),))
    desk.tell(ask)
    assert sorted(desk.words()) == sorted([OSLO, "user lives_in Oslo"])


@pytest.mark.parametrize("parts", [{"id": "m1"}, {"time": "2031-03-10T09:00:00+02:00"}])
def test_the_same_message_again_changes_nothing(desk, parts):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    first = desk.tell(OSLO, **parts)
    journal = desk.manager.changes()
    again = desk.tell(OSLO, **parts)
    assert operations(again) == ["none"]
    assert [memory.id for memory in again.memories] == [first.memories[0].id]
    assert desk.manager.changes() == journal


def test_the_same_message_again_revives_nothing_that_was_forgotten(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    desk.manager.forget([memory.id for memory in desk.tell(OSLO, id="m1").memories])
    assert desk.tell(OSLO, id="m1").memories == ()
    assert desk.words() == []


def test_an_id_with_other_words_is_refused(desk):
    desk.tell("One.", id="m1")
    with pytest.raises(perdure.Conflict):
        desk.tell("Two.", id="m1")


def test_losing_the_last_support_loses_the_fact(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    again = desk.script.says("Oslo is where I live.", ("lives_in", "Oslo"))
    desk.told(Relation.RESTATES, OSLO, again)
    [first, fact] = desk.tell(OSLO).memories
    second = desk.tell(again).memories[0]
    desk.manager.forget(first.id)
    assert desk.manager.get(fact.id).provenance == (second.id,)
    desk.manager.forget(second.id)
    with pytest.raises(perdure.NotFound):
        desk.manager.get(fact.id)


def test_late_news_fill_the_past(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    when = When(
        start=datetime(2019, 1, 1, tzinfo=UTC),
        end=datetime(2020, 1, 1, tzinfo=UTC),
        precision="year",
        words="in 2019",
    )
    past = desk.script.says("In 2019 I lived in Turku.", ("lives_in", "Turku"), when=when)
    desk.told(Relation.PRECEDES, OSLO, past)
    desk.tell(OSLO)
    assert operations(desk.tell(past)) == ["create"]
    assert desk.words() == [OSLO, "user lives_in Oslo"]
    assert sorted(desk.words(as_of="2019-06-01")) == sorted([past, "user lives_in Turku"])


def test_a_temporary_statement_ends_by_itself(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    desk.tell(OSLO)
    when = When(start=MORNING, end=MORNING + 5 * DAY, precision="week", words="this week")
    visit = desk.script.says(
        "This week I stay in Turku.",
        ("located_in", "Turku"),
        when=when,
        modality=Modality.TEMPORARY,
    )
    desk.told(Relation.EXCEPTS, OSLO, visit)
    assert operations(desk.tell(visit)) == ["create"]
    assert {OSLO, visit} <= set(desk.words())
    desk.clock.set(MORNING + 6 * DAY)
    assert desk.words() == [OSLO, "user lives_in Oslo"]


def test_people_of_one_conversation_have_their_own_facts(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    [_, fact] = desk.tell(OSLO, name="Bo").memories
    assert fact.subject == "Bo"


def test_deciding_writes_nothing(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    desk.script.says(BERGEN, ("lives_in", "Bergen"), intent=Intent.UPDATE)
    desk.told(Relation.SUPERSEDES, OSLO, BERGEN)
    observed = desk.manager.decide(
        [{"role": "user", "content": OSLO}, {"role": "user", "content": BERGEN}]
    )
    assert operations(observed) == ["create", "update"]
    assert [decision.message for decision in observed.decisions] == [0, 1]
    assert desk.manager.changes() == []


def test_the_parts_of_a_message_joined_are_the_message(desk):
    text = "I live in Oslo.  The kiln is hot!"
    one, two = Span(start=0, end=15), Span(start=17, end=len(text))
    desk.script.readings[text] = Reading(
        language="en",
        intent=Intent.CREATE,
        sentences=tuple(
            Sentence(span=span, text=span.of(text), intent=Intent.CREATE) for span in (one, two)
        ),
    )
    assert "".join(memory.content for memory in desk.tell(text).memories) == text


@pytest.mark.parametrize(
    "message",
    [
        {"role": "wizard", "content": "x"},
        {"role": "user", "content": 5},
        {"role": "user", "content": "x", "time": "last week"},
        {"role": "user", "content": "x", "tone": "calm"},
        "hello",
    ],
)
def test_a_message_that_is_wrong_stops_the_call_before_anything_happens(desk, message):
    with pytest.raises(perdure.InvalidInput, match="message 1"):
        desk.manager.observe([{"role": "user", "content": "fine"}, message])
    assert desk.manager.changes() == []


def test_a_message_without_words_decides_nothing(desk):
    assert operations(desk.tell("", role="assistant")) == ["none"]
    assert desk.manager.changes() == []


def test_correcting_the_words_draws_their_facts_anew(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    turku = desk.script.says("I live in Turku.", ("lives_in", "Turku"))
    [words, _] = desk.tell(OSLO).memories
    corrected = desk.manager.correct(words.id, turku, retroactive=True)
    assert sorted(desk.words()) == sorted([turku, "user lives_in Turku"])
    assert desk.words(include="superseded")[:2] == [OSLO, "user lives_in Oslo"]
    [fact] = desk.manager.list(kinds="semantic")
    assert (fact.provenance, corrected.memory.supports) == ((corrected.memory.id,), (fact.id,))
    assert desk.manager.get(corrected.memory.id) == corrected.memory


def test_correcting_a_fact_outdates_the_words_it_was_drawn_from(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    turku = desk.script.says("The user lives in Turku.", ("lives_in", "Turku"))
    [_, fact] = desk.tell(OSLO).memories
    desk.clock.advance(DAY)
    corrected = desk.manager.correct(fact.id, turku).memory
    assert (corrected.subject, corrected.predicate, corrected.object) == (
        "user", "lives_in", "Turku"
    )  # fmt: skip
    assert desk.words() == [turku]


def test_remembering_a_change_supersedes_what_was_observed(desk):
    desk.script.says(OSLO, ("lives_in", "Oslo"))
    desk.script.says(BERGEN, ("lives_in", "Bergen"))
    desk.told(Relation.SUPERSEDES, OSLO, BERGEN)
    desk.tell(OSLO)
    desk.clock.advance(DAY)
    remembered = desk.manager.remember(BERGEN)
    assert (remembered.outcome, len(remembered.superseded)) == ("superseded", 2)
    assert remembered.memory.object == "Bergen"
    assert desk.words() == [BERGEN]


def test_remembering_without_understanding_changes_nothing_else(desk):
    desk.script.says(BERGEN, ("lives_in", "Bergen"))
    desk.told(Relation.SUPERSEDES, OSLO, BERGEN)
    desk.manager.remember(OSLO)
    assert desk.manager.remember(BERGEN, understand=False).outcome == "stored"
    assert desk.words() == [OSLO, BERGEN]
