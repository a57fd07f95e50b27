"""The object beside a batch that says what the batch is: JSON for people and tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any

from perdure.domain.batches import Manifest
from perdure.domain.times import as_utc, iso
from perdure.errors import CorruptArchive, NewerStore

FORMAT = 1
ABANDONED = json.dumps({"format": FORMAT, "abandoned": True}).encode()
"""Stands in place of the manifest of a batch that nobody may finish any more, while it is removed."""


def checksum_of(data: bytes) -> str:
    """What a manifest says of an object's bytes; `sha256sum` prints the same."""
    return sha256(data).hexdigest()


def manifest_of(name: str, made_at: datetime, rows: Iterable[int], data: bytes) -> Manifest:
    """The manifest of an object with these rows."""
    return Manifest(
        name=name,
        made_at=made_at,
        rows=tuple(sorted(rows)),
        checksum=checksum_of(data),
        bytes=len(data),
    )


def written(manifest: Manifest) -> bytes:
    """The manifest as the bytes of its object."""
    document = {
        "format": FORMAT,
        "batch": manifest.name,
        "made_at": iso(manifest.made_at),
        "count": len(manifest.rows),
        "rows": [[first, last] for first, last in _runs(manifest.rows)],
        "bytes": manifest.bytes,
        "sha256": manifest.checksum,
    }
    return json.dumps(document, indent=1).encode()


def read(data: bytes, name: str) -> Manifest:
    """The manifest that `written` wrote. Raises `CorruptArchive` or `NewerStore`."""
    try:
        document: dict[str, Any] = json.loads(data)
        version = document["format"]
        if isinstance(version, int) and version > FORMAT:
            raise NewerStore(
                f"batch {name} was archived by a newer version of the package (format {version}, "
                f"this one reads {FORMAT}); upgrade the package"
            )
        rows = tuple(
            row for first, last in document["rows"] for row in range(int(first), int(last) + 1)
        )
        return Manifest(
            name=name,
            made_at=as_utc(document["made_at"]),
            rows=rows,
            checksum=str(document["sha256"]),
            bytes=int(document["bytes"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptArchive(
            f"the manifest of batch {name} is damaged; put it back from a copy of the archive"
        ) from error


def _runs(rows: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as runs without gaps, each as (first, last)."""
    first = last = None
    for row in rows:
        if first is None or last is None or row != last + 1:
            if first is not None and last is not None:
                yield first, last
            first = row
        last = row
    if first is not None and last is not None:
        yield first, last
