"""Which memories a request to lose something means."""

from __future__ import annotations

import pytest

from perdure.domain.readings import Target
from perdure.domain.withdrawal import Candidate, coverage, is_echo, meant_by
from perdure.testing.builders import a_memory


def a_candidate(content, withdrawn=0.0, relevance=0.0):
    return Candidate(memory=a_memory(content), withdrawn=withdrawn, relevance=relevance)


def test_the_memory_that_has_the_words_of_the_target_is_meant():
    code = a_candidate("The code of my locker is 5512.")
    tea = a_candidate("I take my tea with milk.")
    assert meant_by(Target(text="my locker code"), [tea, code]) == [code.memory]


def test_nothing_is_meant_when_nothing_is_like_the_target():
    tea = a_candidate("I take my tea with milk.", withdrawn=0.2, relevance=0.3)
    assert meant_by(Target(text="my locker code"), [tea]) == []


def test_of_two_neighbours_only_the_nearer_is_meant():
    name = a_candidate("The name of the canoe is Lark.", withdrawn=0.9)
    place = a_candidate("The canoe lies behind the mill.", withdrawn=0.1)
    assert meant_by(Target(text="the canoe's name"), [name, place]) == [name.memory]


def test_everything_about_something_means_all_that_names_it():
    name = a_candidate("The name of the canoe is Lark.")
    place = a_candidate("The canoe lies behind the mill.")
    tea = a_candidate("I take my tea with milk.")
    target = Target(text="canoe", is_everything=True)
    assert meant_by(target, [name, place, tea]) == [name.memory, place.memory]


def test_coverage_is_the_share_of_telling_words():
    assert coverage("the canoe's name", "Its name is Lark") == pytest.approx(0.5)
    assert coverage("的", "茶") == 0.0


@pytest.mark.parametrize("echo", ["Saved, 5512.", "好的，已记下 5512。"])
def test_words_that_repeat_a_number_are_an_echo(echo):
    assert is_echo(echo, [a_memory("The code of my locker is 5512.")], "my locker code")


def test_words_that_only_acknowledge_are_no_echo():
    lost = [a_memory("The code of my locker is 5512.")]
    assert not is_echo("I have saved the code of your locker.", lost, "my locker code")
