"""What a language model is asked about one message."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib.resources import files

from perdure.domain.predicates import MANY_VALUED, SINGLE_VALUED
from perdure.ports.language_model import ChatMessage

CHINESE, ENGLISH = "zh", "en"
_FOLDER = "perdure.engine.prompts"
_HEADER = "version: "
MOST_CHARS_BEFORE = 2_000
"""Of each turn before the message: it is there for understanding only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt file. `identity` names it in what leaned on it: `read.en@1`."""

    identity: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A stored memory as the model sees it: a short id, when it was said, and the words."""

    id: str
    said: datetime
    text: str


def prompt_for(language: str, *, task: str = "read") -> Prompt:
    """The prompt for a task in this language: Chinese for Chinese, English for all others."""
    return _prompt(task, CHINESE if language.lower().startswith(CHINESE) else ENGLISH)


@lru_cache
def _prompt(task: str, language: str) -> Prompt:
    text = (files(_FOLDER) / f"{task}.{language}.md").read_text(encoding="utf-8")
    header, _, body = text.partition("\n")
    if not header.startswith(_HEADER):
        raise ValueError(f"{task}.{language}.md must begin with its version")
    filled = body.strip().replace("{single}", _listed(SINGLE_VALUED))
    return Prompt(
        identity=f"{task}.{language}@{header.removeprefix(_HEADER).strip()}",
        text=filled.replace("{many}", _listed(MANY_VALUED)),
    )


def _listed(predicates: frozenset[str]) -> str:
    return ", ".join(sorted(predicates))


def conversation(
    prompt: Prompt,
    *,
    message: str,
    at: datetime,
    speaker: str | None,
    before: Sequence[tuple[str, str]],
    known: Sequence[Shown],
) -> list[ChatMessage]:
    """The messages that are sent.

    All that was said by anybody travels as one JSON value: no words in it can end the data and
    begin to be instructions.
    """
    data = {
        "message": message,
        "time": at.isoformat(),
        "speaker": speaker,
        "before": [
            {"role": role, "content": content[:MOST_CHARS_BEFORE]} for role, content in before
        ],
        "known": [
            {"id": item.id, "said": item.said.date().isoformat(), "text": item.text}
            for item in known
        ],
    }
    return [
        {"role": "system", "content": prompt.text},
        {"role": "user", "content": json.dumps(data, ensure_ascii=False)},
    ]
