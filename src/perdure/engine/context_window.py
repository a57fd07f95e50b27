"""The window for the next model call, within its budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.domain.context.formats import Format, Written
from perdure.domain.context.registry import FORMATS
from perdure.domain.context.results import Window
from perdure.domain.context.shrinking import (
    Counted,
    Shortened,
    cost_of,
    shortened_in,
    shrunk,
)
from perdure.domain.context.summary import Summary
from perdure.domain.context.window import choose
from perdure.domain.text import shown
from perdure.engine.context_entries import Entry
from perdure.engine.context_state import Seen, Session
from perdure.engine.context_summing import LeftOut, summarise
from perdure.engine.core import Core
from perdure.errors import InvalidInput
from perdure.ports.token_counter import identity_of

LEAST_SUMMARY_TOKENS = 96
"""Less holds no sentence; small windows give it, but never more than a third of themselves."""


def format_named(name: object) -> Format:
    """The format of that name."""
    form = FORMATS.get(name) if isinstance(name, str) else None
    if form is None:
        raise InvalidInput(f"format must be one of {', '.join(FORMATS)}, not {shown(name)}")
    return form


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fitted:
    """The pieces that are shown, as they are shown, and what they cost."""

    pieces: Sequence[Sequence[Counted]]
    shortened: tuple[Shortened, ...]
    shown: tuple[str, ...]
    cost: int


async def window(
    core: Core, session: Session, *, form: Format, max_tokens: int, system: str
) -> Window:
    """The turns that stay, the summary of the others, and what all of it costs.

    `InvalidInput` when `system` alone exceeds the budget or, where oversized turns are refused,
    the newest turn does.
    """
    instructions = form.aside_cost(core.count_tokens(system)) if system else 0
    if system and form.base_cost(core.count_tokens) + instructions > max_tokens:
        raise InvalidInput(
            f"system has {instructions:,} tokens, and the whole window may have {max_tokens:,}; "
            "shorten it or raise max_tokens"
        )
    with session.lock:
        seen = session.seen(form)
    return await _Building(core, session, seen, form, max_tokens, system, instructions).build()


@dataclass(slots=True)
class _Building:
    core: Core
    session: Session
    seen: Seen
    form: Format
    max_tokens: int
    system: str
    instructions: int

    async def build(self) -> Window:
        """As `window` says."""
        kept_back = 0
        while True:
            window, excess = await self._attempt(kept_back)
            if excess <= 0:
                return window
            # The joined text counts for more than its parts: the same with that much less room.
            kept_back += excess

    async def _attempt(self, kept_back: int) -> tuple[Window, int]:
        base = self.form.base_cost(self.core.count_tokens) + self.instructions
        budget = self.max_tokens - base - kept_back
        reserve = 0 if self._is_all_shown(budget) else self._reserve(budget)
        fitted, left_out = self._fit(budget - reserve)
        summary, summary_cost = None, 0
        if reserve:
            summary = await self._summary(left_out, reserve)
            if summary is None:
                fitted, left_out = self._fit(budget)
            else:
                summary_cost = self.form.aside_cost(self.core.count_tokens(summary.text))
        self._require_newest(fitted)
        if not (fitted.pieces or summary or self.system):
            return self._window(Written(), fitted, left_out, None, 0), 0
        written = self.form.write(
            self.system,
            "" if summary is None else summary.text,
            [[turn for turn, _ in piece] for piece in fitted.pieces],
        )
        tokens = base + fitted.cost + summary_cost
        excess = self._excess(written, fitted, summary_cost)
        return self._window(written, fitted, left_out, summary, tokens), excess

    def _is_all_shown(self, budget: int) -> bool:
        """Whether nothing is left to be told: every turn fits."""
        seen = self.seen
        if seen.departed or seen.beyond or sum(piece.tokens for piece in seen.pieces) > budget:
            return False
        return sum(len(entry.as_shown()) for entry in seen.heads) == len(seen.entries)

    def _reserve(self, budget: int) -> int:
        """The room a summary may take."""
        share = self.core.settings.context_summary_share
        if share == 0:
            return 0
        least = min(LEAST_SUMMARY_TOKENS, budget // 3)
        return min(max(int(self.max_tokens * share), least), budget)

    def _fit(self, budget: int) -> tuple[_Fitted, LeftOut]:
        """What is shown in so many tokens, and what is not."""
        settings, pieces = self.core.settings, self.seen.pieces
        choice = choose(
            pieces,
            budget=max(budget, 0),
            important_from=settings.context_importance,
            may_shrink=settings.context_oversized == "shorten",
        )
        shown_pieces: list[Sequence[Counted]] = []
        shortened: list[Shortened] = []
        cost = 0
        for at in choice.kept:
            entry, piece = self.seen.heads[at], pieces[at]
            whole = entry.as_shown()
            limit = choice.limits.get(at)
            if limit is None:
                shown_pieces.append(whole)
                cost += piece.tokens
                continue
            smaller = self._shrunk(entry, whole, limit)
            if smaller is not None:
                shown_pieces.append(smaller)
                shortened.extend(shortened_in(whole, smaller))
                cost += cost_of(smaller, self.form)
        ids = tuple(turn.id for piece in shown_pieces for turn, _ in piece)
        are_shown = frozenset(ids)
        return _Fitted(
            pieces=shown_pieces, shortened=tuple(shortened), shown=ids, cost=cost
        ), LeftOut(
            departed=self.seen.departed,
            entries=[entry for entry in self.seen.entries if entry.id not in are_shown],
            beyond=self.seen.beyond,
        )

    def _shrunk(
        self, entry: Entry, whole: Sequence[Counted], limit: int
    ) -> Sequence[Counted] | None:
        """The piece in fewer tokens; what was found last is kept, as finding it is slow."""
        key = (self.form.name, limit)
        if entry.shrunk is None or entry.shrunk[:2] != key:
            found = shrunk(whole, limit=limit, form=self.form, count=self.core.count_tokens)
            entry.shrunk = (*key, None if found is None else tuple(found))
        return entry.shrunk[2]

    def _require_newest(self, fitted: _Fitted) -> None:
        if self.core.settings.context_oversized != "refuse" or not self.seen.pieces:
            return
        at = max(range(len(self.seen.pieces)), key=lambda at: self.seen.pieces[at].last)
        newest, piece = self.seen.heads[at], self.seen.pieces[at]
        if newest.id not in fitted.shown:
            raise InvalidInput(
                f"the newest turn {newest.id!r} takes {piece.tokens:,} tokens and does not fit "
                f"into {self.max_tokens:,}; raise max_tokens, or let it be shown shortened "
                '(settings.context_oversized="shorten")'
            )

    async def _summary(self, left_out: LeftOut, reserve: int) -> Summary | None:
        room = reserve - self.form.aside_cost(0)
        if room <= 0:
            return None
        return await summarise(self.core, self.session, left_out, max_tokens=room)

    def _excess(self, written: Written, fitted: _Fitted, summary_cost: int) -> int:
        """By how much a text that is joined of several is longer than they were."""
        if not written.joined:
            return 0
        joined = sum(
            self.form.cost(turn, tokens)
            for piece in fitted.pieces
            for turn, tokens in piece
            if self.form.is_joined(turn)
        )
        allowed = self.instructions + summary_cost + joined
        return self.core.count_tokens(written.joined) - allowed

    def _window(
        self,
        written: Written,
        fitted: _Fitted,
        left_out: LeftOut,
        summary: Summary | None,
        tokens: int,
    ) -> Window:
        return Window(
            format=self.form.name,
            max_tokens=self.max_tokens,
            tokens=tokens,
            messages=written.messages,
            system=written.system,
            text=written.text,
            shown=fitted.shown,
            left_out=left_out.ids,
            shortened=fitted.shortened,
            summary=summary,
            counted_by=identity_of(self.core.count_tokens),
        )
