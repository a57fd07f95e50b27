"""The project's own intents and extraction suites are sound, and their card counts right."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from perdure.domain.readings import USER
from perdure.evaluation.consistency.checks import normal
from perdure.evaluation.extraction.items import ExtractionItem, read_extraction
from perdure.evaluation.intents.items import LABELS, IntentItem, read_intents
from perdure.evaluation.kinds import OWN_SUITES, own_suite
from perdure.evaluation.lines import lines_of

INTENTS = read_intents(lines_of(own_suite("intents")))
EXTRACTION = read_extraction(lines_of(own_suite("extraction")))

PREDICATES = frozenset(
    """
    name nickname age born_on born_in raised_in lives_in ethnicity native_language religion
    marital_status spouse partner works_at job_title manager studies_at diet contact_preference
    timezone blood_type height shoe_size breed deadline located_in likes dislikes prefers avoids
    allergic_to health_condition takes_medication child parent sibling relative friend colleague
    housemate neighbour has_pet pet_name speaks learning skill hobby field_of_study owns uses
    works_on member_of plans goal schedule nationality visited email phone instructs
    """.split()
)
PLACES = frozenset("sibling parent spouse partner manager relative child friend office".split())

HAN = re.compile(r"[\u3400-\u9fff]")


def card() -> str:
    folder = resources.files("perdure.evaluation") / "suites"
    return (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OWN_SUITES)
def test_every_suite_is_there(name: str) -> None:
    assert isinstance(own_suite(name), Path)
    assert own_suite(name).is_file()


def test_nothing_is_said_twice() -> None:
    for messages in ([i.message for i in INTENTS], [e.message for e in EXTRACTION]):
        assert [m for m, n in Counter(map(normal, messages)).items() if n > 1] == []


def test_both_languages_have_the_same_weight() -> None:
    for languages in ((i.language for i in INTENTS), (e.language for e in EXTRACTION)):
        counts = Counter(languages)
        assert set(counts) == {"en", "zh"}
        assert abs(counts["en"] - counts["zh"]) <= 5
        assert min(counts.values()) >= 80


@pytest.mark.parametrize("item", [*INTENTS, *EXTRACTION], ids=lambda item: item.id)
def test_an_item_is_in_the_language_it_says(item: IntentItem | ExtractionItem) -> None:
    assert bool(HAN.search(item.message)) is (item.language == "zh")


@pytest.mark.parametrize("item", INTENTS, ids=lambda item: item.id)
def test_an_intent_says_why_it_is_there(item: IntentItem) -> None:
    assert item.note
    assert all(message.content.strip() for message in item.context)
    if item.context:
        assert item.context[0].role in ("user", "assistant")


@pytest.mark.parametrize("item", EXTRACTION, ids=lambda item: item.id)
def test_facts_are_in_the_words_of_the_message(item: ExtractionItem) -> None:
    for fact in item.facts:
        assert fact.objects[0] in item.message
        assert fact.predicate in PREDICATES or fact.predicate.startswith("favourite:")
        owner, _, place = fact.subject.partition(".")
        assert owner == USER or fact.subject in item.message
        assert not place or owner != USER or place in PLACES


def test_nothing_is_both_wanted_and_a_trap() -> None:
    for item in EXTRACTION:
        wanted = {(f.subject, f.predicate, f.objects[0]) for f in item.wanted}
        assert wanted.isdisjoint((f.subject, f.predicate, f.objects[0]) for f in item.traps)


def test_every_predicate_occurs() -> None:
    assert {fact.predicate for item in EXTRACTION for fact in item.facts} >= PREDICATES


def test_the_card_counts_labels_right() -> None:
    counts = Counter((item.label, item.language) for item in INTENTS)
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (?!\d)", card(), re.MULTILINE)
    assert rows == [(label, *(str(counts[label, x]) for x in ("en", "zh"))) for label in LABELS]
    assert f"`intents.jsonl` holds {len(INTENTS)} messages" in card()


def test_the_card_counts_facts_right() -> None:
    facts = [fact for item in EXTRACTION for fact in item.facts]
    traps = sum(fact.is_trap for fact in facts)
    empty = sum(not item.facts for item in EXTRACTION)
    told = " ".join(card().split())
    assert f"`extraction.jsonl` holds {len(EXTRACTION)} messages, 106 in each language" in told
    assert f"{len(facts)} facts, of which {traps} are traps" in told
    assert f"{empty} messages state nothing to keep" in told
