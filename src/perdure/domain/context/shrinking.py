"""Showing a piece of a window in fewer tokens than it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from perdure.domain.budget import CountTokens
from perdure.domain.context.formats import Format, TurnTokens, tokens_of
from perdure.domain.context.shortening import fair_shares, shortened, shortened_arguments
from perdure.domain.context.turns import ContextTurn

_BREAKS_OF_A_MARK = 2

Counted = tuple[ContextTurn, TurnTokens]
"""A turn as it is shown, and its tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """A turn that is shown shortened, and how many tokens its texts had and have."""

    turn_id: str
    tokens_before: int
    tokens: int


def cost_of(piece: Sequence[Counted], form: Format) -> int:
    """What showing the turns of a piece costs at most."""
    return sum(form.cost(turn, tokens) for turn, tokens in piece)


def shrunk(
    piece: Sequence[Counted], *, limit: int, form: Format, count: CountTokens
) -> list[Counted] | None:
    """The same turns in at most `limit` tokens: their longest texts are shortened, with a mark.

    Contents and the arguments of calls share the room fairly. None when there is too little room
    even for the marks.
    """
    sizes = [size for _, tokens in piece for size in _sizes(tokens)]
    around = cost_of(piece, form) - sum(sizes) + _BREAKS_OF_A_MARK * len(piece)
    shares = iter(fair_shares(sizes, limit - around))
    made: list[Counted] = []
    for turn, tokens in piece:
        given = [(size, next(shares)) for size in _sizes(tokens)]
        smaller = turn if all(s == g for s, g in given) else _smaller(turn, given, count)
        if smaller is None:
            return None
        made.append((smaller, tokens if smaller is turn else tokens_of(smaller, count)))
    return made if cost_of(made, form) <= limit else None


def texts_tokens(tokens: TurnTokens) -> int:
    """The tokens of what can be shortened in a turn."""
    return sum(_sizes(tokens))


def shortened_in(before: Sequence[Counted], after: Sequence[Counted]) -> list[Shortened]:
    """Which turns of a piece are not whole."""
    return [
        Shortened(
            turn_id=old.id, tokens_before=texts_tokens(old_tokens), tokens=texts_tokens(tokens)
        )
        for (old, old_tokens), (new, tokens) in zip(before, after, strict=True)
        if new is not old
    ]


def _sizes(tokens: TurnTokens) -> list[int]:
    return [tokens.content, *(call.arguments for call in tokens.calls)]


def _smaller(
    turn: ContextTurn, given: Sequence[tuple[int, int]], count: CountTokens
) -> ContextTurn | None:
    content: str | None = turn.content
    (size, share), *others = given
    if share < size:
        content = shortened(turn.content, max_tokens=share, count=count)
    calls = []
    for call, (size, share) in zip(turn.calls, others, strict=True):
        arguments: str | None = call.arguments
        if share < size:
            arguments = shortened_arguments(call.arguments, max_tokens=share, count=count)
        if arguments is None:
            return None
        calls.append(replace(call, arguments=arguments))
    return None if content is None else replace(turn, content=content, calls=tuple(calls))
