"""What took the place of a statement answers what the statement answered."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("home", ["memory-sync", "sqlite-sync"], indirect=True)
def test_a_correction_that_does_not_name_its_subject_answers_for_it(home):
    ilka = home.open(embedder="off").scoped(user="ilka")
    told = ilka.remember("The regatta is on 14 June.")
    ilka.correct(told.memory.id, "Wrong line, it's the 21st.")
    assert [hit.memory.content for hit in ilka.recall("When is the regatta?")] == [
        "Wrong line, it's the 21st."
    ]
    assert [hit.memory.content for hit in ilka.recall("When is the regatta?", include="superseded")]


@pytest.mark.parametrize("home", ["memory-sync"], indirect=True)
def test_what_is_gone_for_good_is_answered_by_nothing(home):
    ilka = home.open(embedder="off").scoped(user="ilka")
    told = ilka.remember("The regatta is on 14 June.")
    new = ilka.correct(told.memory.id, "Wrong line, it's the 21st.")
    ilka.forget(new.memory.id)
    assert not [hit for hit in ilka.recall("When is the regatta?") if "21st" in hit.memory.content]
