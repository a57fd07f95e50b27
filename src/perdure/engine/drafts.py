"""Reading what a caller wants stored: everything is checked before anything happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Any

from perdure.config import Settings
from perdure.domain.filters import json_value
from perdure.domain.journal import canonical
from perdure.domain.records import (
    EMPTY,
    NO_SOURCE,
    Attachment,
    Json,
    Kind,
    Memory,
    Metadata,
    Source,
)
from perdure.domain.scope import Scope
from perdure.domain.text import is_blank, sanitise, shown
from perdure.domain.times import as_utc
from perdure.errors import InvalidInput

Moment = datetime | date | str
MAX_KEY_CHARS = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory about to be stored, with how the caller wants it handled."""

    memory: Memory
    idempotency_key: str | None = None
    request: str = ""
    understand: bool = False


def text_of(content: object, settings: Settings, *, name: str = "content") -> str:
    """Storable words, or `InvalidInput` when there are none or too many."""
    if not isinstance(content, str):
        hint = "; observe() takes messages with role and content"
        raise InvalidInput(
            f"{name} must be text, not {type(content).__name__}"
            f"{hint if isinstance(content, Mapping) else ''}"
        )
    clean = sanitise(content)
    if is_blank(content):  # before mending: a NUL becomes a mark that is not blank
        raise InvalidInput(f"{name} is empty; there is nothing to store")
    if len(clean) > settings.max_content_chars:
        raise InvalidInput(
            f"{name} has {len(clean):,} characters; the limit is "
            f"{settings.max_content_chars:,} (settings.max_content_chars). "
            "Split it, or store it as an attachment with a caption"
        )
    return clean


_KINDS: dict[str, Kind] = {kind.value: kind for kind in Kind}


def kind_named(kind: object) -> Kind:
    """The kind of that name."""
    named = _KINDS.get(kind) if isinstance(kind, str) else None
    if named is not None:
        return named
    raise InvalidInput(f"unknown kind {shown(kind)}; the kinds are {', '.join(Kind)}")


def kind_of(kind: object, settings: Settings) -> Kind:
    """The kind, or the default when None."""
    if kind is None:
        return Kind.LONG_TERM if settings.long_term else Kind.SHORT_TERM
    chosen = kind_named(kind)
    if not settings.long_term and chosen is not Kind.SHORT_TERM:
        raise InvalidInput(
            f"kind {chosen.value!r} needs long-term memory, which settings.long_term switched off"
        )
    return chosen


def flag(value: object, name: str) -> bool:
    """True or false, and nothing that merely counts as one of them."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be true or false, not {shown(value)}")
    return value


def share(value: object, name: str) -> float:
    """A number in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"{name} must be a number from 0 to 1, not {shown(value)}")
    return float(value)


def metadata_of(metadata: object, settings: Settings) -> Mapping[str, Json]:
    """JSON metadata, made storable and frozen at the top."""
    if metadata is None:
        return EMPTY
    if not isinstance(metadata, Mapping):
        raise InvalidInput(f"metadata must be a mapping, not {type(metadata).__name__}")
    if not metadata:
        return EMPTY
    clean = json_value(metadata, name="metadata")
    size = len(canonical(clean).encode("utf-8"))
    if size > settings.max_metadata_bytes:
        raise InvalidInput(
            f"metadata has {size:,} bytes; the limit is {settings.max_metadata_bytes:,} "
            "(settings.max_metadata_bytes). Keep large values elsewhere and store a reference"
        )
    return Metadata(clean)


def expiry_of(expires_at: Moment | timedelta | None, now: datetime) -> datetime | None:
    """When it expires: a moment, or a time to live counted from now (0 expires at once)."""
    if expires_at is None:
        return None
    if isinstance(expires_at, timedelta):
        try:
            return now + expires_at
        except OverflowError:
            raise InvalidInput(f"expires_at: {expires_at} from now is beyond year 9999") from None
    return as_utc(expires_at, name="expires_at")


def source_of(source: Source | Mapping[str, Any] | None) -> Source:
    """Who said it."""
    if source is None:
        return NO_SOURCE
    if isinstance(source, Mapping):
        unknown = set(source) - {"role", "speaker", "message_ids"}
        if unknown:
            raise InvalidInput(
                f"source knows role, speaker and message_ids, not {', '.join(sorted(map(str, unknown)))}"
            )
        if isinstance(source.get("message_ids"), str):
            raise InvalidInput("source.message_ids must be a list of ids, not one text")
        source = Source(**{**source, "message_ids": tuple(source.get("message_ids") or ())})
    if not isinstance(source, Source):
        raise InvalidInput(
            "source must be a Source or a mapping with role, speaker and message_ids, "
            f"not {type(source).__name__}"
        )
    for name in ("role", "speaker"):
        value = getattr(source, name)
        if value is not None and not isinstance(value, str):
            raise InvalidInput(f"source.{name} must be text, not {type(value).__name__}")
    return Source(
        role=None if source.role is None else sanitise(source.role),
        speaker=None if source.speaker is None else sanitise(source.speaker),
        message_ids=tuple(sanitise(str(item)) for item in source.message_ids),
    )


