"""What the engine needs from a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

from perdure.domain.usage import NO_USAGE, Usage


class ChatMessage(TypedDict):
    """One message of the conversation with the model."""

    role: Literal["system", "user", "assistant"]
    content: str


class Answer(dict[str, Any]):
    """A model's answer, with what it took: an ordinary dictionary with one extra."""

    usage: Usage

    def __init__(self, value: Mapping[str, Any], *, usage: Usage = NO_USAGE) -> None:
        super().__init__(value)
        self.usage = usage


@runtime_checkable
class LanguageModel(Protocol):
    """Answers a conversation with a JSON object.

    Its answers are proposals: they are checked before anything is done with them. A model may
    further have

        identity     text that names it, stored with what leaned on it (else the type's name)
        usage        a `Usage`: what all its calls came to
        is_blocking  true: `complete` computes in the calling thread (as an embedder's, which see)
        aclose()     async: give back connections; `complete` is not called afterwards

    and may answer with an `Answer`, whose `usage` is added up.
    """

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The model's answer to the last message, meant to fit `schema` (JSON Schema, an object).

        How well it fits is the caller's to check. Raises `LanguageModelUnavailable` (or any
        `Unavailable`) when retrying may help, `UnreadableAnswer` among them when the model did
        answer, and `LanguageModelRejected` when it cannot.
        """
        ...


def identity_of(model: LanguageModel) -> str:
    """The name under which a model's proposals are recorded."""
    named = getattr(model, "identity", None)
    return named if isinstance(named, str) and named else type(model).__name__


def usage_of(answer: object) -> Usage:
    """What an answer took, where it says."""
    usage = getattr(answer, "usage", None)
    return usage if isinstance(usage, Usage) else Usage(requests=1)
