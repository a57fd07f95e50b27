"""What another process does with a store: `python -m tests.acceptance.worker JOB URL …`.

It prints `ready` when the store is open, waits for a line, then does its job. What it prints
during the job is flushed line by line, after the call that it tells of has returned.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Lock

import perdure
from perdure import MemoryManager
from perdure.testing import HashingEmbedder

BATCH = 5
_printing = Lock()


def say(*words: object) -> None:
    """One whole line, at once."""
    line = " ".join(map(str, words)) + "\n"
    with _printing:
        sys.stdout.write(line)
        sys.stdout.flush()


def add_one(memory: MemoryManager, words: str, _number: str) -> None:
    """Remember one statement."""
    say(memory.remember(words).memory.id)


def add_many(memory: MemoryManager, amount: str, number: str) -> None:
    """Remember statements of its own, one call each."""
    for position in range(int(amount)):
        say(memory.remember(f"Parcel {number}-{position} is on the belt").memory.id)


def observe_talk(memory: MemoryManager, amount: str, number: str) -> None:
    """Observe messages of its own, and one that every other process observes too."""
    for position in range(int(amount)):
        words = f"Pallet {number}-{position} is in bay {position}."
        memory.observe([{"role": "user", "content": words, "id": f"{number}-{position}"}])
        memory.observe([{"role": "user", "content": "I live in Lund.", "id": "shared"}])
    say("done")


def consolidate(memory: MemoryManager, limit: str, _number: str) -> None:
    """Consolidate a few memories at a time, until there is nothing left for anybody."""
    while True:
        plan = memory.consolidate(everything=True, limit=int(limit))
        say("steps", len(plan.actions))
        if not plan.actions and not plan.notes:
            return


def traffic(memory: MemoryManager, amount: str, number: str) -> None:
    """Adds, updates, recalls and histories in two threads."""

    def run(thread: int) -> None:
        for position in range(int(amount)):
            note = memory.remember(f"Crate p{number}t{thread}n{position} stands in bay one").memory
            memory.update(note.id, content=f"Crate p{number}t{thread}n{position} stands in bay two")
            memory.recall(f"p{number}t{thread}n{position}", limit=3)
            assert len(memory.history(note.id)) == 2
            say(note.id)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, range(2)))


def write_until_killed(memory: MemoryManager, seed: str) -> None:
    """Every kind of write from several threads; each acknowledged one is told of in a line.

    `add ID WORD`, `update ID WORD`, `supersede OLD NEW WORD`, `forget ID`, `batch ID,ID,… WORD`,
    `slot KEY ID WORD`. WORD stands in the content and nowhere else. Before a call that changes or
    hides something, `try-…` tells what it is about to do.
    """

    def run(thread: int) -> None:
        chance = random.Random(f"{seed}/{thread}")
        mine: list[str] = []
        for step in count():
            word = f"w{seed}x{thread}x{step}"
            act = chance.choice(["add", "add", "batch", "slot", "update", "supersede", "forget"])
            if act in ("update", "supersede", "forget") and not mine:
                act = "add"
            _write(memory, act, word, mine, chance, key=f"slot-{seed}-{thread}")

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(run, range(3)))


def _write(
    memory: MemoryManager, act: str, word: str, mine: list[str], chance: random.Random, *, key: str
) -> None:
    match act:
        case "add":
            mine.append(memory.remember(f"The {word} jar is on the shelf").memory.id)
            say("add", mine[-1], word)
        case "batch":
            made = memory.remember_many(
                [{"content": f"Part {part} of the {word} set"} for part in range(BATCH)]
            )
            mine.extend(item.memory.id for item in made)
            say("batch", ",".join(item.memory.id for item in made), word)
        case "slot":
            say("slot", key, memory.remember(f"The {word} key fits", key=key).memory.id, word)
        case "update":
            chosen = chance.choice(mine)
            say("try-update", chosen, word)
            memory.update(chosen, content=f"The {word} jar was moved")
            say("update", chosen, word)
        case "supersede":
            chosen = mine.pop(chance.randrange(len(mine)))
            say("try-supersede", chosen, word)
            new = memory.correct(chosen, f"The {word} jar took its place").memory.id
            mine.append(new)
            say("supersede", chosen, new, word)
        case "forget":
            chosen = mine.pop(chance.randrange(len(mine)))
            say("try-forget", chosen)
            memory.forget(chosen)
            say("forget", chosen)


JOBS: dict[str, Callable[..., None]] = {
    job.__name__: job
    for job in (add_one, add_many, observe_talk, consolidate, traffic, write_until_killed)
}


def main() -> None:
    job, url, *arguments = sys.argv[1:]
    with perdure.open(url, embedder=HashingEmbedder()) as memory:
        say("ready")
        sys.stdin.readline()
        JOBS[job](memory, *arguments)


if __name__ == "__main__":
    main()
