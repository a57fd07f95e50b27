"""What was told is put in order: facts, summaries with their sources, repetitions, causes."""

from datetime import timedelta

import pytest

from perdure import Conflict, InvalidInput, Kind, PermissionDenied, Scope
from perdure.domain.consolidation import lease_name, sweep_name
from perdure.ports.blocking import run_now
from perdure.testing import HashingEmbedder, ScriptedLanguageModel, answer
from tests.acceptance.home import decided_by_the_engine

BOAT = [
    "The boat has a leak near the keel.",
    "We found the leak in the boat near the keel.",
    "The leak near the keel of the boat is mended.",
]
CAT = ["猫咪豆豆的牙坏了。", "带猫咪豆豆去医院看牙。", "猫咪豆豆的牙拔了。"]
APART = ["Ben bakes rye bread.", "我的护照放在书桌抽屉里。"]
HOUR = timedelta(hours=1)
EVERYTHING = ("superseded", "former", "archived", "expired")


def tell(memory, clock, *texts, kind="episodic", **fields):
    """Each text as a memory of its own, an hour apart."""
    told = []
    for text in texts:
        clock.advance(HOUR)
        told.append(memory.remember(text, kind=kind, **fields).memory)
    return told


def listed(memory, **options):
    return list(memory.list(limit=1000, **options))


def summaries(memory):
    return [item for item in listed(memory) if "summary" in item.metadata]


def facts(memory):
    return [item for item in listed(memory, kinds="semantic") if item.predicate is not None]


def state_of(memory):
    """Everything that is stored, as far as anybody can see it."""
    items = listed(memory, include=EVERYTHING)
    return sorted((item.id, item.version, item.content, item.state) for item in items)


def test_related_memories_are_told_in_one_summary(ilka, clock):
    told = tell(ilka, clock, *BOAT, *APART[:1], *CAT, *APART[1:])
    ilka.consolidate()
    made = sorted(summaries(ilka), key=lambda item: item.provenance)
    assert [item.provenance for item in made] == [
        tuple(item.id for item in told[:3]),
        tuple(item.id for item in told[4:7]),
    ]
    words = {item.id: item.content for item in told}
    for summary in made:
        cited = summary.metadata["summary"]["lines"]
        for line, sources in zip(summary.content.splitlines(), cited, strict=True):
            assert words[sources[0]] == line
        assert summary.kind is Kind.SEMANTIC
        assert summary.scope == Scope(user="ilka")
        for source in summary.provenance:
            assert summary.id in ilka.get(source).supports
    assert all(not ilka.get(told[n].id).supports for n in (3, 7))


@decided_by_the_engine
def test_a_summary_tells_of_several_of_its_sources(ilka, clock):
    told = tell(
        ilka, clock,
        f"{BOAT[0]} It drips day and night, and 14 boards of the floor are wet all the time.",
        f"{BOAT[1]} It is as wide as a thumb, and we must decide who mends it.",
        "Another leak in the boat near the keel. My brother agreed to come on May 4.",
    )  # fmt: skip
    ilka.consolidate()
    [made] = summaries(ilka)
    cited = made.metadata["summary"]["lines"]
    assert len(cited) >= 2
    assert len({name for names in cited for name in names}) == len(cited)
    assert len(made.content) < sum(len(item.content) for item in told)


def test_nothing_is_taken_out_of_sight(ilka, clock):
    told = tell(ilka, clock, *BOAT, *CAT, *APART)
    before = [[hit.memory.id for hit in ilka.recall(text, limit=20)] for text in BOAT + CAT]
    ilka.consolidate()
    for item in told:
        now = ilka.get(item)
        assert (now.content, now.state, now.importance) == (item.content, item.state, 0.5)
    for text, ids in zip(BOAT + CAT, before, strict=True):
        assert set(ids) <= {hit.memory.id for hit in ilka.recall(text, limit=40)}


