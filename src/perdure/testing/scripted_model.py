"""A language model whose answers a test dictates."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from threading import Lock
from typing import Any

from perdure.domain.answers import AnswerFault, read_answer, shaped_as, unreadable
from perdure.domain.budget import estimate_tokens
from perdure.domain.usage import Usage
from perdure.errors import InvalidInput, LanguageModelUnavailable
from perdure.ports.language_model import Answer, ChatMessage

Scripted = (
    Mapping[str, Any] | Sequence[Any] | str | BaseException | type[BaseException]
    | Callable[[Sequence[ChatMessage]], Any]
)  # fmt: skip


def answer(facts: Iterable[Any] = (), operations: Iterable[Any] = ()) -> dict[str, Any]:
    """An answer of a language model about one message.

    A fact is a dictionary with `subject`, `predicate`, `object` and, if wanted, `statement`,
    `polarity`, `modality`, `evidence`, `replaces`, `when` and `confidence`; or a sentence. An
    operation is a dictionary with `operation` ("create", "update", "delete", "consolidate",
    "none") and, if wanted, `targets`, `about`, `relation` and `evidence`; or just the name.
    """
    return {"facts": deepcopy(list(facts)), "operations": deepcopy(list(operations))}


class ScriptedLanguageModel:
    """Gives its answers in turn, and remembers what it was asked.

    An answer is a dictionary (`answer` makes one); text, read as whatever a model writes is; an
    exception, raised instead; or a function of the messages that gives one of these. Asked more
    often than that, it is out of reach.
    """

    is_blocking = True

    def __init__(self, answers: Iterable[Scripted] = (), *, identity: str = "scripted") -> None:
        if isinstance(answers, str | Mapping):
            raise InvalidInput("ScriptedLanguageModel takes a list of answers, not one answer")
        self._answers: deque[Scripted] = deque(answers)
        self._lock = Lock()
        self._identity = identity
        self._usage = Usage()
        self.requests: list[list[ChatMessage]] = []
        """The messages of every call so far."""

    @property
    def identity(self) -> str:
        """The name it goes by."""
        return self._identity

    @property
    def usage(self) -> Usage:
        """What all calls came to, by estimate."""
        return self._usage

    @property
    def remaining(self) -> int:
        """How many answers are left."""
        return len(self._answers)

    def extend(self, answers: Iterable[Scripted]) -> None:
        """Have it give these as well, after the others."""
        with self._lock:
            self._answers.extend(answers)

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The next answer."""
        with self._lock:
            self.requests.append([ChatMessage(**message) for message in messages])
            scripted: Any = self._answers.popleft() if self._answers else _RUN_OUT
            asked = sum(estimate_tokens(message["content"]) for message in messages)
            said = scripted(messages) if _is_function(scripted) else scripted
            spent = Usage(requests=1, input_tokens=asked, output_tokens=estimate_tokens(str(said)))
            self._usage += spent
        if isinstance(said, BaseException) or _is_exception_type(said):
            raise said
        return Answer(_read(said, schema), usage=spent)


_RUN_OUT = LanguageModelUnavailable("the script has no further answers")


def _is_exception_type(scripted: object) -> bool:
    return isinstance(scripted, type) and issubclass(scripted, BaseException)


def _is_function(scripted: object) -> bool:
    return callable(scripted) and not _is_exception_type(scripted)


def _read(said: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(said, str):
        return read_answer(said, schema)
    shaped = shaped_as(deepcopy(dict(said) if isinstance(said, Mapping) else said), schema)
    if shaped is None:
        raise unreadable(AnswerFault.WRONG_SHAPE)
    return shaped
