"""The summary of what a window leaves out: a language model's where there is one, else extracts.

It is always made from the turns: those in the ring, and those that left it as the store keeps them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from operator import attrgetter

from perdure.domain.context.summary import (
    EXTRACTS,
    Line,
    SourceTurn,
    Summary,
    block,
    extract,
    frame_tokens,
    is_chinese,
    sentences_of,
    written,
)
from perdure.domain.context.turns import words_of
from perdure.domain.records import State
from perdure.engine.context_entries import Departed, Entry, Told
from perdure.engine.context_state import Session
from perdure.engine.core import Core
from perdure.errors import PerdureError

log = logging.getLogger(__name__)

POOL = 48
"""Extracts are chosen from so many turns, the most telling ones."""
MODEL_POOL = 200
FRESH = 4
FRESH_SHARE = 0.25
"""A model is asked again when so many turns left since, or this share of what it considered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What a window does not show, oldest first. `beyond` turns are known by number only."""

    departed: Sequence[Departed]
    entries: Sequence[Entry]
    beyond: int

    ids: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        ids = [*[one.id for one in self.departed], *[one.id for one in self.entries]]
        object.__setattr__(self, "ids", tuple(ids))


async def summarise(
    core: Core, session: Session, left_out: LeftOut, *, max_tokens: int
) -> Summary | None:
    """What is told of the turns left out, in at most `max_tokens`; None when nothing fits."""
    ids = left_out.ids
    amount = len(ids) + left_out.beyond
    if amount == 0:
        return None
    sources = await _sources(core, _most_telling(left_out, POOL))
    chinese = is_chinese(sources)
    room = max_tokens - frame_tokens(amount, core.count_tokens, chinese=chinese)
    if room <= 0:
        return None
    lines, note = await _told(core, session, left_out, chinese=chinese, max_tokens=room)
    lines = _fitting(core, lines, room)
    made_by = EXTRACTS if not lines or core.proposer is None else core.proposer.model
    considered = session.told.considered if lines and session.told else frozenset()
    lines += extract(
        [source for source in sources if source.id not in considered],
        max_tokens=room - _cost(core, lines),
        count=core.count_tokens,
        first_label=len(lines) + 1,
    )
    text = block(lines, amount, chinese=chinese)
    while lines and core.count_tokens(text) > max_tokens:
        # Where a tokenizer counts the whole for more than its parts.
        lines = lines[:-1]
        text = block(lines, amount, chinese=chinese)
    if not lines:
        return None
    return Summary(text=text, lines=tuple(lines), covers=ids, made_by=made_by, note=note)


def _most_telling(left_out: LeftOut, most: int) -> list[Departed | Entry]:
    everyone: list[Departed | Entry] = [*left_out.departed, *left_out.entries]
    if len(everyone) <= most:
        return everyone
    everyone.reverse()  # of equal ones the newest
    chosen = nlargest(most, everyone, key=attrgetter("salience"))
    return sorted(chosen, key=attrgetter("number"))


async def _sources(core: Core, chosen: Sequence[Departed | Entry]) -> list[SourceTurn]:
    """The turns with their words. One whose memories were forgotten has none any more."""
    gone = [one for one in chosen if isinstance(one, Departed)]
    kept = await _kept_words(core, gone)
    made = []
    for one in chosen:
        if isinstance(one, Departed):
            text = kept.get(one.id, "")
            if text:
                made.append(_source(core, one.id, one.who, text, one.salience))
            continue
        if one.source is None:
            who, text = one.turn.name or one.turn.role, words_of(one.turn)
            one.source = _source(core, one.id, who, text, one.salience)
        made.append(one.source)
    return made


def _source(core: Core, turn_id: str, who: str, text: str, salience: float) -> SourceTurn:
    sentences = sentences_of(text, salience=salience, split=lambda text: _sentences(core, text))
    return SourceTurn(id=turn_id, who=who, text=text, salience=salience, sentences=sentences)


async def _kept_words(core: Core, departed: Sequence[Departed]) -> dict[str, str]:
    wanted = [memory_id for one in departed for memory_id in one.memory_ids]
    if not wanted:
        return {}
    found = await core.store.get(departed[0].scope, wanted)
    words: dict[str, str] = {}
    for one in departed:
        parts = [found[memory_id] for memory_id in one.memory_ids if memory_id in found]
        words[one.id] = " ".join(
            part.content for part in parts if part.state is not State.FORGOTTEN and part.content
        )
    return words


def _sentences(core: Core, text: str) -> list[str]:
    return [text[span.start : span.end] for span in core.understanding.split(text)]


def _cost(core: Core, lines: Sequence[Line]) -> int:
    return sum(
        core.count_tokens(written(number, line) + "\n")
        for number, line in enumerate(lines, start=1)
    )


def _fitting(core: Core, lines: Sequence[Line], room: int) -> list[Line]:
    """The first lines that fit."""
    fitting = list(lines)
    while fitting and _cost(core, fitting) > room:
        fitting.pop()
    return fitting


async def _told(
    core: Core, session: Session, left_out: LeftOut, *, chinese: bool, max_tokens: int
) -> tuple[list[Line], str]:
    """A model's lines about the turns, and why there are none where one was asked in vain.

    It is asked again only when enough left since; until then extracts tell of what is new. What it
    wrote before is never shown to it: it reads the turns again.
    """
    proposer = core.proposer
    if proposer is None:
        return [], ""
    ids = left_out.ids
    before = session.told if await _still_stands(core, session.told, left_out) else None
    fresh = len(ids) if before is None else sum(one not in before.considered for one in ids)
    enough = 1 if before is None else max(FRESH, int(len(before.considered) * FRESH_SHARE))
    if before is not None and fresh < enough:
        return list(before.lines), ""
    if before is None and len(ids) < session.ask_again_from:
        return [], session.refusal
    # Imported where a model is in use: most programs have none.
    from perdure.engine.context_telling import shown_to_model, told

    sources = shown_to_model(await _sources(core, _most_telling(left_out, MODEL_POOL)))
    if not sources:
        return [], ""
    try:
        lines = await told(proposer, sources, chinese=chinese, max_tokens=max_tokens)
    except PerdureError as error:
        log.warning("context.not_told", extra={"cause": type(error).__name__})
        note = f"extracts, because {proposer.model} did not answer: {error}"
        session.told, session.refusal = None, note
        session.ask_again_from = len(ids) + FRESH
        return [], note
    session.ask_again_from, session.refusal = 0, ""
    session.told = Told(
        lines=tuple(lines), considered=frozenset(ids), read=frozenset(one.id for one in sources)
    )
    return lines, ""


async def _still_stands(core: Core, told: Told | None, left_out: LeftOut) -> bool:
    """Whether all a model read is still out of sight, and none of it was forgotten meanwhile."""
    if told is None or not told.read.issubset(left_out.ids):
        return False
    read = [one for one in left_out.departed if one.id in told.read]
    kept = await _kept_words(core, read)
    return all(kept.get(one.id) for one in read if one.memory_ids)