def test_consolidating_again_changes_nothing(ilka, clock):
    tell(ilka, clock, *BOAT, *CAT, *APART, "I live in Oslo.", *BOAT[:1])
    assert ilka.consolidate().actions
    before = state_of(ilka), [entry.sequence for entry in ilka.changes(0)]
    for _ in range(2):
        again = ilka.consolidate()
        assert again.applied
        assert not again.actions
    assert (state_of(ilka), [entry.sequence for entry in ilka.changes(0)]) == before


def test_a_dry_run_says_what_would_be_done_and_does_nothing(ilka, clock):
    tell(ilka, clock, *BOAT, "I live in Oslo.", "The well ran dry.", "So the garden died.")
    before = state_of(ilka)
    planned = ilka.consolidate(dry_run=True)
    assert not planned.applied
    assert state_of(ilka) == before
    done = ilka.consolidate()
    reasons = [(item.memory_id, item.reason.split("memory ")[0]) for item in done.actions]
    assert [(it.memory_id, it.reason.split("memory ")[0]) for it in planned.actions] == reasons
    assert all(item.reason and item.action == "consolidate" for item in done.actions)


def test_what_comes_later_joins_the_summary_it_belongs_to(ilka, clock):
    tell(ilka, clock, *BOAT)
    ilka.consolidate()
    [before] = summaries(ilka)
    [more] = tell(ilka, clock, "The boat has another leak near the keel.")
    ilka.consolidate()
    [after] = summaries(ilka)
    assert (after.id, after.version) == (before.id, before.version + 1)
    assert after.provenance == (*before.provenance, more.id)
    assert [step.operation for step in ilka.history(after.id)] == ["created", "consolidated"]


def test_what_belongs_elsewhere_leaves_a_summary_as_it_is(ilka, clock):
    tell(ilka, clock, *BOAT)
    ilka.consolidate()
    before = summaries(ilka)
    tell(ilka, clock, *APART)
    ilka.consolidate()
    assert summaries(ilka) == before


def test_two_of_before_and_one_of_now_make_a_summary(ilka, clock):
    first = tell(ilka, clock, *BOAT[:2])
    ilka.consolidate()
    assert summaries(ilka) == []
    last = tell(ilka, clock, *BOAT[2:])
    ilka.consolidate()
    [made] = summaries(ilka)
    assert made.provenance == tuple(item.id for item in (*first, *last))


@pytest.mark.parametrize(
    "lose",
    [
        lambda memory, item: memory.forget(item),
        lambda memory, item: memory.update(item, content="The boat was sold."),
        lambda memory, item: memory.correct(item, "The boat never leaked."),
        lambda memory, item: memory.forget_all(filters={"memory.id": item.id}),
        lambda memory, item: memory.erase([item.id]),
    ],
    ids=["forgotten", "edited", "corrected", "forgotten by a filter", "erased"],
)
def test_a_summary_goes_with_any_of_its_sources(ilka, clock, lose):
    told = tell(ilka, clock, *BOAT, "The keel of the boat had a leak near the mast.")
    ilka.consolidate()
    [summary] = summaries(ilka)
    lose(ilka, told[1])
    assert summaries(ilka) == []
    assert all(hit.memory.id != summary.id for hit in ilka.recall(BOAT[1], limit=40))
    ilka.consolidate()
    for again in summaries(ilka):
        assert BOAT[1] not in again.content
        if told[1].id in again.provenance:
            assert "sold" in ilka.get(told[1]).content
    assert {item.id for item in (told[0], told[2], told[3])} <= {
        name for again in summaries(ilka) for name in again.provenance
    }
    assert not ilka.consolidate().actions


def test_a_summary_that_lost_its_support_is_made_again_and_not_brought_back(ilka, clock):
    told = tell(ilka, clock, *BOAT)
    ilka.consolidate()
    [summary] = summaries(ilka)
    ilka.forget(told[0])
    with pytest.raises(Conflict, match="consolidate"):
        ilka.restore(summary.id)
    ilka.consolidate()
    assert summaries(ilka) == []  # two are too few
    ilka.restore(told[0].id)
    ilka.consolidate()
    [again] = summaries(ilka)
    assert again.provenance == summary.provenance