def attachments_of(attachments: Sequence[Attachment | Mapping[str, Any]]) -> tuple[Attachment, ...]:
    """Attachments as records."""
    if isinstance(attachments, tuple) and not attachments:
        return ()
    made = []
    if isinstance(attachments, str | Mapping) or not isinstance(attachments, Iterable):
        raise InvalidInput(f"attachments must be a list, not {type(attachments).__name__}")
    for item in attachments:
        try:
            made.append(item if isinstance(item, Attachment) else Attachment(**item))
        except TypeError as error:
            raise InvalidInput(
                "an attachment has media_type, digest, location and an optional caption"
            ) from error
    return tuple(
        Attachment(**{name: sanitise(str(getattr(item, name)))
                      for name in ("media_type", "digest", "location", "caption")})
        for item in made
    )  # fmt: skip


def note_of(note: object, name: str) -> str | None:
    """An actor or a reason: free text for the journal, or None."""
    if note is None:
        return None
    if not isinstance(note, str):
        raise InvalidInput(f"{name} must be text, not {type(note).__name__}")
    return sanitise(note)


def key_of(key: object, name: str) -> str | None:
    """A caller-chosen key: opaque text that is not blank."""
    if key is None:
        return None
    if not isinstance(key, str) or not key.strip():
        raise InvalidInput(f"{name} must be text that is not blank, not {shown(key)}")
    if len(key) > MAX_KEY_CHARS:
        raise InvalidInput(f"{name} has {len(key)} characters; the limit is {MAX_KEY_CHARS}")
    return sanitise(key)


def draft(
    settings: Settings,
    *,
    memory_id: str,
    scope: Scope,
    now: datetime,
    content: object = None,
    kind: Kind | str | None = None,
    importance: float = 0.5,
    occurred_at: Moment | None = None,
    occurred_until: Moment | None = None,
    valid_from: Moment | None = None,
    valid_to: Moment | None = None,
    expires_at: Moment | timedelta | None = None,
    metadata: Mapping[str, Json] | None = None,
    key: str | None = None,
    idempotency_key: str | None = None,
    pinned: bool = False,
    held: bool = False,
    attachments: Sequence[Attachment | Mapping[str, Any]] = (),
    source: Source | Mapping[str, Any] | None = None,
    understand: bool = True,
) -> Draft:
    """A checked draft, or `InvalidInput` with what to mend.

    What is stored counts as true from `valid_from`; without one from when it happened or when it
    was told, whichever is earlier, so that a plan for tomorrow is known today.
    """
    flag(pinned, "pinned")
    flag(held, "held")
    flag(understand, "understand")
    occurred = now if occurred_at is None else as_utc(occurred_at, name="occurred_at")
    until = None if occurred_until is None else as_utc(occurred_until, name="occurred_until")
    begins = min(occurred, now) if valid_from is None else as_utc(valid_from, name="valid_from")
    ends = None if valid_to is None else as_utc(valid_to, name="valid_to")
    if until is not None and until < occurred:
        raise InvalidInput(f"occurred_until {until} lies before occurred_at {occurred}")
    if ends is not None and ends <= begins:
        raise InvalidInput(f"valid_to {ends} must lie after valid_from {begins}")
    memory = Memory(
        id=memory_id,
        content=text_of(content, settings),
        scope=scope,
        occurred_at=occurred,
        occurred_until=until,
        recorded_at=now,
        valid_from=begins,
        valid_to=ends,
        kind=kind_of(kind, settings),
        importance=share(importance, "importance"),
        expires_at=expiry_of(expires_at, now),
        metadata=metadata_of(metadata, settings),
        key=key_of(key, "key"),
        pinned=pinned,
        held=held,
        attachments=attachments_of(attachments),
        source=source_of(source),
    )
    if idempotency_key is None:
        return Draft(memory=memory, understand=understand)
    asked = {
        "content": memory.content, "kind": memory.kind, "importance": importance, "key": key,
        "agent": scope.agent, "session": scope.session, "metadata": dict(memory.metadata),
        "times": [_told(item) for item in
                  (occurred_at, occurred_until, valid_from, valid_to, expires_at)],
        "pinned": pinned, "held": held, "source": astuple(memory.source),
        "attachments": [astuple(item) for item in memory.attachments],
    }  # fmt: skip
    digest = blake2b(canonical(asked).encode("utf-8"), digest_size=16).hexdigest()
    return Draft(
        memory=memory,
        idempotency_key=key_of(idempotency_key, "idempotency_key"),
        request=digest,
        understand=understand,
    )


def _told(value: Moment | timedelta | None) -> str | None:
    if value is None or isinstance(value, timedelta):
        return None if value is None else str(value)
    return as_utc(value).isoformat()
