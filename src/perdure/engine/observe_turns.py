"""Reading the messages a caller gives: everything is checked before anything happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import blake2b
from typing import Any

from perdure.config import Settings
from perdure.domain.journal import canonical
from perdure.domain.scope import Scope
from perdure.domain.text import is_blank, sanitise, shown
from perdure.domain.times import as_utc, iso
from perdure.engine.drafts import text_of
from perdure.errors import InvalidInput

USER_ROLE, ASSISTANT_ROLE = "user", "assistant"
ROLES = (USER_ROLE, ASSISTANT_ROLE, "system", "developer", "tool", "function")
_KEYS = frozenset(("role", "content", "time", "name", "id"))
_CALLS = frozenset(("tool_calls", "tool_call_id", "function_call", "refusal", "audio"))
"""Parts of chat services' messages that hold nothing said; they are passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message. `at` keeps the sender's zone; `content` is empty when nothing was said.

    `message_id` is the caller's, or made of the words and the time. `key` tells the message
    again, `request` its words.
    """

    role: str
    content: str
    at: datetime
    speaker: str | None
    message_id: str
    key: str
    request: str

    @property
    def is_users(self) -> bool:
        """Whether a person wrote it, whose word counts."""
        return self.role == USER_ROLE

    @property
    def said_at(self) -> datetime:
        """When it was sent, in UTC."""
        return self.at.astimezone(UTC)


def turns_of(messages: object, scope: Scope, settings: Settings, now: datetime) -> list[Turn]:
    """The messages as turns; `InvalidInput` names the first one that is wrong."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InvalidInput(
            f"messages must be a list of mappings with role and content, not {shown(messages)}"
        )
    made = []
    for position, message in enumerate(messages):
        try:
            made.append(_turn(message, scope, settings, now))
        except InvalidInput as error:
            raise InvalidInput(f"message {position}: {error}") from error
    return made


def _turn(message: object, scope: Scope, settings: Settings, now: datetime) -> Turn:
    message = _as_mapping(message)
    unknown = set(message) - _KEYS - _CALLS
    if unknown:
        raise InvalidInput(f"a message knows no {', '.join(sorted(map(repr, unknown)))}")
    role = message.get("role")
    if role not in ROLES:
        raise InvalidInput(f"role must be one of {', '.join(ROLES)}, not {shown(role)}")
    content = _content(message.get("content"), settings)
    speaker = _text(message.get("name"), "name")
    at = _moment(message.get("time"), now)
    given = _text(message.get("id"), "id")
    told = given or _digest([role, speaker, content, iso(at.astimezone(UTC))])
    place = [scope.agent, scope.session, role, given is not None, told]
    return Turn(
        role=role,
        content=content,
        at=at,
        speaker=speaker,
        message_id=told,
        key=f"observe {_digest(place)}",
        request=_digest([speaker, content]),
    )


def _as_mapping(message: object) -> Mapping[object, object]:
    """The message as it is, or the parts of a typed one, as client libraries give them."""
    if isinstance(message, Mapping):
        return message
    if not (hasattr(message, "role") and hasattr(message, "content")):
        raise InvalidInput(
            "it must be a mapping, or an object, with role and content, such as "
            f'{{"role": "user", "content": "…"}}, not {shown(message)}'
        )
    parts = {name: getattr(message, name, None) for name in _KEYS}
    return {name: value for name, value in parts.items() if value is not None}


def _digest(parts: list[Any]) -> str:
    return blake2b(canonical(parts).encode("utf-8"), digest_size=16).hexdigest()


def _content(content: object, settings: Settings) -> str:
    """The words: a text, or the texts among the parts of a message."""
    if content is None:
        return ""
    if isinstance(content, list | tuple):
        texts = [_part(part, "text") for part in content if _part(part, "type") in ("text", None)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    if isinstance(content, str) and is_blank(content):
        return ""
    return text_of(content, settings)


def _part(part: object, name: str) -> object:
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)


def _text(value: object, name: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or is_blank(value):
        raise InvalidInput(f"{name} must be text that is not blank, not {shown(value)}")
    return sanitise(value)


def _moment(value: object, now: datetime) -> datetime:
    """When it was sent, in the zone it was given in; a naive time is UTC."""
    if value is None:
        return now
    if not isinstance(value, str | datetime | date):
        raise InvalidInput(f"time must be ISO 8601 text or a datetime, not {shown(value)}")
    utc = as_utc(value, name="time")
    given = datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
    if isinstance(given, datetime) and given.tzinfo is not None:
        return given
    return utc
