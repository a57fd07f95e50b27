"""A language model tells of earlier turns; every sentence it writes must name turns it was shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from perdure.domain.answers import AnswerFault, unreadable
from perdure.domain.context.summary import Line, SourceTurn
from perdure.domain.text import is_blank, sanitise
from perdure.engine.proposing import Proposer
from perdure.engine.proposing_prompt import CHINESE, ENGLISH, prompt_for
from perdure.ports.language_model import ChatMessage

TASK = "summarise"
MOST_CHARS_OF_A_TURN = 2_000
MOST_CHARS = 60_000
"""Of all turns together; what is beyond is not shown to the model."""
WORDS_PER_TOKEN = 0.7

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "turns": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["text", "turns"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}


def shown_to_model(sources: Sequence[SourceTurn]) -> list[SourceTurn]:
    """The most telling turns that fit into one question, in their order."""
    chosen: set[str] = set()
    room = MOST_CHARS
    for source in sorted(sources, key=lambda source: -source.salience):
        room -= min(len(source.text), MOST_CHARS_OF_A_TURN)
        if room < 0:
            break
        chosen.add(source.id)
    return [source for source in sources if source.id in chosen]


async def told(
    proposer: Proposer, sources: Sequence[SourceTurn], *, chinese: bool, max_tokens: int
) -> list[Line]:
    """The model's sentences about the turns.

    Raises what `Proposer.ask` does, and `UnreadableAnswer` when no sentence can be used.
    """
    prompt = prompt_for(CHINESE if chinese else ENGLISH, task=TASK)
    # Numbers are shorter than ids, and a model copies them more faithfully.
    numbered = {str(number): source for number, source in enumerate(sources, start=1)}
    data = {
        "most_words": max(1, int(max_tokens * WORDS_PER_TOKEN)),
        "turns": [
            {"id": label, "who": source.who, "text": source.text[:MOST_CHARS_OF_A_TURN]}
            for label, source in numbered.items()
        ],
    }
    messages: list[ChatMessage] = [
        {"role": "system", "content": prompt.text},
        {"role": "user", "content": json.dumps(data, ensure_ascii=False)},
    ]
    answer = await proposer.ask(messages, schema=SCHEMA)
    lines = _lines(answer, {label: source.id for label, source in numbered.items()})
    if not lines:
        raise unreadable(AnswerFault.WRONG_SHAPE)
    return lines


def _lines(answer: object, ids: Mapping[str, str]) -> list[Line]:
    sentences = answer.get("sentences") if isinstance(answer, Mapping) else None
    made: list[Line] = []
    for sentence in sentences if isinstance(sentences, list) else ():
        if not isinstance(sentence, Mapping):
            continue
        text, cited = sentence.get("text"), sentence.get("turns")
        if not isinstance(text, str) or is_blank(text) or not isinstance(cited, list):
            continue
        turns = dict.fromkeys(ids[str(label)] for label in cited if str(label) in ids)
        if turns:
            made.append(Line(text=sanitise(text), turns=tuple(turns)))
    return made
