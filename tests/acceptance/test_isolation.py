"""No read and no write crosses from one user or tenant to another."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from perdure import InvalidInput, NotFound, Scope
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import ids, texts

ONE, OTHER = "ilka", "oto"


@pytest.fixture
def town(memory):
    """Two users who say alike things and both know Calle."""
    memory.scoped(user=ONE).remember("I live in Aalto. Calle is my neighbour.", key="home")
    memory.scoped(user=OTHER).remember("I live in Birka. Calle is my cousin.", key="home")
    memory.scoped(user=ONE).remember("我住在桂林，卡勒是我的邻居")
    memory.scoped(user=OTHER).remember("我住在柳州，卡勒是我的表弟")
    return memory


MINE = {ONE: {"Aalto", "桂林"}, OTHER: {"Birka", "柳州"}}


def places(text):
    return {place for names in MINE.values() for place in names if place in text}


@pytest.fixture(params=list(permutations([ONE, OTHER])))
def me(request):
    return request.param[0]


@pytest.mark.parametrize("query", ["where do I live", "Calle", "我住在哪里", "卡勒"])
def test_recall_finds_only_the_users_own(town, me, query):
    hits = town.scoped(user=me).recall(query, limit=50)
    assert hits
    assert places(" ".join(texts(hits))) <= MINE[me]


@pytest.mark.parametrize("query", ["where do I live", "卡勒"])
def test_recall_by_words_alone_finds_only_the_users_own(home, me, query):
    with home.open(embedder="off") as memory:
        memory.scoped(user=ONE).remember("I live in Aalto 卡勒")
        memory.scoped(user=OTHER).remember("I live in Birka 卡勒")
        hits = memory.scoped(user=me).recall(query)
        assert places(" ".join(texts(hits))) == MINE[me] & {"Aalto", "Birka"}


def test_recall_by_a_vector_finds_only_the_users_own(town, me):
    mine = town.scoped(user=me)
    vector = [1.0] * 256
    assert places(" ".join(texts(mine.recall(vector, limit=50)))) <= MINE[me]
    assert mine.recall(vector, limit=50).considered == 2


def test_reads_without_a_question_see_only_the_users_own(town, me, tmp_path):
    mine = town.scoped(user=me)
    assert places(" ".join(texts(mine.list(include=("superseded", "former"))))) == MINE[me]
    assert mine.count() == 2
    assert places(mine.recall_context("Calle 卡勒 live 住")) == MINE[me]
    assert (
        places(json.dumps([entry.change for entry in mine.changes()], ensure_ascii=False))
        == (MINE[me])
    )
    mine.export(tmp_path / "mine.jsonl")
    assert places((tmp_path / "mine.jsonl").read_text(encoding="utf-8")) == MINE[me]
    assert sum(mine.stats().memories.values()) == 2


def test_a_scope_may_be_given_as_an_argument_as_well(town, me):
    scope = Scope(user=me)
    assert places(" ".join(texts(town.recall("Calle", scope=scope)))) <= MINE[me]
    assert places(" ".join(texts(town.list(scope=scope)))) == MINE[me]
    assert town.count(scope=scope) == 2


@pytest.mark.parametrize("everyone", [{"memory.user": OTHER}, {"not": {"memory.user": "nobody"}}])
def test_a_filter_cannot_widen_the_scope(town, everyone):
    mine = town.scoped(user=ONE)
    assert places(" ".join(texts(mine.recall("Calle 卡勒", filters=everyone)))) <= MINE[ONE]
    assert places(" ".join(texts(mine.list(filters=everyone)))) <= MINE[ONE]
    assert mine.count(filters={"memory.user": OTHER}) == 0


def test_another_users_id_is_unknown(town):
    [theirs, *_] = town.scoped(user=OTHER).list()
    mine = town.scoped(user=ONE)
    for call in (
        mine.get,
        mine.history,
        mine.forget,
        mine.restore,
        mine.feedback,
        lambda memory_id: mine.update(memory_id, importance=0.1),
        lambda memory_id: mine.correct(memory_id, "Now mine"),
    ):
        with pytest.raises(NotFound):
            call(theirs.id)
    assert town.scoped(user=OTHER).get(theirs.id) == theirs


def test_an_unknown_user_has_nothing(town):
    nobody = town.scoped(user="nobody")
    assert texts(nobody.recall("Calle")) == []
    assert nobody.recall("Calle").abstained
    assert nobody.recall_context("Calle") == ""
    assert (texts(nobody.list()), nobody.count(), nobody.changes()) == ([], 0, [])


def test_no_user_is_one_user_and_not_everybody(town):
    assert texts(town.recall("Calle")) == []
    town.remember("Nobody in particular said this")
    assert texts(town.list()) == ["Nobody in particular said this"]
    assert town.scoped(user=ONE).count() == 2


def test_only_calls_that_offer_it_span_users(town):
    assert town.count(everything=True) == 4
    with pytest.raises(TypeError):
        town.recall("Calle", everything=True)
    with pytest.raises(TypeError):
        town.list(everything=True)


@pytest.mark.parametrize("call", ["count", "changes", "stats", "export", "forget_all"])
def test_everything_never_spans_tenants(memory, call, tmp_path):
    north, south = memory.scoped(tenant="north"), memory.scoped(tenant="south")
    north.remember("North's", scope=Scope(user=ONE))
    south.remember("South's", scope=Scope(user=ONE))
    match call:
        case "count":
            assert north.count(everything=True) == 1
        case "changes":
            assert {entry.scope.tenant for entry in north.changes(everything=True)} == {"north"}
        case "stats":
            assert sum(north.stats(everything=True).memories.values()) == 1
        case "export":
            assert north.export(tmp_path / "n.jsonl", everything=True).memories == 1
            assert "South" not in (tmp_path / "n.jsonl").read_text(encoding="utf-8")
        case "forget_all":
            assert len(north.forget_all(everything=True)) == 1
            assert south.count(everything=True) == 1


def test_equal_users_of_two_tenants_are_two_people(memory):
    for tenant in ("north", "south", ""):
        memory.scoped(tenant=tenant, user=ONE).remember(f"{tenant or 'no'} tenant's tea")
    for tenant in ("north", "south", ""):
        mine = memory.scoped(tenant=tenant, user=ONE)
        assert texts(mine.recall("tea", limit=9)) == [f"{tenant or 'no'} tenant's tea"]


def test_agent_and_session_narrow_when_given(memory):
    user = memory.scoped(user=ONE)
    user.remember("Said to nobody in particular")
    memory.scoped(user=ONE, agent="cook").remember("Said to the cook")
    memory.scoped(user=ONE, agent="cook", session="s1").remember("Said to the cook in s1")
    memory.scoped(user=ONE, agent="tutor", session="s1").remember("Said to the tutor in s1")

    def seen(**parts):
        return len(memory.scoped(user=ONE, **parts).recall("said", limit=9))

    assert [seen(), seen(agent="cook"), seen(session="s1"), seen(agent="cook", session="s1")] == [
        4, 2, 2, 1,
    ]  # fmt: skip


AWKWARD = [
    "a_c", "abc", "a%", "100%", "%", "_", "*", "x:y", "x", "x/y", "o'neil", 'say "hi"', "ümit",
    "u\u0308mit", " abc ", "ABC", "abc\n", "a\\", "a\\%", "--", ";drop table", "名字", "名字 ",
    "l" * 300, "🙂", "null", "None", "0",
]  # fmt: skip


def test_identifiers_are_opaque(memory):
    for number, user in enumerate(AWKWARD):
        memory.scoped(user=user).remember(f"Ticket {number} belongs to one person")
    for number, user in enumerate(AWKWARD):
        mine = memory.scoped(user=user)
        expected = [f"Ticket {number} belongs to one person"]
        assert texts(mine.recall("ticket", limit=99)) == expected, user
        assert texts(mine.list(limit=99)) == expected, user
        assert mine.count() == 1, user


@pytest.mark.parametrize("part", ["tenant", "user", "agent", "session"])
def test_every_part_of_a_scope_is_opaque(memory, part):
    for name in AWKWARD:
        memory.remember(f"Kept under {AWKWARD.index(name)}", scope=Scope(**{part: name}))
    for name in AWKWARD:
        found = memory.list(scope=Scope(**{part: name}), limit=99)
        assert texts(found) == [f"Kept under {AWKWARD.index(name)}"], name


@pytest.mark.parametrize("asked", ["%", "_", "a%", "*", "", "x:", "l" * 299])
def test_a_pattern_as_a_user_finds_nothing(memory, asked):
    for user in ("abc", "x:y", "l" * 300):
        memory.scoped(user=user).remember("Mine alone")
    assert texts(memory.recall("mine alone", scope=Scope(user=asked))) == []
    assert memory.count(scope=Scope(user=asked)) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("x", "y:z"), ("x:y", "z")),
        (("x", "y/z"), ("x/y", "z")),
        (("x", ""), ("", "x")),
        (("a\x1fb", "c"), ("a", "b\x1fc")),
        (("1:a", "b"), ("1", "a1:b")),
    ],
)
def test_two_scopes_never_run_into_one(memory, one, other):
    scopes = [Scope(tenant=tenant, user=user) for tenant, user in (one, other)]
    kept = [memory.remember("The same words", scope=scope, key="k").memory for scope in scopes]
    assert kept[0].id != kept[1].id
    for scope, mine in zip(scopes, kept, strict=True):
        assert ids(memory.list(scope=scope)) == [mine.id]
        assert ids(memory.recall("same words", scope=scope)) == [mine.id]


@decided_by_the_engine
@pytest.mark.parametrize("name", ["\ud83d", "nul\x00", "x" * 1025])
def test_an_identifier_no_store_can_keep_is_refused(memory, name):
    with pytest.raises(InvalidInput):
        memory.scoped(user=name)


@decided_by_the_engine
@pytest.mark.parametrize("given", ["ilka", {"user": "ilka"}, 7])
def test_a_scope_that_is_none_is_refused(memory, given):
    for call in (
        lambda: memory.remember("Whose?", scope=given),
        lambda: memory.recall("whose", scope=given),
        lambda: memory.list(scope=given),
    ):
        with pytest.raises(InvalidInput, match="scope"):
            call()


def test_relevance_depends_on_nobody_elses_data(memory):
    mine = memory.scoped(user=ONE)
    mine.remember("The tram stops at the quay")
    mine.remember("The quay is closed on Sundays")

    def relevance():
        hits = mine.recall("tram quay")
        return [(hit.memory.id, hit.explanation.components["similarity"]) for hit in hits]

    before = relevance()
    memory.scoped(user=OTHER).remember_many(
        [{"content": f"Tram {number} and the quay of berth {number}"} for number in range(60)]
    )
    assert relevance() == before


def test_isolation_holds_after_reopening(lasting_home):
    with lasting_home.open() as memory:
        memory.scoped(user=ONE).remember("I live in Aalto")
        memory.scoped(user=OTHER).remember("I live in Birka")
    memory = lasting_home.open()
    assert texts(memory.scoped(user=ONE).recall("where do I live")) == ["I live in Aalto"]
    assert texts(memory.scoped(user=OTHER).recall("where do I live")) == ["I live in Birka"]
