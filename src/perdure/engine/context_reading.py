"""Reading the turns a caller gives: everything is checked before anything happens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from perdure.config import Settings
from perdure.domain.context.turns import (
    ASSISTANT,
    INSTRUCTING,
    ORDINARY,
    ROLES,
    TOOL,
    ContextTurn,
    ToolCall,
    words_of,
)
from perdure.domain.text import is_blank, sanitise, shown
from perdure.domain.times import as_utc
from perdure.engine import drafts
from perdure.errors import InvalidInput

_KEYS = frozenset("role content time name id tool_calls tool_call_id importance pinned".split())
_EMPTY_PARTS = frozenset(("refusal", "audio", "annotations", "function_call"))
"""Parts that chat services send along empty; they are passed over while they are."""
_TEXT_PARTS = ("text", "input_text", "output_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Makes turns of what callers give; `new_id` names those without an id."""

    settings: Settings
    now: datetime
    new_id: Callable[[], str]

    def turn(
        self,
        role: object,
        content: object = None,
        *,
        name: object = None,
        tool_calls: object = None,
        tool_call_id: object = None,
        importance: object = None,
        pinned: object = None,
        time: object = None,
        id: object = None,  # noqa: A002 - the promised name
    ) -> ContextTurn:
        """One turn, or `InvalidInput` with what to mend."""
        if isinstance(role, Mapping):
            raise InvalidInput("append(role, content) takes the parts; extend takes whole messages")
        if role not in ROLES:
            raise InvalidInput(f"role must be one of {', '.join(ROLES)}, not {shown(role)}")
        calls = _calls(tool_calls)
        if calls and role != ASSISTANT:
            raise InvalidInput(f"tool_calls belong to an assistant's turn, not to a {role}'s")
        answers = _text(tool_call_id, "tool_call_id")
        if (answers is None) == (role == TOOL):
            raise InvalidInput(
                "a tool's turn needs tool_call_id, the id of the call it answers, "
                "and no other turn may have one"
            )
        # System and developer turns are what the agent is told to be: they stay unless said.
        is_pinned = role in INSTRUCTING if pinned is None else drafts.flag(pinned, "pinned")
        given = _text(id, "id")
        made = ContextTurn(
            id=self.new_id() if given is None else given,
            role=str(role),
            content=_content(content, may_be_empty=bool(calls) or role == TOOL),
            at=self.now if time is None else as_utc(_moment(time), name="time"),
            name=_text(name, "name"),
            calls=calls,
            answers=answers,
            importance=(ORDINARY if importance is None else drafts.share(importance, "importance")),
            pinned=is_pinned,
        )
        self._check_length(made)
        return made

    def _check_length(self, turn: ContextTurn) -> None:
        most = self.settings.max_content_chars
        length = len(words_of(turn))
        if length > most:
            raise InvalidInput(
                f"the turn has {length:,} characters; the limit is {most:,} "
                "(settings.max_content_chars). Keep large results elsewhere and append a reference"
            )

    def turns(self, messages: object) -> list[ContextTurn]:
        """The turns of messages; `InvalidInput` names the first message that is wrong."""
        if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
            raise InvalidInput(
                f"messages must be a list of mappings with role and content, not {shown(messages)}"
            )
        made: list[ContextTurn] = []
        for position, message in enumerate(messages):
            try:
                made.extend(self._turns(message))
            except InvalidInput as error:
                raise InvalidInput(f"message {position}: {error}") from error
        return made

    def _turns(self, message: object) -> list[ContextTurn]:
        """A message's turn; one in Anthropic's form may hold the results of several calls too."""
        if not isinstance(message, Mapping):
            raise InvalidInput(f"it must be a mapping, not {shown(message)}")
        values = {
            key: value
            for key, value in message.items()
            if key not in _EMPTY_PARTS or value not in (None, [], ())
        }
        unknown = set(values) - _KEYS
        if unknown:
            raise InvalidInput(f"a message knows no {', '.join(sorted(map(repr, unknown)))}")
        if not isinstance(values.get("content"), list | tuple):
            return [self.turn(values.pop("role", None), values.pop("content", None), **values)]
        return self._turns_of_parts(values)

    def _turns_of_parts(self, values: dict[str, Any]) -> list[ContextTurn]:
        role, parts = values.pop("role", None), values.pop("content")
        texts: list[str] = []
        calls: list[Any] = list(values.pop("tool_calls", None) or ())
        results: list[ContextTurn] = []
        weight = {key: values[key] for key in ("importance", "pinned", "time") if key in values}
        for part in parts:
            kind = part.get("type", "text") if isinstance(part, Mapping) else None
            if kind in _TEXT_PARTS and isinstance(part.get("text"), str):
                texts.append(part["text"])
            elif kind == "tool_use":
                calls.append({**part, "arguments": part.get("input")})
            elif kind == "tool_result":
                name = f"{values['id']} {part.get('tool_use_id')}" if values.get("id") else None
                results.append(
                    self.turn(
                        TOOL, _joined(part.get("content")),
                        tool_call_id=part.get("tool_use_id"), id=name, **weight,
                    )
                )  # fmt: skip
            else:
                raise InvalidInput(
                    f"a context holds text, calls of tools and their results; a part of type "
                    f"{shown(kind)} has to be told in words"
                )
        if texts or calls or not results:
            words = "\n".join(texts)
            return [*results, self.turn(role, words, tool_calls=calls or None, **values)]
        return results


