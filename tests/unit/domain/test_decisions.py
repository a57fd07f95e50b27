"""What becomes of a new statement: one rule per test, with hand-made readings and verdicts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from perdure.domain.decisions import rule
from perdure.domain.effects import effect_of
from perdure.domain.meetings import Meeting, meeting
from perdure.domain.predicates import PREDICATES, Predicates
from perdure.domain.proposals import Known, Statement
from perdure.domain.readings import (
    Claim,
    Intent,
    Modality,
    Relation,
    Sentence,
    Span,
    Verdict,
    When,
)
from perdure.domain.records import Kind, Source
from perdure.testing.builders import NOON, a_memory

NOWHERE = Span(start=0, end=0)
DAY = timedelta(days=1)


def a_claim(value: str, predicate: str = "lives_in", subject: str = "user", **fields) -> Claim:
    return Claim(
        subject=subject, predicate=predicate, object=value, span=NOWHERE, statement=value,
        **fields,
    )  # fmt: skip


def a_fact(value: str, predicate: str = "lives_in", subject: str = "user", **fields):
    return a_memory(
        value, kind=Kind.SEMANTIC, subject=subject, predicate=predicate, object=value,
        polarity=fields.pop("polarity", "+"), **fields,
    )  # fmt: skip


def a_statement(*claims: Claim, content: str = "news", **fields) -> Statement:
    sentence = Sentence(
        span=NOWHERE,
        text=content,
        intent=fields.pop("intent", Intent.CREATE),
        modality=fields.pop("modality", Modality.ASSERTED),
        is_worth_keeping=fields.pop("is_worth_keeping", True),
        shows_change=fields.pop("shows_change", False),
        is_retold=fields.pop("is_retold", False),
        when=fields.pop("when", None),
    )
    fields = {"sureness": 0.7, **fields}
    return Statement(content=content, sentence=sentence, said_at=NOON, claims=claims, **fields)


def a_verdict(**shares: float) -> Verdict:
    probabilities = {Relation(name): share for name, share in shares.items()}
    relation = max(probabilities, key=lambda each: probabilities[each])
    return Verdict(
        relation=relation, probability=probabilities[relation], probabilities=probabilities
    )


def known(*facts, content="old words", is_later=False, speaker=None, cosine=0.35, **shares):
    memory = a_memory(content, at=NOON - DAY, source=Source(role="user", speaker=speaker))
    return Known(
        memory=memory,
        verdict=a_verdict(**shares),
        facts=facts,
        is_later=is_later,
        cosine=cosine,
    )


def ruling(statement: Statement, *items: Known, former: tuple[Known, ...] = ()):
    return rule(statement, items, PREDICATES, former=former)


def test_something_new_is_created() -> None:
    made = ruling(a_statement(a_claim("Oslo")), known(unrelated=0.9))
    assert (made.kind, made.relation, made.effects) == ("create", Relation.ADDS, ())


CHANGED = {"intent": Intent.UPDATE, "sureness": 0.9}


def test_a_change_that_says_so_takes_the_place_of_the_old() -> None:
    old = known(supersedes=0.6, cosine=0.4)
    made = ruling(a_statement(**CHANGED), old)
    assert made.kind == "update"
    assert [effect.memory for effect in made.effects] == [old.memory]
    assert made.effects[0].is_whole


def test_a_change_that_does_not_say_so_needs_words_in_common() -> None:
    near = known(content="My desk stands by the south window", supersedes=0.9)
    new = a_statement(content="By the way, my desk stands near the lift on floor six")
    assert ruling(new, near).kind == "update"
    old = known(content="A canoe is what I take to the island", supersedes=0.9, cosine=0.6)
    assert ruling(a_statement(content="We go over there by ferry"), old).kind == "update"
    far = known(content="The canoe lies behind the mill", supersedes=0.9, cosine=None)
    assert ruling(new, far).relation is Relation.ADDS
    middling = known(content="The canoe lies behind the mill", supersedes=0.9, cosine=0.4)
    assert ruling(new, middling).relation is Relation.CONTRADICTS


def test_a_verdict_outdates_nothing_of_the_same_pattern() -> None:
    old = known(content="Note 7 about the loom", supersedes=0.95)
    made = ruling(a_statement(content="Note 8 about the loom", **CHANGED), old)
    assert made.effects == ()


def test_a_verdict_on_too_many_at_once_is_a_misreading() -> None:
    many = [known(content=f"thing {n}", supersedes=0.9) for n in range(4)]
    assert ruling(a_statement(**CHANGED), *many).effects == ()
    assert len(ruling(a_statement(**CHANGED), *many[:3]).effects) == 3


def test_another_value_in_one_slot_is_a_change_though_the_verdict_is_unsure() -> None:
    old = known(a_fact("Bergen"), supersedes=0.3, adds=0.3, unrelated=0.4)
    assert ruling(a_statement(a_claim("Oslo")), old).kind == "update"


@pytest.mark.parametrize("other", ["adds", "unrelated", "excepts", "precedes"])
def test_a_slot_does_not_outweigh_a_sure_verdict(other: str) -> None:
    old = known(a_fact("Bergen"), **{other: 0.8, "supersedes": 0.2})
    assert ruling(a_statement(a_claim("Oslo")), old).kind == "create"


def test_a_place_that_several_fill_is_no_slot() -> None:
    old = known(a_fact("Bergen", subject="user.parent"), supersedes=0.3, unrelated=0.45)
    new = a_statement(a_claim("Oslo", subject="user.parent"))
    assert ruling(new, old).kind == "create"


def test_a_further_value_of_a_many_valued_predicate_joins_the_first() -> None:
    old = known(a_fact("Farsi", "speaks"), adds=0.7, supersedes=0.2)
    made = ruling(a_statement(a_claim("Thai", "speaks")), old)
    assert (made.kind, made.effects) == ("create", ())


def test_what_is_unsure_is_kept_on_both_sides_and_marked() -> None:
    old = known(supersedes=0.4, contradicts=0.2, unrelated=0.4)
    made = ruling(a_statement(), old)
    assert (made.kind, made.relation) == ("create", Relation.CONTRADICTS)


def test_a_temporary_statement_supersedes_nothing() -> None:
    old = known(a_fact("Bergen"), supersedes=0.7, excepts=0.2)
    made = ruling(a_statement(a_claim("Oslo"), modality=Modality.TEMPORARY), old)
    assert (made.kind, made.relation, made.effects) == ("create", Relation.EXCEPTS, ())


def test_a_change_for_good_is_one_though_its_words_name_a_time() -> None:
    new = a_statement(**CHANGED, modality=Modality.TEMPORARY)
    assert ruling(new, known(supersedes=0.55, excepts=0.4, cosine=0.5)).kind == "update"
    made = ruling(new, known(supersedes=0.2, excepts=0.75, cosine=0.5))
    assert (made.kind, made.relation) == ("create", Relation.EXCEPTS)


@pytest.mark.parametrize("modality", [Modality.HYPOTHETICAL, Modality.QUESTION, Modality.QUOTED])
def test_what_is_not_held_decides_nothing(modality: Modality) -> None:
    made = ruling(a_statement(a_claim("Oslo"), modality=modality), known(supersedes=0.99))
    assert (made.kind, made.holds) == ("none", False)


def test_a_second_account_is_one_though_it_was_read_as_a_question() -> None:
    new = a_statement(content="the letter says eight, no idea which", modality=Modality.QUESTION)
    assert ruling(new, known(contradicts=0.95)).relation is Relation.CONTRADICTS
    assert ruling(new, known(contradicts=0.7)).kind == "none"
    asked = a_statement(content="or does it say eight?", modality=Modality.QUESTION)
    assert ruling(asked, known(contradicts=0.95)).kind == "none"


def test_a_message_that_tells_a_change_is_no_restatement() -> None:
    old = known(restates=0.6, supersedes=0.35)
    assert ruling(a_statement(**CHANGED), old).kind == "update"
    assert ruling(a_statement(), old).kind == "none"


def test_small_talk_decides_nothing() -> None:
    made = ruling(a_statement(is_worth_keeping=False), known(supersedes=0.99))
    assert (made.kind, made.holds) == ("none", False)


def test_saying_the_same_again_is_no_news() -> None:
    made = ruling(a_statement(content="Again."), known(restates=0.8))
    assert (made.kind, made.relation, made.holds) == ("none", Relation.RESTATES, True)


def test_a_change_outweighs_a_weaker_likeness() -> None:
    made = ruling(a_statement(**CHANGED), known(restates=0.6), known(supersedes=0.8))
    assert made.kind == "update"


def test_telling_again_what_is_outdated_revives_nothing() -> None:
    made = ruling(a_statement(), known(unrelated=0.9), former=(known(restates=0.9),))
    assert (made.kind, made.holds) == ("none", False)


def test_a_return_to_an_outdated_value_is_a_change() -> None:
    made = ruling(a_statement(**CHANGED), known(supersedes=0.8), former=(known(restates=0.9),))
    assert made.kind == "update"


def test_older_news_told_late_fill_the_past() -> None:
    when = When(start=NOON - 900 * DAY, end=NOON - 500 * DAY, precision="year", words="then")
    made = ruling(a_statement(a_claim("Oslo"), when=when), known(a_fact("Bergen"), precedes=0.8))
    assert (made.kind, made.relation) == ("create", Relation.PRECEDES)


def test_a_message_that_arrives_after_a_later_one_is_of_the_past() -> None:
    made = ruling(a_statement(), known(supersedes=0.9, is_later=True))
    assert (made.kind, made.relation) == ("create", Relation.PRECEDES)


def test_a_request_to_lose_is_not_read_into_a_statement() -> None:
    made = ruling(a_statement(), known(retracts=0.9))
    assert (made.kind, made.effects) == ("create", ())


def test_nobody_has_the_last_word_about_something_else() -> None:
    new = a_statement(speaker="Bo")
    made = ruling(new, known(supersedes=0.9, speaker="Ana", cosine=0.5))
    assert made.relation is Relation.CONTRADICTS


def test_each_speaks_for_themselves() -> None:
    new = a_statement(a_claim("Oslo", subject="Bo"), speaker="Bo")
    made = ruling(new, known(supersedes=0.9, speaker="Ana"))
    assert (made.kind, made.relation) == ("create", Relation.ADDS)


def test_of_several_facts_only_the_one_that_changed_falls() -> None:
    job, bike = a_fact("Tiles", "works_at"), a_fact("a green bike", "owns")
    old = known(job, bike, supersedes=0.6)
    effect = effect_of(a_statement(a_claim("Glass", "works_at")), old, PREDICATES)
    assert (effect.outdated, effect.is_whole) == ((job,), False)


def test_a_clause_about_something_else_stays() -> None:
    old = known(
        a_fact("the mill", "works_at"),
        content="I work at the mill and my van is a red Ford.",
        supersedes=0.9,
    )
    effect = effect_of(a_statement(content="I work at the bakery now."), old, PREDICATES)
    assert ([fact.object for fact in effect.outdated], effect.is_whole) == (["the mill"], False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Shelf 41 holds the moulds.", "Shelf 14 holds the moulds."),
        ("王芳不吃鱼。", "王苇不吃鱼。"),
    ],
)
def test_a_near_duplicate_that_differs_in_a_detail_is_no_restatement(old: str, new: str) -> None:
    made = ruling(a_statement(content=new), known(content=old, restates=0.9, adds=0.1))
    assert (made.kind, made.relation) == ("create", Relation.ADDS)


def test_words_of_no_weight_do_not_make_another_statement() -> None:
    made = ruling(
        a_statement(content="Oh, my cat is called Mops, in case you forgot."),
        known(content="My cat's name is Mops.", restates=0.8),
    )
    assert made.kind == "none"


def test_an_update_of_nothing_stored_is_one_where_the_words_say_so() -> None:
    asks = {"intent": Intent.UPDATE, "sureness": 0.8}
    near = known(unrelated=0.9)
    assert ruling(a_statement(a_claim("Oslo"), **asks, shows_change=True), near).kind == "update"
    assert ruling(a_statement(a_claim("Oslo"), **asks), near).kind == "create"
    doubtful = a_statement(a_claim("Oslo"), intent=Intent.UPDATE, sureness=0.5)
    assert ruling(doubtful, near).kind == "create"
    named = a_claim("Oslo", replaces="Bergen")
    assert ruling(a_statement(named, intent=Intent.UPDATE, sureness=0.5)).kind == "update"


def test_what_adds_to_something_stored_is_no_update_unless_its_words_are_sure() -> None:
    asks = {"intent": Intent.UPDATE, "sureness": 0.8, "shows_change": True}
    assert ruling(a_statement(a_claim("Oslo"), **asks), known(adds=0.9)).kind == "create"
    sure = a_statement(a_claim("Oslo"), intent=Intent.UPDATE, sureness=0.99)
    assert ruling(sure, known(adds=0.9)).kind == "update"


@pytest.mark.parametrize(
    ("predicate", "supersedes", "relation"),
    [
        ("speaks", 0.85, Relation.ADDS),
        ("speaks", 0.95, Relation.SUPERSEDES),
        ("uses", 0.85, Relation.SUPERSEDES),
    ],
)
def test_a_further_one_of_several_ends_none(predicate, supersedes, relation) -> None:
    shares = {"supersedes": supersedes, "unrelated": 1 - supersedes}
    old = known(a_fact("Farsi", predicate), cosine=0.5, **shares)
    new = a_statement(a_claim("Thai", predicate), content="Thai at last", **CHANGED)
    assert ruling(new, old).relation is relation


def test_a_time_gone_by_is_older_news_though_no_word_is_shared() -> None:
    then = When(start=NOON - 900 * DAY, end=NOON - 600 * DAY, precision="year", words="2013")
    told = a_statement(content="Keeper of a lighthouse back then", when=then)
    old = known(content="I mend trams", precedes=0.9, cosine=0.1)
    assert ruling(told, old).relation is Relation.PRECEDES
    assert ruling(a_statement(content=told.content), old).relation is Relation.ADDS
    unsure = known(content="I mend trams", precedes=0.6, cosine=0.1)
    assert ruling(told, unsure).relation is Relation.ADDS


def test_a_denial_of_the_same_words_is_never_a_further_statement() -> None:
    denied = a_statement(content="Dogs may not swim in the pond.")
    words = "Dogs may swim in the pond."
    restated = ruling(denied, known(content=words, restates=0.9, adds=0.1))
    assert restated.relation is Relation.CONTRADICTS
    assert ruling(denied, known(content=words, supersedes=0.7)).relation is Relation.SUPERSEDES
    talk = a_statement(content=denied.content, intent=Intent.NONE, sureness=0.9)
    assert ruling(talk, known(content=words, restates=0.9)).relation is Relation.CONTRADICTS


def test_a_plain_statement_is_news_though_its_intent_is_in_doubt() -> None:
    words = "The budget of the orchard project is 9,300"
    assert ruling(a_statement(content=words, intent=Intent.NONE, sureness=0.5)).kind == "create"
    assert ruling(a_statement(content=words, intent=Intent.NONE, sureness=0.8)).kind == "none"
    assert ruling(a_statement(content="Ha, nice", sureness=0.3)).kind == "none"


def test_when_all_facts_fall_the_statement_falls_with_them() -> None:
    job = a_fact("Tiles", "works_at")
    effect = effect_of(
        a_statement(a_claim("Glass", "works_at")), known(job, supersedes=0.5), PREDICATES
    )
    assert (effect.outdated, effect.is_whole) == ((job,), True)


@pytest.mark.parametrize(
    ("claim", "fact", "expected"),
    [
        (a_claim("Oslo"), a_fact("oslo."), Meeting.SAME),
        (a_claim("Oslo"), a_fact("Bergen"), Meeting.OTHER_VALUE),
        (a_claim("Oslo", polarity="-"), a_fact("Oslo"), Meeting.REVERSED),
        (a_claim("Oslo", polarity="-"), a_fact("Bergen"), Meeting.APART),
        (a_claim("tea", "dislikes"), a_fact("tea", "likes"), Meeting.REVERSED),
        (a_claim("tea", "dislikes"), a_fact("coffee", "likes"), Meeting.APART),
        (a_claim("Thai", "speaks"), a_fact("Farsi", "speaks"), Meeting.APART),
        (a_claim("Thai", "speaks", replaces="Farsi"), a_fact("Farsi", "speaks"),
         Meeting.OTHER_VALUE),
        (a_claim("Oslo", subject="Emeka"), a_fact("Bergen"), Meeting.APART),
        (a_claim("317", "email"), a_fact("3171", "email"), Meeting.APART),
    ],
)  # fmt: skip
def test_how_a_claim_meets_a_fact(claim: Claim, fact, expected: Meeting) -> None:
    assert meeting(claim, fact, PREDICATES) is expected


def test_the_registry_can_be_extended() -> None:
    claim, fact = a_claim("red", "badge"), a_fact("blue", "badge")
    assert meeting(claim, fact, PREDICATES) is Meeting.APART
    single = Predicates().extended({"badge": "single"})
    assert meeting(claim, fact, single) is Meeting.OTHER_VALUE
    many = single.extended({"lives_in": "many"})
    assert meeting(a_claim("Oslo"), a_fact("Bergen"), many) is Meeting.APART


@pytest.mark.parametrize("cosine", [None, -0.1, 0.2])
def test_what_is_far_and_shares_no_word_is_never_outdated_by_a_verdict(cosine: float) -> None:
    old = known(content="I draw picture books", supersedes=0.99, cosine=cosine)
    made = ruling(a_statement(content="We moved to Porto", **CHANGED), old)
    assert (made.relation, made.effects) == (Relation.ADDS, ())


@pytest.mark.parametrize(
    ("cosine", "relation"),
    [(0.3, Relation.ADDS), (0.5, Relation.SUPERSEDES)],
)
def test_facts_of_other_kinds_meet_only_where_the_words_are_alike(
    cosine: float, relation: Relation
) -> None:
    old = known(a_fact("Bergen"), content="Bergen it is", supersedes=0.95, cosine=cosine)
    claim = replace(a_claim("green"), predicate="favourite:colour")
    made = ruling(a_statement(claim, content="Green now", **CHANGED), old)
    assert made.relation is relation


@pytest.mark.parametrize("shares", [{"supersedes": 0.9}, {"precedes": 0.9}])
@pytest.mark.parametrize("is_later", [True, False])
def test_news_told_late_is_not_ended_by_what_has_nothing_to_do_with_it(shares, is_later) -> None:
    other = known(content="I can't stand jazz any more", cosine=0.1, is_later=is_later, **shares)
    made = ruling(a_statement(a_claim("Lisbon"), content="I live in Lisbon"), other)
    assert (made.relation, made.effects) == (Relation.ADDS, ())


def test_a_change_of_nothing_that_is_stored_is_something_new() -> None:
    sold = a_statement(content="We sold the boat last month", **CHANGED, shows_change=True)
    assert ruling(sold).kind == "create"
    assert ruling(sold, known(content="The boat is blue", unrelated=0.9)).kind == "update"


def test_what_was_told_before_outdates_nothing() -> None:
    told = {"content": "I told you, first Hollis, then Marwick", "is_retold": True, **CHANGED}
    now = known(content="We have Marwick do the windows", supersedes=0.9, cosine=0.5)
    then = known(content="We have Hollis do the windows", unrelated=0.9)
    assert ruling(a_statement(**told), now, former=(then,)).kind == "none"
    assert ruling(a_statement(**told), now).kind == "update"
