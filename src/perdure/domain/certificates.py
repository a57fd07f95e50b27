"""Certificates of erasures: as text, back, and their proof."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from hashlib import blake2b
from typing import Any

from perdure.domain.journal import canonical
from perdure.domain.times import as_utc, iso
from perdure.errors import InvalidInput

FORMAT = 1
PROOF_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What an erasure did, for whoever asked for it; `verify` checks it later.

    `counts` says how much went from each place ("memories", "derived", "vectors", "journal
    entries", "requests", "tasks", "archived copies"); `ids` names the memories, those derived from
    the asked ones included. `scope` names whose they were to the store alone. `sequence` and
    `digest` tie it into the journal: the last entry that the erasure wrote. `complete` is false
    while something could not be freed yet, which `remaining` names and `verify` makes up for.
    `proof` is a keyed hash of all this, made with a key that only the store has.
    """

    id: str
    at: datetime
    actor: str
    reason: str | None
    scope: str
    ids: tuple[str, ...]
    counts: Mapping[str, int]
    sequence: int
    digest: str
    remaining: tuple[str, ...]
    proof: str

    @property
    def complete(self) -> bool:
        """Whether nothing of it was left anywhere when it was issued."""
        return not self.remaining

    def __len__(self) -> int:
        return len(self.ids)

    def to_json(self) -> str:
        """The certificate as JSON text, to be kept by whoever asked for the erasure."""
        return canonical(document_of(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Certificate:
        """The certificate that `to_json` wrote. Raises `InvalidInput` for anything else."""
        return certificate_of(text)


_NAMES = frozenset(field.name for field in fields(Certificate))


def document_of(certificate: Certificate) -> dict[str, Any]:
    """The certificate as JSON values."""
    document = {name: getattr(certificate, name) for name in sorted(_NAMES)}
    return {
        "perdure": "certificate",
        "format": FORMAT,
        **document,
        "at": iso(certificate.at),
        "ids": list(certificate.ids),
        "counts": dict(certificate.counts),
        "remaining": list(certificate.remaining),
    }


def certificate_of(text: str | bytes) -> Certificate:
    """The certificate that JSON text describes. Raises `InvalidInput`."""
    try:
        return _certificate_of(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput("this is no certificate of an erasure, as erase gives it") from error


def _certificate_of(raw: Any) -> Certificate:
    if raw["perdure"] != "certificate" or raw["format"] != FORMAT:
        raise ValueError("another kind or format")
    values = {name: raw[name] for name in _NAMES}
    counts, ids, remaining = values["counts"], values["ids"], values["remaining"]
    texts = [values[name] for name in ("id", "actor", "scope", "digest", "proof")]
    texts += [*ids, *remaining, *counts, *([values["reason"]] if values["reason"] else [])]
    numbers = [values["sequence"], *counts.values()]
    if not all(isinstance(item, str) for item in texts):
        raise TypeError("a text is none")
    if not all(type(item) is int for item in numbers):
        raise TypeError("a number is none")
    at = as_utc(values["at"])
    return Certificate(**{**values, "at": at, "ids": tuple(ids), "remaining": tuple(remaining)})


def proof_of(key: bytes, certificate: Certificate) -> str:
    """What `Certificate.proof` must be: a keyed hash of everything else."""
    document = document_of(certificate)
    del document["proof"]
    covered = canonical(["certificate", document]).encode()
    return blake2b(covered, key=key, digest_size=PROOF_BYTES).hexdigest()