def test_erasing_a_source_erases_every_summary_that_told_it(home, ilka, clock):
    words = "We found the quokka leak in the boat near the keel."
    _, secret, _ = tell(ilka, clock, BOAT[0], words, BOAT[2])
    ilka.consolidate()
    [first] = summaries(ilka)
    [other] = tell(ilka, clock, "A third leak of the boat near the keel.")
    ilka.consolidate()
    assert "quokka" in first.content
    ilka.forget(other)  # its summary is forgotten, and a second one made
    ilka.consolidate()
    assert first.id not in [item.id for item in summaries(ilka)]
    ilka.erase([secret.id])
    assert all("quokka" not in item.content for item in listed(ilka, include=EVERYTHING))
    for entry in ilka.changes(0):
        assert "quokka" not in str(entry)
    if home.path is not None:
        assert not any(b"quokka" in file.read_bytes() for file in home.path.parent.iterdir())
    ilka.restore(other.id)
    ilka.consolidate()
    [again] = summaries(ilka)
    assert secret.id not in again.provenance
    assert len(again.provenance) == 3


@decided_by_the_engine
def test_a_summary_is_changed_through_its_sources(ilka, clock):
    tell(ilka, clock, *BOAT)
    ilka.consolidate()
    [summary] = summaries(ilka)
    with pytest.raises(InvalidInput, match="made of"):
        ilka.correct(summary.id, "The boat is dry.")
    with pytest.raises(InvalidInput, match="made of"):
        ilka.update(summary.id, content="The boat is dry.")
    assert ilka.update(summary.id, importance=0.9, pinned=True).pinned
    ilka.correct("the leak of the boat near the keel", "The boat is dry.")
    assert summaries(ilka) == []


@decided_by_the_engine
def test_a_request_to_forget_takes_the_summary_along(ilka, clock):
    tell(ilka, clock, *BOAT)
    ilka.consolidate()
    assert len(summaries(ilka)) == 1
    ilka.observe([{"role": "user", "content": "Forget everything about the leak of the boat."}])
    assert summaries(ilka) == []
    assert all("leak" not in item.content for item in listed(ilka, kinds="semantic"))


def test_facts_are_drawn_from_what_nobody_read_yet(ilka, clock):
    [oslo, bergen] = tell(ilka, clock, "I live in Oslo.", "I live in Bergen now.", importance=0.8)
    assert facts(ilka) == []
    ilka.consolidate()
    assert (ilka.get(bergen).importance, ilka.get(bergen).confidence) == (0.8, 1.0)
    [fact] = facts(ilka)
    assert (fact.predicate, fact.object, fact.provenance) == ("lives_in", "Bergen", (bergen.id,))
    assert fact.id in ilka.get(bergen).supports
    earlier = [
        item
        for item in listed(ilka, kinds="semantic", include=EVERYTHING)
        if item.provenance == (oslo.id,)
    ]
    assert [item.superseded_by for item in earlier] == [fact.id]


def test_facts_are_drawn_in_chinese_too(ilka, clock):
    tell(ilka, clock, "我住在杭州。", "我现在住在成都。")
    ilka.consolidate()
    assert [(fact.predicate, fact.object) for fact in facts(ilka)] == [("lives_in", "成都")]


@decided_by_the_engine
def test_what_was_read_already_is_not_read_into_duplicates(ilka, clock):
    ilka.observe([{"role": "user", "content": "I live in Oslo. My dog is called Rufus."}])
    clock.advance(HOUR)
    ilka.remember("My favourite tea is oolong.")
    before = sorted(item.id for item in facts(ilka))
    assert before
    plan = ilka.consolidate()
    assert sorted(item.id for item in facts(ilka)) == before
    assert not plan.actions


@decided_by_the_engine
def test_a_fact_told_again_is_strengthened_once_for_each_time(ilka, clock):
    tell(ilka, clock, "I live in Oslo.")
    ilka.consolidate()
    [first] = facts(ilka)
    tell(ilka, clock, "I live in Oslo!", "So yes, I live in Oslo.")
    ilka.consolidate()
    [after] = facts(ilka)
    assert after.id == first.id
    assert len(after.provenance) == 3
    assert first.confidence < after.confidence < 1
    assert after.importance == pytest.approx(0.63875)
    ilka.consolidate()
    assert facts(ilka) == [after]


