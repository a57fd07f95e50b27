"""Entities put together from facts, and what follows from them."""

from __future__ import annotations

from perdure.domain.graph import entities_of, inferred
from perdure.domain.records import Kind
from perdure.testing.builders import a_memory


def a_fact(subject, predicate, value, **fields):
    return a_memory(
        f"{subject} {predicate} {value}", kind=Kind.SEMANTIC, subject=subject,
        predicate=predicate, object=value, polarity=fields.pop("polarity", "+"), **fields,
    )  # fmt: skip


def named(facts):
    return {entity.name: entity for entity in entities_of(facts, owner="ilka")}


def test_an_entity_has_its_values_and_other_names():
    facts = [
        a_fact("Augusta", "also_called", "Gusti"),
        a_fact("Augusta", "lives_in", "Turku"),
        a_fact("Gusti", "speaks", "Finnish"),
    ]
    augusta = named(facts)["Augusta"]
    assert (augusta.type, augusta.aliases) == ("Person", ("Gusti",))
    assert augusta.properties["lives_in"] == "Turku"
    assert augusta.properties["speaks"] == "Finnish"


def test_two_of_one_name_and_different_types_are_two():
    facts = [a_fact("user", "lives_in", "Paris"), a_fact("user", "friend", "Paris")]
    assert sorted(
        entity.type for entity in entities_of(facts, owner="x") if entity.name == "Paris"
    ) == ["Person", "Place"]


def test_a_value_is_no_entity():
    assert set(named([a_fact("user", "age", "41")])) == {"user"}


def test_a_transitive_relation_goes_through():
    facts = [
        a_fact("app", "depends_on", "server"),
        a_fact("server", "depends_on", "disk"),
        a_fact("disk", "depends_on", "power"),
    ]
    found = {(item.subject, item.object): item.proof for item in inferred(facts)}
    assert set(found) == {("app", "disk"), ("app", "power"), ("server", "power")}
    assert set(found["app", "power"]) == set(facts)


def test_inverse_and_symmetric_relations_go_back():
    facts = [a_fact("user", "child", "Mia"), a_fact("Mia", "friend", "Bo")]
    found = {(item.subject, item.predicate, item.object) for item in inferred(facts)}
    assert found == {("Mia", "parent", "user"), ("Bo", "friend", "Mia")}


def test_nothing_follows_from_what_is_denied():
    assert inferred([a_fact("Mia", "friend", "Bo", polarity="-")]) == []


def test_a_circle_ends():
    facts = [a_fact("a", "implies", "b"), a_fact("b", "implies", "a")]
    assert inferred(facts) == []


def test_an_inference_is_as_sure_as_its_premises_together():
    facts = [
        a_fact("a", "implies", "b", confidence=0.5),
        a_fact("b", "implies", "c", confidence=0.5),
    ]
    assert [item.confidence for item in inferred(facts)] == [0.25]
