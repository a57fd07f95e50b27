"""The journal is enough: from it and the configuration come the same store and the same rankings."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta

import perdure
from perdure.domain.changes import Change, ChangeSet, Operation, Vectors
from perdure.domain.codec import encode
from perdure.domain.journal import canonical
from perdure.domain.replay import replay
from perdure.stores.sqlite.options import SqliteOptions
from perdure.stores.sqlite.store import SqliteStore
from perdure.testing import FakeClock, HashingEmbedder
from tests.acceptance.home import START

QUESTIONS = (
    "Where does Ilka live?", "what does she drink", "的工作是什么", "Bergen", "the coffee",
)  # fmt: skip
TALK = (
    "I live in Turku.", "My sister plays the cello.", "我在一家书店工作。", "I moved to Bergen in May.",
    "I drink coffee with oat milk.", "Actually, no milk any more.", "Forget what I said about my sister.",
    "我换工作了，现在在图书馆上班。", "This week I am in Oslo.",
)  # fmt: skip
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def live(memory, clock):
    """A life of changes of every kind."""
    for words in TALK:
        memory.observe([{"role": "user", "content": words, "time": clock.now()}])
        clock.advance(timedelta(days=3))
    note = memory.remember("The spare key is under the pot.", importance=0.9).memory
    memory.update(note.id, metadata={"room": "porch"})
    memory.correct(note.id, "The spare key is with Noor.")
    memory.remember("Ilka's desk is on floor 2.", key="desk", valid_from="2031-01-01")
    memory.remember("Ilka's desk is on floor 4.", key="desk")
    gone = memory.remember("Ilka hates lifts.").memory
    memory.forget(gone.id)
    memory.restore(gone.id)
    memory.forget(gone.id)
    for question in QUESTIONS:
        for hit in memory.recall(question, limit=2):
            memory.feedback(hit.memory.id)


def rankings(memory):
    """Every answer to the last bit: ids, scores, marks, and how each score came about."""
    return [
        [(hit.memory.id, hit.score.hex(), hit.status, canonical(components(hit))) for hit in found]
        for question in QUESTIONS
        for found in (memory.recall(question), memory.recall(question, include="former"))
    ]


def components(hit):
    explained = hit.explanation
    return {
        "config": explained.config_hash,
        **{
            name: [float(part).hex() for part in pair]
            for name, pair in explained.components.items()
        },
    }


def test_the_journal_holds_the_whole_store(home):
    memory = home.open().scoped(user="ilka")
    live(memory, home.clock)
    memory.recall(QUESTIONS[0])
    ids = {entry.memory_id for entry in memory.changes()}
    memory.remember("One more, so that recalls are written.")
    everything = {"superseded", "former", "archived", "expired"}
    rebuilt = replay(entry for entry in memory.changes() if entry.memory_id in ids)
    assert rebuilt.keys() == ids
    shown = {item.id: item for item in memory.list(limit=1_000, include=everything).items}
    assert len(shown) > 10
    for memory_id, item in rebuilt.items():
        if memory_id in shown:
            stored = shown[memory_id]
            assert canonical(without_recalls(item)) == canonical(without_recalls(stored))
        else:
            assert item.state == "forgotten"


def without_recalls(memory):
    """What is believed: recalls that are not written yet show in a listing, not in the journal."""
    document = encode(memory)
    document.pop("accessed_count", None)
    document.pop("last_accessed_at", None)
    return document


def test_a_store_rebuilt_from_the_journal_ranks_the_same_to_the_last_bit(tmp_path):
    clock, embedder = FakeClock(START), HashingEmbedder()
    with perdure.open(tmp_path / "lived.db", embedder=embedder, clock=clock) as memory:
        live(memory.scoped(user="ilka"), clock)
    with perdure.open(tmp_path / "lived.db", embedder=embedder, clock=clock) as memory:
        ilka = memory.scoped(user="ilka")
        rebuild(tmp_path / "rebuilt.db", replay(ilka.changes()), embedder)
        wanted = rankings(ilka)
    with perdure.open(tmp_path / "rebuilt.db", embedder=embedder, clock=clock) as memory:
        found = rankings(memory.scoped(user="ilka"))
    assert found == wanted
    assert sum(map(len, wanted)) > 10


def rebuild(path, memories, embedder):
    """A file that holds the memories of a journal, and vectors by the embedder."""

    async def write():
        store = SqliteStore.open(SqliteOptions(path=path))
        kept = list(memories.values())
        rows = await embedder.embed([item.searchable_text for item in kept], purpose="document")
        changes = tuple(
            Change(
                operation=Operation.IMPORTED,
                after=item,
                vectors=Vectors(model=embedder.model.identity, rows=row[None, :]),
            )
            for item, row in zip(kept, rows, strict=True)
        )
        await store.apply(ChangeSet(changes=changes, at=FakeClock(START).now()))
        await store.close()

    asyncio.run(write())


def test_the_same_conversation_is_decided_the_same_again(tmp_path):
    def journal(name):
        clock = FakeClock(START)
        with perdure.open(tmp_path / name, embedder=HashingEmbedder(), clock=clock) as memory:
            ilka = memory.scoped(user="ilka")
            live(ilka, clock)
            return anonymous(
                [
                    (entry.operation, entry.memory_id, entry.version, entry.reason, entry.at,
                     entry.config_hash, canonical(dict(entry.change)))
                    for entry in ilka.changes()
                ]
            )  # fmt: skip

    assert journal("once.db") == journal("again.db")


def anonymous(entries):
    """The entries with ids, which are drawn at random, replaced by the order of their appearance."""
    numbers = {}

    def number(match):
        return numbers.setdefault(match.group(), f"<{len(numbers)}>")

    return [ID.sub(number, repr(entry)) for entry in entries]