@decided_by_the_engine
@pytest.mark.parametrize("words", ["I live in Oslo.", "我住在杭州。"])
def test_a_fact_observed_again_matters_more(ilka, clock, words):
    for number in range(3):
        clock.advance(HOUR)
        ilka.observe([{"role": "user", "content": words, "id": str(number)}])
    [before] = facts(ilka)
    assert len(before.provenance) == 3
    ilka.consolidate()
    [after] = facts(ilka)
    assert after.importance == pytest.approx(0.63875)
    assert after.confidence == before.confidence


def test_words_told_again_make_the_first_telling_matter_more(ilka, clock):
    first, *_ = tell(ilka, clock, "Kestrel ferries call at pier nine.", *APART, importance=0.2)
    tell(ilka, clock, "Kestrel ferries call at pier nine!")
    ilka.consolidate()
    once = ilka.get(first).importance
    assert once == pytest.approx(0.575)
    ilka.consolidate()
    tell(ilka, clock, "kestrel ferries call at pier nine")
    ilka.consolidate()
    assert ilka.get(first).importance == pytest.approx(0.63875)
    assert all(ilka.get(item).importance == 0.2 for item in listed(ilka) if item.content in APART)


@pytest.mark.parametrize(
    ("earlier", "later", "is_effect"),
    [
        ("The well ran dry.", "So the garden died.", True),
        ("The garden died.", "Because the well ran dry.", False),
        ("渡轮坏了。", "所以我改坐了火车。", True),
        ("我改坐了火车。", "因为渡轮坏了。", False),
    ],
)
def test_causes_are_linked(ilka, clock, earlier, later, is_effect):
    one = ilka.remember(earlier, kind="episodic").memory
    clock.advance(timedelta(minutes=1))
    other = ilka.remember(later, kind="episodic").memory
    plan = ilka.consolidate()
    cause, effect = (one, other) if is_effect else (other, one)
    assert ilka.get(effect).causes == (cause.id,)
    assert ilka.get(cause).causes == ()
    [reason] = [item.reason for item in plan.actions if item.memory_id == effect.id]
    assert cause.id in reason
    assert ilka.history(effect.id)[-1].reason == reason


@decided_by_the_engine
def test_what_lies_long_before_is_no_cause(ilka, clock):
    tell(ilka, clock, "The well ran dry.", "So the garden died.")
    ilka.consolidate()
    assert all(item.causes == () for item in listed(ilka))


@decided_by_the_engine
def test_users_agents_and_sessions_are_kept_apart(memory, clock):
    for text in BOAT:
        tell(memory.scoped(user="ilka", agent="a"), clock, text)
        tell(memory.scoped(user="ben"), clock, text)
    tell(memory.scoped(user="ilka", agent="b"), clock, BOAT[0])
    memory.consolidate(everything=True)
    for user, agent in (("ilka", "a"), ("ben", "")):
        [made] = summaries(memory.scoped(user=user))
        assert made.scope == Scope(user=user, agent=agent)
        assert len(made.provenance) == 3
    assert not memory.consolidate(everything=True).actions


@decided_by_the_engine
def test_a_summary_of_several_sessions_is_of_none(memory, clock):
    ilka = memory.scoped(user="ilka")
    for number, text in enumerate(BOAT):
        tell(ilka.scoped(session=f"s{number}"), clock, text)
    for text in CAT:
        tell(ilka.scoped(session="s1"), clock, text)
    ilka.scoped(session="s1").consolidate()
    assert sorted(item.scope.session for item in summaries(ilka)) == ["", "s1"]
    assert [item.provenance for item in summaries(ilka.scoped(session="s0"))] == []


