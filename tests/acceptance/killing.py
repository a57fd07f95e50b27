"""Kills writers at random moments and looks at what they leave: `python -m … URL ROUNDS SEED`.

Each round forks a child that writes from three threads and tells of every call: before it begins
and after it has returned. The child is killed without warning; then the file is opened, and
everything that was acknowledged must be there, whole. A program of its own, because a child must
be forked from a process without threads. Prints one JSON line with what it saw.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import perdure
from perdure import MemoryManager, NotFound
from perdure.testing import HashingEmbedder
from tests.acceptance.worker import BATCH, write_until_killed

MAX_LINES = 120
MAX_DELAY_S = 0.03


def opened(url: str) -> MemoryManager:
    return perdure.open(url, embedder=HashingEmbedder(64))


def child(url: str, user: str, telling: int) -> None:
    """Write until killed; every line goes to the pipe."""
    os.dup2(telling, 1)
    with opened(url) as memory:
        write_until_killed(memory.scoped(user=user), user)


def told_until_killed(url: str, user: str, chance: random.Random) -> list[str]:
    """The whole lines of a child that was killed after a random number of them."""
    reading, telling = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            child(url, user, telling)
        finally:
            os._exit(1)
    os.close(telling)
    wanted, heard = chance.randint(1, MAX_LINES), b""
    while heard.count(b"\n") < wanted:
        piece = os.read(reading, 65_536)
        if not piece:
            raise AssertionError("the writer ended by itself")
        heard += piece
    # A random moment after that: most often in the middle of a call.
    select.select([], [], [], chance.uniform(0, MAX_DELAY_S))
    os.kill(pid, signal.SIGKILL)
    while piece := os.read(reading, 65_536):
        heard += piece
    os.close(reading)
    os.waitpid(pid, 0)
    return heard.decode().split("\n")[:-1]


@dataclass
class Expected:
    """What must be there after the lines of one round."""

    words: dict[str, str] = field(default_factory=dict)  # id -> the word in its content
    superseded: dict[str, str] = field(default_factory=dict)  # old id -> new id
    forgotten: set[str] = field(default_factory=set)
    batches: set[str] = field(default_factory=set)  # the words of whole batches
    slots: dict[str, list[str]] = field(default_factory=dict)  # key -> ids in order
    begun: dict[str, list[str]] = field(default_factory=dict)  # id -> the act that was under way
    acknowledged: int = 0

    def hear(self, line: str) -> None:
        act, *rest = line.split(" ")
        if act.startswith("try-"):
            self.begun[rest[0]] = [act.removeprefix("try-"), *rest[1:]]
            return
        self.acknowledged += 1
        match act, rest:
            case "add", [memory_id, word]:
                self.words[memory_id] = word
            case "batch", [ids, word]:
                self.batches.add(word)
                self.words.update(dict.fromkeys(ids.split(","), word))
            case "slot", [key, memory_id, word]:
                self.slots.setdefault(key, []).append(memory_id)
                self.words[memory_id] = word
            case "update", [memory_id, word]:
                self.words[memory_id] = word
                del self.begun[memory_id]
            case "supersede", [old, new, word]:
                self.superseded[old] = new
                self.words[new] = word
                del self.begun[old]
            case "forget", [memory_id]:
                self.forgotten.add(memory_id)
                del self.begun[memory_id]


def problems(memory: MemoryManager, expected: Expected) -> Iterator[str]:
    """Everything that is not as it must be."""
    for memory_id, word in expected.words.items():
        yield from _of_one(memory, expected, memory_id, word)
    for key, ids in expected.slots.items():
        current = memory.list(filters={"memory.key": key}).items
        if len(current) != 1:
            yield f"slot {key} has {len(current)} current values"
        elif current[0].id not in ids[-1:] and current[0].id in expected.words:
            yield f"slot {key} went back to an earlier value"
    parts: dict[str, int] = {}
    for item in memory.list(limit=100_000, include=("superseded", "former")):
        word = item.content.split(" ")[-2] if item.content.startswith("Part ") else None
        if word is not None and word not in expected.batches:
            parts[word] = parts.get(word, 0) + 1
    yield from (f"{n} parts of batch {word}" for word, n in parts.items() if n != BATCH)


def _of_one(memory: MemoryManager, expected: Expected, memory_id: str, word: str) -> Iterator[str]:
    under_way = expected.begun.get(memory_id, [""])
    try:
        found = memory.get(memory_id)
    except NotFound:
        if memory_id not in expected.forgotten and under_way[0] != "forget":
            yield f"{memory_id} is lost"
        return
    if memory_id in expected.forgotten:
        yield f"{memory_id} came back"
        return
    words = {word, *(under_way[1:] if under_way[0] == "update" else [])}
    its_own = words.intersection(found.content.split(" "))
    if not its_own:
        yield f"{memory_id} says something else"
    steps = [step.memory for step in memory.history(memory_id) if step.memory.id == memory_id]
    if (steps[-1].content, steps[-1].version) != (found.content, found.version):
        yield f"{memory_id} and its history differ"
    yield from _succession(memory, expected, found, under_way)
    if found.superseded_by is None:
        hits = memory.recall(" ".join(its_own) or word, limit=1_000)
        mine = [hit for hit in hits if hit.memory.id == memory_id]
        if not mine:
            yield f"{memory_id} is there but not found"
        elif "vector" not in mine[0].explanation.arms:
            yield f"{memory_id} has lost its vector"


def _succession(
    memory: MemoryManager, expected: Expected, found: perdure.Memory, under_way: list[str]
) -> Iterator[str]:
    if found.key is not None:
        return
    successor = expected.superseded.get(found.id)
    if successor is not None and found.superseded_by != successor:
        yield f"the correction of {found.id} was lost"
    if found.superseded_by is None:
        return
    if successor is None and under_way[0] != "supersede":
        yield f"{found.id} was superseded by nobody's wish"
    try:
        new = memory.get(found.superseded_by)
    except NotFound:
        if (
            found.superseded_by not in expected.forgotten
            and found.superseded_by not in expected.begun
        ):
            yield f"the successor of {found.id} is missing"
        return
    if found.id not in new.supersedes:
        yield f"the successor of {found.id} does not know it"


def main() -> None:
    url, rounds, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    chance = random.Random(seed)
    seen, wrong = 0, []
    acts: dict[str, int] = {}
    for number in range(rounds):
        user = f"round{number}"
        lines = told_until_killed(url, user, chance)
        expected = Expected()
        for line in lines:
            expected.hear(line)
            acts[line.split(" ")[0]] = acts.get(line.split(" ")[0], 0) + 1
        seen += expected.acknowledged
        with opened(url) as memory:
            wrong += [
                f"round {number}: {it}" for it in problems(memory.scoped(user=user), expected)
            ]
    with opened(url) as memory:
        wrong += [f"{it.place}: {it.problem}" for it in memory.verify(repair=False).problems]
    report = {"rounds": rounds, "acknowledged": seen, "acts": acts, "wrong": wrong[:20]}
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
