"""What is held about one turn of a session: in the ring, after it left, and once it was told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from perdure.domain.context.formats import Format, TurnTokens
from perdure.domain.context.salience import salience_of
from perdure.domain.context.shrinking import Counted, cost_of, texts_tokens
from perdure.domain.context.summary import Line, SourceTurn
from perdure.domain.context.turns import ContextTurn
from perdure.domain.context.window import Piece
from perdure.domain.scope import Scope


class Entry:
    """A turn in a session's ring, with what is worked out about it once."""

    __slots__ = (
        "answered", "call", "id", "memory_ids", "number", "pieces", "results", "salience", "shown",
        "shrunk", "size", "source", "tokens", "tokens_up_to", "turn",
    )  # fmt: skip

    def __init__(self, turn: ContextTurn, tokens: TurnTokens) -> None:
        self.id = turn.id
        self.turn = turn
        self.tokens = tokens
        self.salience = salience_of(turn)
        self.size = texts_tokens(tokens)
        self.number = 0
        self.tokens_up_to = 0
        self.memory_ids: tuple[str, ...] | None = None
        """The memories that keep its words; None while it is in the process alone."""
        self.call: Entry | None = None
        self.results: list[Entry] = []
        self.answered: set[str] = set()
        self.shown: tuple[Counted, ...] | None = None
        self.pieces: dict[str, Piece] = {}
        self.source: SourceTurn | None = None
        self.shrunk: tuple[str, int, tuple[Counted, ...] | None] | None = None

    @property
    def is_stored(self) -> bool:
        """Whether its words are in the store."""
        return self.memory_ids is not None

    @property
    def members(self) -> list[Entry]:
        """The turns that stay and go with this one."""
        return [self, *self.results]

    def take_result(self, result: Entry) -> None:
        """A tool's answer to one of the calls."""
        result.call = self
        self.results.append(result)
        self.answered.add(result.turn.answers or "")
        self.changed()

    def weigh(self, *, pinned: bool | None, importance: float | None) -> ContextTurn:
        """Give the turn another weight; None leaves it as it is."""
        turn = self.turn
        self.turn = replace(
            turn,
            pinned=turn.pinned if pinned is None else pinned,
            importance=turn.importance if importance is None else importance,
        )
        self.salience = salience_of(self.turn)
        self.changed()
        if self.call is not None:
            self.call.changed()
        return self.turn

    def changed(self) -> None:
        """Forget what was worked out, because the piece has another turn or another weight."""
        self.shown, self.shrunk, self.source = None, None, None
        self.pieces.clear()

    def as_shown(self) -> tuple[Counted, ...]:
        """The turns of the piece. A call without a result is left out: no service takes one.

        Empty when there is nothing to show yet.
        """
        if self.shown is None:
            is_plain = not self.turn.calls and self.turn.answers is None
            self.shown = ((self.turn, self.tokens),) if is_plain else tuple(self._shown())
        return self.shown

    def _shown(self) -> Iterator[Counted]:
        turn, tokens = self.turn, self.tokens
        if turn.answers is not None and self.call is None:
            return  # the call it answers is not in the ring
        if len(self.answered) < len(turn.calls):
            kept = [at for at, call in enumerate(turn.calls) if call.id in self.answered]
            turn = replace(turn, calls=tuple(turn.calls[at] for at in kept))
            tokens = replace(tokens, calls=tuple(tokens.calls[at] for at in kept))
            if not turn.calls and not turn.content:
                return
        yield turn, tokens
        for result in self.results:
            yield result.turn, result.tokens

    def piece(self, form: Format) -> Piece:
        """Its weight in a window of this format."""
        piece = self.pieces.get(form.name)
        if piece is None:
            piece = self.pieces[form.name] = self._piece(form)
        return piece

    def _piece(self, form: Format) -> Piece:
        tokens = cost_of(self.as_shown(), form)
        if not self.results:
            return Piece(tokens, self.number, self.turn.importance, self.turn.pinned)
        turns = [entry.turn for entry in self.members]
        return Piece(
            tokens=tokens,
            last=max(entry.number for entry in self.members),
            importance=max(turn.importance for turn in turns),
            pinned=any(turn.pinned for turn in turns),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Departed:
    """A turn that left the ring; its words are in the store."""

    id: str
    number: int
    scope: Scope
    who: str
    salience: float
    memory_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a language model made of the turns left out at one time.

    `considered` are all that were left out then, `read` those the model was shown.
    """

    lines: tuple[Line, ...]
    considered: frozenset[str]
    read: frozenset[str]
