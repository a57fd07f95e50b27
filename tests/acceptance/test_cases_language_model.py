"""Facts drawn by a language model: what supports them, whose they are, and what they may hold."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from perdure import LanguageModelUnavailable
from perdure.testing import ScriptedEmbedder, ScriptedLanguageModel, answer
from tests.acceptance.home import Face, Home, decided_by_the_engine
from tests.acceptance.reading import everything_in, texts

ALL = ("superseded", "former", "archived", "expired")
OUT = LanguageModelUnavailable("the language model answered with status 429")


def fact(subject: str, predicate: str, value: str, **more: object) -> dict[str, object]:
    return {"subject": subject, "predicate": predicate, "object": value, **more}


class Stand:
    """One user's memory with a scripted model."""

    def __init__(self, home: Home, **options: object) -> None:
        self.home = home
        self.model = ScriptedLanguageModel()
        self.root = home.open(language_model=self.model, **options)
        self.memory: Face = self.root.scoped(user="ilka")

    def tell(self, content: str, *answers: object, **more: object):
        """Observe one message, with what the model makes of it."""
        self.home.clock.advance(timedelta(minutes=1))
        self.model.extend(answers)
        return self.memory.observe([{"role": "user", "content": content, **more}])

    def words_of(self, observed) -> str:
        """The id of the words that were kept."""
        return next(memory.id for memory in observed.memories if memory.kind == "episodic")

    def edges(self) -> set[tuple[str, str, str]]:
        return {(item.subject, item.predicate, item.object) for item in self.memory.graph.facts()}


@pytest.fixture
def stand(home: Home) -> Stand:
    return Stand(home)


MENTORS, LIVES = ("Calla", "mentors", "Bren"), ("Calla", "lives_in", "Dunmere")


def three_messages(stand: Stand) -> list[str]:
    """Two that support one relation and one that supports another; the ids of their words."""
    return [
        stand.words_of(stand.tell(words, answer([fact(*edge)])))
        for words, edge in (
            ("Calla mentors Bren.", MENTORS),
            ("Bren says that Calla is a good mentor of his.", MENTORS),
            ("Calla lives in Dunmere.", LIVES),
        )
    ]


def dangling(stand: Stand) -> list[str]:
    """Ids in stored memories that name nothing stored."""
    stored = {item.id: item for item in everything_in(stand.memory, include=ALL)}
    return [
        other
        for item in stored.values()
        for other in (*item.provenance, *item.supports)
        if other not in stored
    ]


def test_a_relation_goes_with_the_last_message_that_supports_it(stand):
    one, two, three = three_messages(stand)
    assert stand.edges() == {MENTORS, LIVES}
    for gone, left in ((three, {MENTORS}), (one, {MENTORS}), (two, set())):
        stand.memory.forget(gone)
        assert stand.edges() == left
        assert dangling(stand) == []
    assert stand.memory.graph.entities() == []
    assert stand.memory.verify(repair=False).problems == ()


def test_forgetting_in_bulk_takes_relations_along(stand):
    one, two, three = three_messages(stand)
    stand.memory.forget([one, two])
    assert stand.edges() == {LIVES}
    assert dangling(stand) == []
    assert [entity.name for entity in stand.memory.graph.entities(name="Bren")] == []
    stand.memory.forget_all(kinds="episodic")
    assert stand.edges() == set()
    assert dangling(stand) == []
    assert three not in [item.id for item in everything_in(stand.memory, include=ALL)]


@decided_by_the_engine
def test_one_name_is_one_entity_though_its_mentions_look_different(home):
    told = [
        ("DVKO signed the lease.", fact("DVKO", "signed", "the lease")),
        ("We called DVKO about the roof.", fact("DVKO", "was called about", "the roof")),
        ("DVKO runs the boiler house.", fact("DVKO", "runs", "the boiler house")),
        ("屋顶是DVKO修的。", fact("DVKO", "修了", "屋顶")),
    ]
    texts_seen = [words for words, _ in told]
    width = len(texts_seen) + 1
    vectors = {
        words: [0.55**0.5] + [(0.45**0.5 if place == number else 0.0) for place in range(width - 1)]
        for number, words in enumerate(texts_seen)
    }
    stand = Stand(home, embedder=ScriptedEmbedder(vectors))
    for day, (words, stated) in enumerate(told):
        stand.home.clock.advance(timedelta(days=1 + day))
        stand.tell(words, answer([stated]))
    [entity] = stand.memory.graph.entities(name="DVKO")
    about = stand.memory.graph.facts(subject=entity.name)
    sources = {source for item in about for source in item.provenance}
    assert len(about) == 4
    assert len(sources) == 4


@decided_by_the_engine
def test_a_name_in_other_case_is_the_same_entity_with_the_same_facts(stand):
    stand.tell("DVKO signed the lease.", answer([fact("DVKO", "signed", "the lease")]))
    stand.tell("dvko runs the boiler house.", answer([fact("dvko", "runs", "the boiler house")]))
    [entity] = stand.memory.graph.entities(name="dvko")
    assert len(stand.memory.graph.facts(subject=entity.name)) == 2


