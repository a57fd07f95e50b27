"""What was acknowledged: a dictionary that knows what the memory must still have.

It understands nothing of facts, slots or ranking. It only remembers what callers were told, and
what they asked to be taken away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from perdure.domain.records import Memory, State
from perdure.domain.summaries import is_summary
from perdure.testing.simulator.words import tokens_in, tokens_of, wall_of

Walls = tuple[str, str]


class Fate(StrEnum):
    """What became of a memory, as far as its owner knows."""

    HELD = "held"
    FORGOTTEN = "forgotten"
    ERASED = "erased"


@dataclass(slots=True)
class Known:
    """One memory that somebody was told of.

    `words` are those it has; `may_say` others that it has if a call that failed took effect, or
    that an import brought back; `said` all it ever had. `fates` holds one, or, after a call that
    failed, each that is possible. `is_touched` says that its words or its validity changed since,
    so that what was drawn from it need not stand any more.
    """

    memory: Memory
    words: str
    said: set[str]
    may_say: set[str] = field(default_factory=set)
    fates: set[Fate] = field(default_factory=lambda: {Fate.HELD})
    is_touched: bool = False

    @property
    def is_held(self) -> bool:
        """Whether it must be there."""
        return self.fates == {Fate.HELD}

    @property
    def is_erased(self) -> bool:
        """Whether it must be gone for good."""
        return self.fates == {Fate.ERASED}

    def becomes(self, fate: Fate) -> None:
        """What happened, for certain."""
        if not (fate is Fate.FORGOTTEN and self.is_erased):
            self.fates = {fate}

    def is_seen(self, memory: Memory) -> None:
        """It was read: that settles what was uncertain."""
        if memory.content and memory.state is not State.COMPRESSED:
            if memory.content in self.may_say:
                self.words = memory.content
            self.may_say.clear()
        if memory.superseded_by is not None or memory.content != self.memory.content:
            self.is_touched = True
        self.fates = {Fate.HELD}
        self.memory = memory

    def is_missing(self) -> None:
        """It was looked for and not there."""
        self.fates.discard(Fate.HELD)

    def says(self, words: str) -> None:
        """It has new words, for certain."""
        self.words = words
        self.said.add(words)
        self.is_touched = True


@dataclass(slots=True)
class Intent:
    """What a call is about to do, for the case that nobody learns whether it did.

    `says` are texts that may be stored, `rewords` new words of memories, `fates` what may become of
    which.
    """

    says: list[str] = field(default_factory=list)
    rewords: dict[str, str] = field(default_factory=dict)
    fates: dict[str, Fate] = field(default_factory=dict)


class Model:
    """Everything that was acknowledged, by id."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}
        self.pending: list[str] = []
        """Texts that calls were given: all or part of them may be there, until the next look."""
        self.turns: list[str] = []
        """Turns of conversations that may be stored at any time, as closing does."""

    def __iter__(self) -> Iterator[Known]:
        return iter(self.known.values())

    def of(self, walls: Walls) -> list[Known]:
        """What one user has, had and lost, oldest first."""
        return [item for item in self if item.memory.scope.walls == walls]

    def held(self, walls: Walls) -> list[Known]:
        """What one user must have."""
        return [item for item in self.of(walls) if item.is_held]

    def acknowledge(self, memory: Memory) -> None:
        """A call answered that this memory is stored."""
        known = self.known.get(memory.id)
        if known is None:
            self.known[memory.id] = Known(
                memory=memory, words=memory.content, said={memory.content}
            )
        else:
            known.is_seen(memory)

    def loses(self, ids: Iterable[str], fate: Fate) -> None:
        """A call answered that these are gone."""
        for memory_id in ids:
            if memory_id in self.known:
                self.known[memory_id].becomes(fate)

    def is_uncertain(self, intent: Intent) -> None:
        """A call failed: what it meant to do may have been done."""
        for memory_id, words in intent.rewords.items():
            known = self.known[memory_id]
            known.may_say.add(words)
            known.said.add(words)
        for memory_id, fate in intent.fates.items():
            for lost in (memory_id, *self.drawn_from({memory_id})):
                known = self.known[lost]
                if not known.is_erased:
                    known.fates.add(fate)

    def drawn_from(self, ids: Collection[str]) -> set[str]:
        """Everything that has one of these among what it rests on, directly or not."""
        found: set[str] = set()
        edge = set(ids)
        while edge:
            edge = (
                {item.memory.id for item in self if edge.intersection(item.memory.provenance)}
                - found
                - set(ids)
            )
            found |= edge
        return found

    def may_be_gone(self, known: Known) -> bool:
        """Whether a memory that is not there need not be there.

        Summaries come and go with what they tell; a fact goes when what it was drawn from goes or
        says something else.
        """
        if not known.is_held or is_summary(known.memory):
            return True
        sources = [self.known.get(source) for source in known.memory.provenance]
        return any(source is None or source.is_touched or not source.is_held for source in sources)

    def may_appear(self, memory: Memory) -> bool:
        """Whether a memory that nobody was told of may be there: what was drawn from others, or
        the words of a call that failed."""
        return bool(memory.provenance) or any(
            memory.content in text for text in (*self.pending, *self.turns)
        )

    def drop_turns(self, wall: int) -> None:
        """Everything of a user was erased: what was not stored yet must not be stored any more."""
        self.turns = [turn for turn in self.turns if wall not in map(wall_of, tokens_in(turn))]

    def erased_tokens(self) -> set[str]:
        """The tokens that nothing may hold any more."""
        gone = tokens_of(text for item in self if item.is_erased for text in item.said)
        left = tokens_of(text for item in self if not item.is_erased for text in item.said)
        return gone - left