def _joined(content: object) -> object:
    """The texts of a result's parts as one."""
    if not isinstance(content, list | tuple):
        return content
    texts = [part.get("text") if isinstance(part, Mapping) else None for part in content]
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput("the parts of a tool's result must be texts")
    return "\n".join(str(text) for text in texts)


def _content(content: object, *, may_be_empty: bool) -> str:
    if content is None and may_be_empty:
        return ""
    if not isinstance(content, str):
        raise InvalidInput(f"content must be text, not {shown(content)}")
    if is_blank(content) and not may_be_empty:
        raise InvalidInput("content is empty; there is nothing to append")
    return sanitise(content)


def _text(value: object, name: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or is_blank(value):
        raise InvalidInput(f"{name} must be text that is not blank, not {shown(value)}")
    return sanitise(value)


def _moment(value: object) -> drafts.Moment:
    if not isinstance(value, str | datetime):
        raise InvalidInput(f"time must be ISO 8601 text or a datetime, not {shown(value)}")
    return value


def _calls(given: object) -> tuple[ToolCall, ...]:
    """The calls, in OpenAI's form or as plain mappings of id, name and arguments."""
    if given is None:
        return ()
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise InvalidInput(f"tool_calls must be a list of calls, not {shown(given)}")
    calls = tuple(call if isinstance(call, ToolCall) else _call(call) for call in given)
    if len({call.id for call in calls}) < len(calls):
        raise InvalidInput("two calls of a turn have the same id; results could not be told apart")
    return calls


def _call(given: object) -> ToolCall:
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f"a call must be a mapping with id, name and arguments, not {shown(given)}"
        )
    function = given.get("function")
    inner = function if isinstance(function, Mapping) else given
    call_id, name = _text(given.get("id"), "the id of a call"), _text(inner.get("name"), "its name")
    if call_id is None or name is None:
        raise InvalidInput("a call needs an id and the name of a tool")
    return ToolCall(id=call_id, name=name, arguments=_arguments(inner.get("arguments")))


def _arguments(given: object) -> str:
    if given is None or given == "":
        return "{}"
    if isinstance(given, str):
        return sanitise(given)
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f"the arguments of a call are JSON text or a mapping, not {shown(given)}"
        )
    try:
        return sanitise(json.dumps(given, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("the arguments of a call must be JSON values") from error