VALUES = {
    "pair": ("rocket \\ud83d\\ude80 club", "rocket 🚀 club"),
    "high half": ("half \\ud83d club", "half \ufffd club"),
    "low half": ("half \\udc8f club", "half \ufffd club"),
    "nul": ("nul \\u0000 club", None),
    "flag": ("🇵🇹 club", "🇵🇹 club"),
    "family": ("👨‍👩‍👧 club", "👨‍👩‍👧 club"),
    "marks": ("\u202bשלום\u202c club", "\u202bשלום\u202c club"),
    "accents": ("cafe\\u0301 club", "cafe\u0301 club"),
    "火箭": ("火箭\\ud83d\\ude80社 club", "火箭🚀社 club"),
}


def test_whatever_a_model_writes_can_be_stored_changed_found_and_exported(home, tmp_path):
    stand = Stand(home)
    for name, (written, kept) in VALUES.items():
        mine = stand.root.scoped(user=name)
        stand.model.extend(
            [
                f'{{"facts": [{{"subject": "user", "predicate": "member_of", "object": "{written}"}}]}}'
            ]
        )
        mine.observe([{"role": "user", "content": f"I joined the {name} club."}])
        [held] = mine.list(kinds="semantic")
        assert "\x00" not in held.object + held.content
        (held.object + held.content).encode("utf-8")
        if kept is not None:
            assert held.object == kept, name
        assert "club" in mine.recall("club")[0].memory.content
        assert mine.update(held.id, content=held.content + " 🚀").content.endswith("🚀")
        mine.export(tmp_path / "out.jsonl")
        for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines():
            json.loads(line)
        assert stand.root.import_(tmp_path / "out.jsonl").added == 0


@decided_by_the_engine
@pytest.mark.parametrize(
    ("words", "stated"),
    [
        ("What did the gardener Odalys charge?", [fact("user", "name", "Odalys")]),
        ("园丁小荷收了多少钱？", [fact("user", "name", "小荷")]),
        ("Explain how to sort a heap.",
         [fact("assistant", "explained", "sorting"), fact("the assistant", "wrote", "a solution")]),
    ],
)  # fmt: skip
def test_a_model_that_takes_a_question_for_a_statement_is_not_followed(stand, words, stated):
    stand.tell(words, answer(stated))
    assert stand.edges() == set()


@decided_by_the_engine
@pytest.mark.parametrize(
    "stated",
    [
        [fact("user", "lives_in", "Lund"), fact("user", "lives_in", "Lund")],
        [fact("user", "lives_in", "Lund"), fact("user", "lives_in", " lund ")],
        [fact("User", "lives_in", "Lund"), fact("user", "lives_in", "Lund")],
    ],
    ids=["twice", "spaces", "case"],
)
def test_a_fact_that_a_model_says_twice_is_held_once(stand, stated):
    stand.tell("I live in Lund.", answer(stated))
    assert stand.edges() == {("user", "lives_in", "Lund")}
    assert stand.memory.count(kinds="semantic", include=ALL) == 1


@decided_by_the_engine
def test_a_model_cannot_supersede_or_lose_what_belongs_to_another_user(home):
    stand = Stand(home)
    other = stand.root.scoped(user="bo")
    stand.model.extend([answer([fact("user", "lives_in", "Lund")])])
    theirs = [
        item.id for item in other.observe([{"role": "user", "content": "I live in Lund."}]).memories
    ]
    for operation in ("update", "delete"):
        stand.tell(
            "Forget where I live; I live in Oslo.",
            answer(
                [fact("user", "lives_in", "Oslo")],
                [{"operation": operation, "targets": [*theirs, "I live in Lund."],
                  "evidence": "Forget where I live"}],
            ),
        )  # fmt: skip
    assert [item.state for item in other.list()] == ["active", "active"]
    assert "I live in Lund." in texts(other.list())
    shown = json.dumps(stand.model.requests[-1])
    assert "Lund" not in shown


@decided_by_the_engine
def test_many_messages_wait_for_a_model_and_each_is_read_once(stand):
    told = [f"Shelf {number} holds {number + 20} jars." for number in range(6)]
    for words in told:
        assert stand.tell(words, OUT).is_deferred
    assert sorted(texts(stand.memory.list())) == sorted(told)
    for _ in range(4):
        stand.home.clock.advance(timedelta(hours=13))
        stand.model.extend(
            answer([fact(f"shelf {number}", "holds", f"{number + 20} jars")]) for number in range(6)
        )
        stand.memory.catch_up()
    assert stand.memory.stats().deferred == 0
    assert len(stand.edges()) == len({edge[0] for edge in stand.edges()}) == 6
    assert [text for text in told if text not in texts(stand.memory.list())] == []
