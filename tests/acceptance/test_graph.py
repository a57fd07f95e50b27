"""The graph through the public clients, on every store."""

from __future__ import annotations

from datetime import timedelta

import pytest

import perdure


@pytest.fixture
def ilka(home):
    return home.open().scoped(user="ilka")


def triples(facts):
    return [(fact.subject, fact.predicate, fact.object) for fact in facts]


def test_facts_by_subject_and_predicate(ilka):
    graph = ilka.graph
    graph.relate("Emeka", "lives_in", "Turku")
    graph.relate("Emeka", "speaks", "Finnish")
    graph.relate("Noor", "lives_in", "Bergen")
    assert triples(graph.facts(subject="Emeka", predicate="lives_in")) == [
        ("Emeka", "lives_in", "Turku")
    ]
    assert len(graph.facts(predicate="lives_in")) == 2
    assert len(graph.facts()) == 3


def test_a_single_value_gives_way_and_the_past_answers(home, ilka):
    graph = ilka.graph
    first = home.clock.now()
    graph.relate("Emeka", "lives_in", "Turku")
    home.clock.advance(timedelta(days=1))
    graph.relate("Emeka", "lives_in", "Bergen")
    assert triples(graph.facts(subject="Emeka")) == [("Emeka", "lives_in", "Bergen")]
    assert triples(graph.facts(subject="Emeka", as_of=first)) == [("Emeka", "lives_in", "Turku")]
    assert triples(graph.facts(subject="Emeka", known_as_of=first)) == [
        ("Emeka", "lives_in", "Turku")
    ]


def test_many_values_stay_side_by_side(ilka):
    ilka.graph.relate("Emeka", "speaks", "Igbo")
    ilka.graph.relate("Emeka", "speaks", "Finnish")
    assert len(ilka.graph.facts(subject="Emeka")) == 2


def test_other_names_find_the_same(ilka):
    graph = ilka.graph
    graph.relate("王建国", "also_called", "老王")
    graph.relate("王建国", "lives_in", "柳河镇")
    assert ("王建国", "lives_in", "柳河镇") in triples(graph.facts(subject="老王"))
    [entity] = graph.entities(name="老王")
    assert (entity.name, entity.type, entity.aliases) == ("王建国", "Person", ("老王",))


def test_walks_and_ways(ilka):
    graph = ilka.graph
    graph.relate("app", "depends_on", "server")
    graph.relate("server", "depends_on", "disk")
    graph.relate("disk", "depends_on", "power")
    assert [fact.object for fact in graph.neighbours("app")] == ["server"]
    assert [fact.object for fact in graph.neighbours("app", 2)] == ["server", "disk"]
    assert [fact.object for fact in graph.path("app", "power")] == ["server", "disk", "power"]
    assert graph.path("app", "moon") == []


def test_what_follows_goes_with_its_premise(ilka):
    graph = ilka.graph
    graph.relate("app", "depends_on", "server")
    last = graph.relate("server", "depends_on", "disk").memory
    [follows] = graph.infer(subject="app")
    assert (follows.predicate, follows.object) == ("depends_on", "disk")
    assert len(follows.proof) == 2
    ilka.forget(last.id)
    assert graph.infer(subject="app") == []


def test_users_have_graphs_of_their_own(home, ilka):
    ilka.graph.relate("Emeka", "lives_in", "Turku")
    other = home.open().scoped(user="bo")
    assert other.graph.facts() == []
    assert other.graph.entities() == []
    with pytest.raises(perdure.PermissionDenied):
        ilka.graph.facts(scope=perdure.Scope(user="bo"))


def test_a_walk_of_no_steps_is_refused(ilka):
    with pytest.raises(perdure.InvalidInput):
        ilka.graph.neighbours("app", 0)


def test_reading_the_graph_has_no_ceiling(memory, monkeypatch):
    monkeypatch.setattr("perdure.engine.graph.PAGE", 2)
    bren = memory.scoped(user="bren")
    for number in range(5):
        bren.graph.relate(f"part {number}", "part_of", f"part {number + 1}")
    assert len(bren.graph.facts(predicate="part_of")) == 5
    assert len(bren.graph.entities()) == 6
    assert len(bren.graph.neighbours("part 0", 5)) == 5
    assert len(bren.graph.infer(subject="part 0", predicate="part_of")) == 4


def test_names_that_are_none_are_refused(ilka):
    for asked in ({"subject": 5}, {"predicate": 5}, {"subject": " "}):
        with pytest.raises(perdure.InvalidInput):
            ilka.graph.facts(**asked)
    for asked in ({"name": 5}, {"type": 5}):
        with pytest.raises(perdure.InvalidInput):
            ilka.graph.entities(**asked)
