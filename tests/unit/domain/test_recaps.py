"""Words that say they were told before bring something new only where they name something new."""

from __future__ import annotations

import pytest

from perdure.domain.recaps import names_only_known

KNOWN = ["Hollis Glass does our windows.", "《远帆》我退订了。", "The code is 4471."]


@pytest.mark.parametrize(
    "content",
    [
        "as I said, first Hollis and then nobody",
        "跟你讲过的，先前订过《远帆》，后头退了",
        "like I told you, the code is 4471",
        "I told you all that already",
    ],
)
def test_what_names_only_the_known_is_no_news(content):
    assert names_only_known(content, [], KNOWN)


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("as I said, first Hollis and then Marwick", []),
        ("跟你讲过的，现在订的是《归港》", []),
        ("like I told you, the code is 9902", []),
        ("跟你说过，我搬到海口了", ["海口"]),
    ],
)
def test_another_name_number_or_value_is_news(content, values):
    assert not names_only_known(content, values, KNOWN)


def test_with_nothing_stored_everything_is_news():
    assert not names_only_known("as I said", [], [])
