"""Which questions are about the past."""

from __future__ import annotations

import pytest

from perdure.domain.retrospection import asks_about_past
from perdure.testing.builders import NOON


@pytest.mark.parametrize(
    "question",
    [
        "Where did I use to swim, and where did my brother used to?",
        "What was my previous dentist called?",
        "Where did my aunt use to live?",
        "And who had the keys before?",
        "Where did we live before this flat?",
        "Where did I work in 2019?",
        "我以前住在哪里？",
        "她之前用什么编辑器？",
        "2018年我住在哪儿？",
        "我曾经养过什么？",
    ],
)
def test_a_question_about_the_past(question):
    assert asks_about_past(question, NOON)


@pytest.mark.parametrize(
    "question",
    [
        "Where do I live?",
        "What must I pack before the trip?",
        "Who is my dentist?",
        "What do we use to write reports?",
        "What happens in 2033?",
        "开会之前要准备什么？",
        "我住在哪里？",
    ],
)
def test_a_question_about_the_present(question):
    assert not asks_about_past(question, NOON)
