"""The turns that are held in the process, session by session. Nothing here waits for anything."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from perdure.domain.context.formats import Format
from perdure.domain.context.registry import FORMATS
from perdure.domain.context.turns import ContextTurn, words_of
from perdure.domain.context.window import Piece
from perdure.domain.scope import Scope
from perdure.engine.context_entries import Departed, Entry, Told
from perdure.errors import Conflict

MOST_DEPARTED = 10_000
"""How many turns that left a session's ring are still known there; their words are in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A session as it was at one moment: its turns, and what each piece of a window is.

    `heads` are the first turns of the pieces that can be shown; `beyond` is how many turns are
    known by number only.
    """

    entries: Sequence[Entry]
    heads: Sequence[Entry]
    pieces: Sequence[Piece]
    departed: Sequence[Departed]
    beyond: int


@dataclass(slots=True)
class Session:
    """The turns of one session. Its lock is never held while something is waited for."""

    scope: Scope
    capacity: int
    lock: Lock = field(default_factory=Lock)
    is_dropped: bool = False
    entries: OrderedDict[str, Entry] = field(default_factory=OrderedDict)
    unstored: OrderedDict[str, Entry] = field(default_factory=OrderedDict)
    departed: OrderedDict[str, Departed] = field(default_factory=OrderedDict)
    long_gone: int = 0
    calls: dict[str, Entry] = field(default_factory=dict)
    told: Told | None = None
    ask_again_from: int = 0
    refusal: str = ""
    _count: int = 0
    _tokens: int = 0

    def known(self, turn: ContextTurn) -> Entry | None:
        """The same turn, if it is here already; `Conflict` when another has its id."""
        entry = self.entries.get(turn.id)
        if entry is None:
            return None
        mine = entry.turn
        if (mine.role, mine.name, words_of(mine)) != (turn.role, turn.name, words_of(turn)):
            raise Conflict(
                f"turn id {turn.id!r} was appended before with other words; "
                "give the changed turn an id of its own"
            )
        return entry

    def due(self, arriving: Entry, max_tokens: int) -> list[Entry]:
        """What must be in the store before a turn arrives.

        That are those it pushes out of the ring, and those behind which newer turns alone fill the
        budget, so that no later window shows them but for being pinned or important.
        """
        newer = self._tokens + arriving.size
        due: dict[str, Entry] = {}
        for entry in self.unstored.values():
            if newer - entry.tokens_up_to < max_tokens:
                break
            due[entry.id] = entry
        for entry in self._leaving():
            if not entry.is_stored:
                due[entry.id] = entry
        return list(due.values())

    def _leaving(self) -> list[Entry]:
        """What must go for one more turn to find room: the oldest pieces, each as a whole."""
        surplus = len(self.entries) + 1 - self.capacity
        leaving: dict[str, Entry] = {}
        for entry in self.entries.values():
            if len(leaving) >= surplus:
                break
            for member in (entry.call or entry).members:
                leaving[member.id] = member
        return list(leaving.values())

    def take(self, entry: Entry) -> None:
        """Add a turn as the newest; the oldest, which are stored, make room."""
        for old in self._leaving():
            self._depart(old)
        self._count += 1
        self._tokens += entry.size
        entry.number, entry.tokens_up_to = self._count, self._tokens
        self.entries[entry.id] = entry
        if not entry.is_stored:
            self.unstored[entry.id] = entry
        if entry.turn.answers is not None:
            call = self.calls.get(entry.turn.answers)
            if call is not None and entry.turn.answers not in call.answered:
                call.take_result(entry)
        for wanted in entry.turn.calls:
            self.calls[wanted.id] = entry
        head = entry.call or entry
        if len(head.answered) == len(head.turn.calls):
            for form in FORMATS.values():
                head.piece(form)  # so that the first window of a long session is not slow

    def _depart(self, entry: Entry) -> None:
        del self.entries[entry.id]
        for call in entry.turn.calls:
            if self.calls.get(call.id) is entry:
                del self.calls[call.id]
        self.departed[entry.id] = Departed(
            id=entry.id,
            number=entry.number,
            scope=self.scope,
            who=entry.turn.name or entry.turn.role,
            salience=entry.salience,
            memory_ids=entry.memory_ids or (),
        )
        if len(self.departed) > MOST_DEPARTED:
            self.departed.popitem(last=False)
            self.long_gone += 1

    def stored(self, entry: Entry, memory_ids: tuple[str, ...]) -> None:
        """Note where a turn's words are kept."""
        entry.memory_ids = memory_ids
        self.unstored.pop(entry.id, None)

    def seen(self, form: Format) -> Seen:
        """What there is now, weighed for a format."""
        entries = list(self.entries.values())
        heads = [entry for entry in entries if entry.call is None]
        pieces = [entry.pieces.get(form.name) or entry.piece(form) for entry in heads]
        if not all(piece.tokens for piece in pieces):
            # A call without results and words, or a result without its call, cannot be shown.
            heads = [head for head, piece in zip(heads, pieces, strict=True) if piece.tokens]
            pieces = [piece for piece in pieces if piece.tokens]
        return Seen(
            entries=entries,
            heads=heads,
            pieces=pieces,
            departed=list(self.departed.values()),
            beyond=self.long_gone,
        )
