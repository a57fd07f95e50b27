"""What is erased is gone from every read, from the journal, and from the files."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from perdure import Certificate, Conflict, InvalidInput, NotFound, Outcome, PermissionDenied, Scope
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import everything_in, ids, texts

SECRETS = ("quokka", "blancmange", "蓝鲸", "薄荷糖")
TURNS = [
    {"role": "user", "content": "My favourite animal is the quokka.", "id": "m1"},
    {"role": "user", "content": "我最喜欢的动物是蓝鲸。", "time": "2031-03-09T08:00:00+00:00"},
]


def confide(memory):
    """All kinds of traces of the secrets, some of them of another user."""
    memory.observe(TURNS)
    first = memory.remember(
        "The blancmange is in the cellar.", key="blancmange", metadata={"note": "薄荷糖"},
        idempotency_key="blancmange 1",
    ).memory  # fmt: skip
    memory.update(first.id, content="The blancmange is in the attic.", actor="the cook")
    memory.correct(first.id, "The blancmange is gone.", reason="quokka ate it")
    memory.forget(memory.remember("A 薄荷糖 for the quokka.").memory.id, reason="薄荷糖")
    memory.recall("quokka 蓝鲸 blancmange")
    return first


def stored_bytes(home):
    """Everything the store keeps on disk: the files, or all rows and heap files."""
    if home.store == "sqlite":
        return b"".join(file.read_bytes() for file in home.path.parent.iterdir())
    if home.store == "postgres":
        return asyncio.run(_postgres_bytes(home.url))
    return b""


async def _postgres_bytes(url):
    address, _, schema = url.partition("?schema=")
    connection = await asyncpg.connect(address)
    try:
        await connection.execute("CHECKPOINT")
        folder = Path(await connection.fetchval("SHOW data_directory"))
        tables = await connection.fetch(
            "SELECT c.oid::regclass AS name, pg_relation_filepath(c.oid) AS path, c.relkind "
            "FROM pg_class AS c WHERE c.relnamespace = to_regnamespace($1) "
            "AND c.relkind IN ('r', 'i') OR c.oid IN (SELECT reltoastrelid FROM pg_class "
            "WHERE relnamespace = to_regnamespace($1))",
            f'"{schema}"',
        )
        found = [(folder / row["path"]).read_bytes() for row in tables]
        for row in tables:
            if row["relkind"] == b"r" and "pg_toast" not in row["name"]:
                lines = await connection.fetch(f"SELECT t::text AS line FROM {row['name']} AS t")
                found += [line["line"].encode() for line in lines]
        return b"\n".join(found)
    finally:
        await connection.close()


def secrets_in(data):
    return [secret for secret in SECRETS if secret.encode() in data]


def test_nothing_of_a_user_is_left_anywhere(home, memory):
    ilka, oto = memory.scoped(user="ilka"), memory.scoped(user="oto")
    first = confide(ilka)
    kept = oto.remember("Oto keeps bees.").memory
    if home.store != "memory":
        assert set(secrets_in(stored_bytes(home))) == set(SECRETS)
    certificate = ilka.erase(reason="asked for by letter", actor="the clerk")
    assert certificate.complete
    assert first.id in certificate.ids
    assert secrets_in(stored_bytes(home)) == []
    every = {"include": ("superseded", "former", "archived")}
    assert everything_in(ilka, **every) == []
    assert ilka.count(**every) == 0
    assert ilka.recall("quokka 蓝鲸 blancmange", include=every["include"]).abstained
    assert ilka.graph.facts(subject="user") == []
    assert ilka.list(known_as_of="2031-03-10T09:00:00+00:00").items == ()
    with pytest.raises(NotFound):
        ilka.get(first.id)
    with pytest.raises(Conflict, match="cannot be restored"):
        ilka.restore(first.id)
    assert texts(oto.recall("bees")) == [kept.content]
    assert memory.verify(certificate, scope=Scope(user="ilka")).ok


def test_the_history_keeps_its_skeleton(ilka):
    first = confide(ilka)
    ilka.erase(first.id, reason="a slip", actor="Ilka")
    steps = ilka.history(first.id)
    assert [step.operation for step in steps] == ["created", "updated", "superseded", "erased"]
    assert [step.contents_removed for step in steps] == [True, True, True, False]
    assert {step.memory.content for step in steps} == {""}
    assert steps[1].actor == "the cook"
    assert (steps[-1].actor, steps[-1].reason) == ("Ilka", "a slip")


def test_only_what_was_asked_for_goes(home, ilka):
    first = confide(ilka)
    [successor] = ilka.list(filters={"memory.key": "blancmange"}).items
    ilka.erase(first.id)
    assert ilka.get(successor.id).content == "The blancmange is gone."
    data = stored_bytes(home)
    assert b"in the cellar" not in data
    assert b"in the attic" not in data
    assert ilka.verify().ok


def test_what_was_drawn_from_it_alone_goes_too(ilka):
    turns = [{"role": "user", "content": "I live in Oslo.", "id": str(n)} for n in range(2)]
    ilka.observe(turns[:1])
    [fact] = ilka.graph.facts(subject="user", predicate="lives_in")
    [turn] = ilka.list(filters={"memory.kind": "episodic"}).items
    certificate = ilka.erase(turn)
    assert set(certificate.ids) == {turn.id, fact.id}
    assert certificate.counts["derived"] == 1
    assert ilka.graph.facts(subject="user") == []


def test_a_fact_with_other_support_stays(ilka):
    ilka.observe([{"role": "user", "content": "I live in Oslo.", "id": "a"}])
    ilka.observe([{"role": "user", "content": "As I said, I live in Oslo.", "id": "b"}])
    [fact] = ilka.graph.facts(subject="user", predicate="lives_in")
    assert len(fact.provenance) == 2
    certificate = ilka.erase(fact.provenance[0])
    assert certificate.ids == (fact.provenance[0],)
    assert ilka.get(fact.id).provenance == fact.provenance[1:]
    ilka.erase(fact.provenance[1])
    assert ilka.graph.facts(subject="user") == []


def test_erasing_a_fact_leaves_what_was_said(ilka):
    ilka.observe([{"role": "user", "content": "I live in Oslo.", "id": "a"}])
    [fact] = ilka.graph.facts(subject="user", predicate="lives_in")
    assert ilka.erase(fact).ids == (fact.id,)
    assert texts(ilka.list(filters={"memory.kind": "episodic"})) == ["I live in Oslo."]


def test_a_session_is_erased_without_the_others(memory):
    ilka = memory.scoped(user="ilka")
    one, two = (ilka.scoped(session=name) for name in ("one", "two"))
    one.observe([{"role": "user", "content": "I live in Oslo."}])
    kept = two.remember("The door is green.").memory
    gone = one.erase()
    assert gone.counts["memories"] == 2
    assert ids(everything_in(ilka)) == [kept.id]


@decided_by_the_engine
def test_walls_hold(memory):
    ilka, oto = memory.scoped(user="ilka"), memory.scoped(user="oto")
    others = oto.remember("Oto keeps bees.").memory
    with pytest.raises(NotFound):
        ilka.erase(others.id)
    with pytest.raises(PermissionDenied):
        ilka.erase(scope=Scope(user="oto"))
    assert ilka.erase().ids == ()
    assert oto.get(others.id) == others


@decided_by_the_engine
def test_a_scope_must_be_named(memory):
    note = memory.remember("Of nobody in particular.").memory
    with pytest.raises(InvalidInput, match="names a user"):
        memory.erase()
    with pytest.raises(TypeError):
        memory.erase(everything=True)
    with pytest.raises(InvalidInput, match="no ids"):
        memory.erase([])
    assert memory.get(note.id) == note
    assert memory.erase(scope=Scope()).ids == (note.id,)


@decided_by_the_engine
def test_an_id_that_is_none_does_not_erase_the_scope(memory):
    note = memory.remember("Ilka's note.", scope=Scope(user="ilka")).memory
    with pytest.raises(InvalidInput, match="an id"):
        memory.scoped(user="ilka").erase(None)
    with pytest.raises(InvalidInput, match="twice"):
        memory.erase(Scope(user="ilka"), scope=Scope(user="ilka"))
    assert memory.erase(Scope(user="ilka")).ids == (note.id,)


@decided_by_the_engine
def test_an_unknown_id_erases_nothing(ilka):
    note = ilka.remember("The door is green.").memory
    with pytest.raises(NotFound):
        ilka.erase([note.id, "unknown"])
    assert ilka.get(note.id) == note


def test_a_legal_hold_is_respected(ilka):
    held = ilka.remember("The contract of 2029.", held=True).memory
    other = ilka.remember("The door is green.").memory
    for asked in ([held.id, other.id], Scope(user="ilka")):
        with pytest.raises(Conflict, match="legal hold"):
            ilka.erase(asked)
    assert {held.id, other.id} == set(ids(everything_in(ilka)))
    ilka.update(held.id, held=False)
    assert set(ilka.erase().ids) == {held.id, other.id}


def test_the_same_message_does_not_bring_it_back(ilka):
    confide(ilka)
    ilka.erase()
    observed = ilka.observe(TURNS)
    assert observed.memories == ()
    assert {decision.operation for decision in observed.decisions} == {"none"}
    assert everything_in(ilka) == []
    ilka.observe([{"role": "user", "content": "My favourite animal is the heron.", "id": "m2"}])
    assert everything_in(ilka) != []


def test_saying_it_again_on_purpose_stores_it(ilka):
    ilka.erase(ilka.remember("The blancmange is in the cellar.").memory)
    again = ilka.remember("The blancmange is in the cellar.")
    assert again.outcome is Outcome.STORED
    assert texts(ilka.recall("blancmange")) == ["The blancmange is in the cellar."]


@decided_by_the_engine
def test_a_key_that_was_used_is_not_used_again(ilka):
    ilka.erase(ilka.remember("The door is green.", idempotency_key="k").memory)
    with pytest.raises(Conflict, match="erased"):
        ilka.remember("The door is green.", idempotency_key="k")
    assert everything_in(ilka) == []


@pytest.mark.parametrize("on_conflict", ["skip", "replace", "error"])
def test_an_import_does_not_bring_it_back(ilka, tmp_path, on_conflict):
    confide(ilka)
    kept = ilka.remember("The door is green.").memory
    exported = ilka.export(tmp_path / "before.jsonl")
    ilka.erase([item for item in everything_in(ilka, include=("superseded", "former"))
                if item.id != kept.id])  # fmt: skip
    imported = ilka.import_(tmp_path / "before.jsonl", on_conflict)
    assert imported.added == 0
    assert imported.withheld + imported.skipped == exported.memories + exported.tombstones
    assert ids(everything_in(ilka)) == [kept.id]


def test_the_same_words_under_another_id_are_withheld(ilka, tmp_path):
    note = ilka.remember("The 薄荷糖 is blue.").memory
    ilka.export(tmp_path / "before.jsonl")
    ilka.erase(note)
    lines = (tmp_path / "before.jsonl").read_text("utf-8").replace(note.id, "another-id")
    (tmp_path / "other.jsonl").write_text(lines.replace("is blue", "IS  blue"), "utf-8")
    assert ilka.import_(tmp_path / "other.jsonl").withheld == 1
    assert everything_in(ilka) == []


def test_an_erased_memory_is_exported_as_a_tombstone(home, ilka, tmp_path):
    first = confide(ilka)
    ilka.erase()
    exported = ilka.export(tmp_path / "after.jsonl")
    assert exported.memories == 0
    assert secrets_in((tmp_path / "after.jsonl").read_bytes()) == []
    tombstones = [json.loads(line) for line in (tmp_path / "after.jsonl").read_text().splitlines()]
    assert first.id in {line.get("tombstone", {}).get("id") for line in tombstones}


def test_a_certificate_is_checked(memory):
    ilka = memory.scoped(user="ilka")
    note = ilka.remember("The door is green.").memory
    certificate = ilka.erase(note, reason="asked for")
    assert Certificate.from_json(certificate.to_json()) == certificate
    assert certificate.counts == {"memories": 1, "vectors": 1, "journal entries": 1}
    assert ilka.verify(certificate).ok
    for forged in (
        replace(certificate, reason="none"),
        replace(certificate, ids=()),
        replace(certificate, proof="00" * 32),
    ):
        [problem] = ilka.verify(forged).problems
        assert "altered" in problem.problem
    [problem] = memory.scoped(user="oto").verify(certificate).problems
    assert "another user" in problem.problem


@decided_by_the_engine
def test_what_is_no_certificate_is_refused(ilka):
    for text in ("", "{}", "[]", '{"perdure": "certificate", "format": 1}', "null"):
        with pytest.raises(InvalidInput, match="no certificate"):
            Certificate.from_json(text)
    with pytest.raises(InvalidInput, match="Certificate"):
        ilka.verify({"proof": ""})


@decided_by_the_engine
def test_erasing_twice_certifies_nothing_the_second_time(ilka):
    note = ilka.remember("The door is green.").memory
    ilka.erase(note)
    again = ilka.erase(note.id)
    assert (again.ids, again.counts) == ((), {})
    assert ilka.verify(again).ok


@decided_by_the_engine
def test_what_a_process_remembers_goes_too(ilka):
    ilka.context("s").append("user", "The quokka sleeps.")
    ilka.working("zoo").begin("Feed the quokka.")
    ilka.recall("quokka")
    certificate = ilka.erase()
    assert certificate.counts.get("tasks") == 1
    assert len(ilka.context("s").turns()) == 0
