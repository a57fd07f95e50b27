"""Telling several memories in a few lines: with a language model where there is one, and by their
own sentences where there is none or its answer does not stand up to its sources."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from perdure.domain.context.summary import EXTRACTS, Sentence, SourceTurn, extract, sentences_of
from perdure.domain.context.summary import Line as ExtractedLine
from perdure.domain.duplicates import is_near_duplicate
from perdure.domain.proposed_summaries import SUMMARY_SCHEMA, checked_lines
from perdure.domain.records import Memory
from perdure.domain.summaries import MOST_READ_CHARS, Line, digest_of, most_central
from perdure.domain.text import holds_han
from perdure.engine.core import Core
from perdure.engine.proposing_prompt import CHINESE, ENGLISH, prompt_for
from perdure.errors import Closed, Misconfigured, Unavailable, UnreadableAnswer
from perdure.ports.language_model import ChatMessage

LEAST_TOKENS, MOST_TOKENS = 32, 240
"""How long a summary of the memories' own sentences is, labels of the lines included."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A summary's lines, and who made them: "extracts", or the language model's name."""

    lines: tuple[Line, ...]
    by: str = EXTRACTS


@dataclass(slots=True)
class Teller:
    """Makes summaries during one consolidation. Asks the model once for the same words, and no
    more once it is out of reach: the next summary would only wait for it again."""

    core: Core
    may_ask: bool = True
    before_asking: Callable[[], Awaitable[None]] | None = None
    """Called before each question: a model may take longer than others should wait."""
    _made: dict[str, Told] = field(default_factory=dict)

    async def tell(self, sources: Sequence[Memory]) -> Told:
        """A summary of these memories, which are in the order they were told."""
        digest = digest_of(sources)
        if digest not in self._made:
            self._made[digest] = await self._proposed(sources) or self._extracted(sources)
        return self._made[digest]

    def _extracted(self, sources: Sequence[Memory]) -> Told:
        """Sentences of theirs, one of each memory at most, about half of what they say."""
        count = self.core.count_tokens
        names_speakers = len({memory.source.speaker for memory in sources}) > 1
        sentences = self._central_sentences(sources)
        turns = [
            SourceTurn(
                id=memory.id,
                who=(memory.source.speaker or "") if names_speakers else "",
                text=memory.content[:MOST_READ_CHARS],
                sentences=sentences[memory.id],
            )
            for memory in sources
        ]
        said = sum(count(turn.text) for turn in turns)
        chosen = extract(
            turns,
            max_tokens=min(MOST_TOKENS, max(LEAST_TOKENS, said // 2)),
            count=count,
        )
        return Told(lines=tuple(_line(line, sources) for line in chosen))

    def _central_sentences(self, sources: Sequence[Memory]) -> dict[str, tuple[Sentence, ...]]:
        """Of each memory the sentence that has most to do with the others, if it says anything."""
        found = {
            memory.id: sentences_of(memory.content, salience=1.0, split=self._sentences)
            for memory in sources
        }
        chosen: dict[str, tuple[Sentence, ...]] = {}
        for memory_id, own in found.items():
            others = [
                one.terms for name, them in found.items() if name != memory_id for one in them
            ]
            best = most_central([one.terms for one in own], others) if own else 0
            chosen[memory_id] = own[best : best + 1]
        return chosen

    def _sentences(self, text: str) -> list[str]:
        return [" ".join(span.of(text).split()) for span in self.core.understanding.split(text)]

    async def _proposed(self, sources: Sequence[Memory]) -> Told | None:
        """The model's summary; None where it gives none that stands up to its sources."""
        proposer = self.core.proposer
        if proposer is None or not self.may_ask:
            return None
        shown = {
            f"m{number}": (memory.id, memory.content[:MOST_READ_CHARS])
            for number, memory in enumerate(sources, start=1)
        }
        await self.show_life()
        try:
            answer = await proposer.ask(_conversation(sources), schema=SUMMARY_SCHEMA)
        except Closed:
            raise
        except UnreadableAnswer as failure:
            self._note(str(failure))
            return None
        except (Unavailable, Misconfigured) as failure:
            self.may_ask = False
            self._note(str(failure))
            return None
        lines = checked_lines(answer if isinstance(answer, Mapping) else {}, shown)
        if isinstance(lines, str):
            self._note(f"its summary was refused: {lines}")
            return None
        if sum(len(line.text) for line in lines) > sum(len(words) for _, words in shown.values()):
            self._note("its summary was refused: it is longer than what it tells")
            return None
        return Told(lines=lines, by=proposer.model)

    async def show_life(self) -> None:
        """Tell whoever waits that work goes on."""
        if self.before_asking is not None:
            await self.before_asking()

    def _note(self, cause: str) -> None:
        assert self.core.proposer is not None
        log.warning(
            "language_model.failed", extra={"model": self.core.proposer.model, "cause": cause}
        )


def _line(line: ExtractedLine, sources: Sequence[Memory]) -> Line:
    """The line with every memory that says it."""
    again = (memory.id for memory in sources if is_near_duplicate(memory.content, line.text))
    return Line(
        text=f"{line.who}: {line.text}" if line.who else line.text,
        sources=tuple(dict.fromkeys((*line.turns, *again))),
    )


def _conversation(sources: Sequence[Memory]) -> list[ChatMessage]:
    """What is sent. All words travel as one JSON value, which none of them can end."""
    chinese = sum(holds_han(memory.content) for memory in sources) * 2 > len(sources)
    prompt = prompt_for(CHINESE if chinese else ENGLISH, task="consolidate")
    told = [
        {
            "id": f"m{number}",
            "told": memory.occurred_at.date().isoformat(),
            "who": memory.source.speaker,
            "text": memory.content[:MOST_READ_CHARS],
        }
        for number, memory in enumerate(sources, start=1)
    ]
    return [
        {"role": "system", "content": prompt.text},
        {"role": "user", "content": json.dumps({"memories": told}, ensure_ascii=False)},
    ]
