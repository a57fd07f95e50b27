"""Two things of a series are two; an old and a new value of one thing are one."""

from __future__ import annotations

import pytest

from perdure.domain.series import are_told_apart


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bin 31 in the yard holds gravel.", "Bin 32 in the yard holds sand."),
        ("The Heron lorry has a ramp.", "The Plover lorry has a crane."),
        ("My niece's flute is a Calder.", "My nephew's flute is a Brook."),
        ("三号冷库放的是鱼", "四号冷库放的是肉"),
        ("我家老大上三年级", "我家老二上一年级"),
    ],
)
def test_what_names_the_subject_tells_them_apart(one, other):
    assert are_told_apart(one, other)
    assert are_told_apart(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My bin is number 31.", "My bin is number 32 now."),
        ("I rent bin 31 in the yard.", "I rent bin 32 in the shed."),
        ("Gravel lies in the yard.", "Sand came by lorry."),
        ("Dr Abara is my dentist.", "Dr Lind is my dentist now."),
        ("My current wage is 40k.", "My new wage is 42k."),
        ("My niece plays the flute, and my nephew plays chess.", "My nephew plays go now."),
        ("我住在三号楼", "我住在四号楼"),
        ("车库密码是1234", "车库密码是5678"),
        ("", "Bin 32 holds sand."),
    ],
)
def test_what_is_said_of_one_thing_does_not(one, other):
    assert not are_told_apart(one, other)
    assert not are_told_apart(other, one)