def test_everything_consolidates_all_users_and_no_other_tenant(memory, clock):
    for user in ("ilka", "ben"):
        tell(memory.scoped(user=user), clock, *BOAT)
    tell(memory.scoped(tenant="t", user="ilka"), clock, *BOAT)
    planned = memory.consolidate(everything=True, dry_run=True).actions
    assert {action.scope.user for action in planned} == {"ilka", "ben"}
    assert {action.scope.tenant for action in planned} == {""}
    memory.consolidate(everything=True)
    assert len(summaries(memory.scoped(user="ilka"))) == 1
    assert len(summaries(memory.scoped(user="ben"))) == 1
    assert summaries(memory.scoped(tenant="t", user="ilka")) == []
    tell(memory.scoped(user="ben"), clock, *CAT)
    memory.consolidate(everything=True)
    assert len(summaries(memory.scoped(user="ben"))) == 2


@decided_by_the_engine
def test_a_limit_leaves_the_rest_for_the_next_time(ilka, clock):
    tell(ilka, clock, *BOAT, *CAT, *APART)
    first = ilka.consolidate(limit=3)
    assert first.notes
    assert len(summaries(ilka)) == 1
    rest = ilka.consolidate(limit=100)
    assert not rest.notes
    assert len(summaries(ilka)) == 2


@decided_by_the_engine
def test_an_unimportant_memory_is_told_like_any_other(ilka, clock):
    tell(ilka, clock, *BOAT, importance=0.0)
    ilka.consolidate()
    assert len(summaries(ilka)) == 1


@decided_by_the_engine
def test_what_does_not_hold_for_good_is_not_told(ilka, clock):
    told = tell(ilka, clock, *BOAT, expires_at=timedelta(days=9))
    ilka.consolidate()
    assert summaries(ilka) == []
    assert len(told) == 3


@decided_by_the_engine
def test_a_request_to_tidy_is_carried_out(ilka, clock):
    tell(ilka, clock, *BOAT)
    asked = [{"role": "user", "content": "Please merge the duplicate memories about the boat."}]
    decided = ilka.decide(asked)
    assert "consolidate" in [decision.operation for decision in decided.decisions]
    assert summaries(ilka) == []
    ilka.observe(asked)
    assert len(summaries(ilka)) == 1


@decided_by_the_engine
def test_wrong_arguments_are_refused(memory):
    with pytest.raises(InvalidInput):
        memory.consolidate(limit=0)
    with pytest.raises(InvalidInput):
        memory.consolidate(dry_run="yes")
    with pytest.raises(PermissionDenied):
        memory.scoped(user="ilka").consolidate(everything=True)


def store_of(home, memory):
    return (memory.manager if home.form == "async" else memory._core)._core.store


def finished(home, call):
    return home.loop().run(call) if home.form == "async" else run_now(call)


@decided_by_the_engine
def test_users_without_news_are_not_visited_again(home, clock):
    memory = home.open()
    name = sweep_name(Scope())
    for user in ("ilka", "ben"):
        tell(memory.scoped(user=user), clock, *BOAT)
    memory.consolidate(everything=True, limit=4)
    store = store_of(home, memory)
    assert finished(home, store.mark(name)) is None  # one of them was not read to the end
    memory.consolidate(everything=True)
    reached = finished(home, store.mark(name))
    assert reached is not None
    memory.consolidate(everything=True)
    memory.consolidate(everything=True)
    last = memory.changes(0, everything=True)[-1].sequence
    assert reached < finished(home, store.mark(name)) == last


@decided_by_the_engine
def test_a_leased_user_is_left_to_the_other_worker(home, clock):
    memory = home.open()
    ilka = memory.scoped(user="ilka")
    tell(ilka, clock, *BOAT)
    store = store_of(home, memory)

    def lease(**fields):
        call = store.lease(lease_name(Scope(user="ilka")), duration=HOUR, **fields)
        return finished(home, call)

    assert lease(owner="another", now=clock.now())
    plan = ilka.consolidate()
    assert not plan.actions
    assert "another process" in plan.notes[0]
    assert summaries(ilka) == []
    clock.advance(HOUR)
    assert ilka.consolidate().actions
    assert len(summaries(ilka)) == 1


