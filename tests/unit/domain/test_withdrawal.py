"""Which memories a request to lose something means."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perdure.domain.withdrawal import (
    Candidate,
    Request,
    coverages,
    is_echo,
    meant_by,
    points_back,
)
from perdure.testing.builders import a_memory

NAME = "The name of the canoe is Lark."
PLACE = "The canoe lies behind the mill."
TEA = "I take my tea with milk."


def meant(request, **withdrawn):
    """The contents meant, given each content's probability of being taken back."""
    texts = {"name": NAME, "place": PLACE, "tea": TEA}
    candidates = [
        Candidate(memory=a_memory(texts[key]), withdrawn=share) for key, share in withdrawn.items()
    ]
    return [memory.content for memory in meant_by(request, candidates)]


def test_the_memory_that_has_the_words_of_the_request_is_meant():
    request = Request(words="forget what I told you about the canoe's name")
    assert meant(request, name=0.9, tea=0.2) == [NAME]


def test_of_two_neighbours_only_the_nearer_is_meant():
    request = Request(words="forget the name of the canoe")
    assert meant(request, name=0.9, place=0.9, tea=0.3) == [NAME]


def test_words_alone_are_not_enough():
    assert meant(Request(words="the name of the canoe"), name=0.3, place=0.2) == []


def test_everything_about_something_means_all_that_names_it():
    request = Request(words="delete all about the canoe", is_everything=True)
    assert meant(request, name=0.9, place=0.7, tea=0.4) == [NAME, PLACE]


def test_what_is_spared_beside_the_request_stays():
    request = Request(
        words="delete all about the canoe", is_everything=True, spared=("keep the canoe's name",)
    )
    assert meant(request, name=0.9, place=0.9) == [PLACE]


def test_what_is_of_the_kind_that_is_named_is_meant_though_it_shares_no_word():
    request = Request(words="forget my address", predicates=frozenset({"lives_in"}))
    home = Candidate(memory=a_memory("I live in Riga."), withdrawn=0.2, is_of_kind=True)
    other = Candidate(memory=a_memory(TEA), withdrawn=0.2)
    assert meant_by(request, [home, other]) == [home.memory]
    unlikely = replace(home, withdrawn=0.1)
    assert meant_by(request, [unlikely]) == []


def test_what_states_facts_of_another_kind_than_the_named_is_spared():
    request = Request(words="forget my address", predicates=frozenset({"lives_in"}))
    job = a_memory("I work in Riga.", subject="user", predicate="works_at", object="Riga")
    assert request.names_another_kind_than([job])
    assert not request.names_another_kind_than([])
    other = Candidate(memory=job, withdrawn=0.9, relevance=0.9, is_of_other_kind=True)
    assert meant_by(request, [other]) == []


@pytest.mark.parametrize(
    ("subject", "predicate", "named"),
    [("user", "lives_in", True), ("user.sibling", "lives_in", False), ("user", "age", False)],
)
def test_a_kind_names_the_speakers_own_facts_of_it(subject, predicate, named):
    request = Request(words="forget my address", predicates=frozenset({"lives_in"}))
    fact = a_memory("so it is", subject=subject, predicate=predicate, object="it")
    assert request.names_kind_of([fact]) is named


def test_rare_words_count_for_more_and_unknown_ones_for_nothing():
    name, place = coverages("forget the canoe's name", [NAME, PLACE])
    assert name == pytest.approx(1.0)
    assert 0 < place < 0.5
    assert coverages("的", ["茶"]) == [0.0]


def test_a_request_that_names_nothing_stored_points_back():
    candidates = [Candidate(memory=a_memory(TEA), withdrawn=0.9)]
    assert points_back("scratch that", candidates)
    assert not points_back("forget my tea", candidates)


@pytest.mark.parametrize("echo", ["Saved, 5512.", "好的，已记下 5512。"])
def test_words_that_repeat_a_number_are_an_echo(echo):
    assert is_echo(echo, [a_memory("The code of my locker is 5512.")], "my locker code")


def test_words_that_only_acknowledge_are_no_echo():
    lost = [a_memory("The code of my locker is 5512.")]
    assert not is_echo("I have saved the code of your locker.", lost, "my locker code")