@decided_by_the_engine
class TestWithALanguageModel:
    """Its summaries are proposals."""

    def opened(self, home, *answers):
        model = ScriptedLanguageModel(answers)
        return home.open(language_model=model).scoped(user="ilka"), model

    def lines(self, *lines):
        return {"lines": [{"text": text, "sources": list(ids)} for text, ids in lines]}

    def test_a_summary_that_stands_up_to_its_sources_is_taken(self, home, clock):
        text = "The leak of the boat near the keel was found and mended."
        ilka, model = self.opened(
            home, answer(), answer(), answer(), self.lines((text, ["m1", "m2", "m3"]))
        )
        told = tell(ilka, clock, *BOAT)
        ilka.consolidate()
        [made] = summaries(ilka)
        assert made.content == text
        assert made.metadata["summary"]["by"] == "scripted"
        assert made.metadata["summary"]["lines"] == [[item.id for item in told]]
        ilka.consolidate()
        assert len(model.requests) == 4

    @pytest.mark.parametrize(
        "faulty",
        [
            {"lines": [{"text": "The boat sank in 2030.", "sources": ["m1"]}]},
            {"lines": [{"text": "The boat has a leak.", "sources": ["m7"]}]},
            {"lines": []},
            {"summary": "The boat leaks."},
            "I would rather not.",
            RuntimeError("no"),
        ],
    )
    def test_a_faulty_answer_keeps_the_rules_result(self, home, clock, faulty):
        ilka, _ = self.opened(home, answer(), answer(), answer(), faulty)
        tell(ilka, clock, *BOAT)
        ilka.consolidate()
        [made] = summaries(ilka)
        assert made.metadata["summary"]["by"] == "extracts"
        assert set(made.content.splitlines()) <= set(BOAT)

    def test_a_model_out_of_reach_is_not_asked_again_and_again(self, home, clock):
        ilka, model = self.opened(home)
        tell(ilka, clock, *BOAT, *CAT)
        ilka.consolidate()
        assert len(summaries(ilka)) == 2
        assert len(model.requests) == 1

    def test_a_message_is_not_read_a_second_time(self, home, clock):
        ilka, model = self.opened(home, answer())
        ilka.observe([{"role": "user", "content": "The harbour crane squeaks in the wind."}])
        clock.advance(HOUR)
        ilka.consolidate()
        assert len(model.requests) == 1

    def test_a_growing_summary_is_made_of_the_sources_and_not_of_itself(self, home, clock):
        ilka, model = self.opened(
            home, *[answer()] * 3, self.lines(("The boat has a leak.", ["m1"]))
        )
        tell(ilka, clock, *BOAT)
        ilka.consolidate()
        model.extend([answer(), self.lines(("The leak in the boat is mended.", ["m3"]))])
        tell(ilka, clock, "The boat has another leak near the keel.")
        ilka.consolidate()
        asked = model.requests[-1][-1]["content"]
        assert all(text in asked for text in BOAT)
        assert "The boat has a leak." not in asked
        [made] = summaries(ilka)
        assert made.content == "The leak in the boat is mended."

    def test_its_facts_go_through_the_same_decisions(self, home, clock):
        proposed = answer(
            facts=[{
                "subject": "user", "predicate": "lives_in", "object": "Askvik",
                "statement": "The user lives in Askvik.", "evidence": "the Askvik house is home",
            }]
        )  # fmt: skip
        ilka, _ = self.opened(home, answer(), proposed)
        tell(ilka, clock, "I live in Oslo.", "These days the Askvik house is home.")
        ilka.consolidate()
        assert [(fact.predicate, fact.object) for fact in facts(ilka)] == [("lives_in", "Askvik")]


def test_everything_is_sound_afterwards(home, clock):
    memory = home.open(embedder=HashingEmbedder())
    ilka = memory.scoped(user="ilka")
    told = tell(ilka, clock, *BOAT, *CAT, *APART, "I live in Oslo.", "I live in Bergen now.")
    ilka.consolidate()
    ilka.forget(told[0])
    ilka.consolidate()
    assert memory.verify(repair=False).problems == ()
