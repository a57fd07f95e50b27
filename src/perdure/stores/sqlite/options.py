"""Settings of one SQLite store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from perdure.errors import InvalidInput

MEBIBYTE = 1 << 20
PAGE_SIZES = frozenset(1 << power for power in range(9, 17))


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteOptions:
    """How a file is kept.

    - `durability`: "full" acknowledges a write after it is flushed to the disk; "normal" sooner:
      a power cut may then lose the last writes, a killed process none.
    - `vector_format`: "float32" is exact; "int8" takes a quarter of the room, and the nearest ten
      are still at least 99 % the same. Both may stand in one file; this is for new vectors.
    - `index_bytes`: how much memory the search indexes may take together. The least recently
      searched users' are dropped first; one user's own index may exceed it.
    - `busy_timeout_s`: how long a write waits for other processes before it gives up.
    - `page_size`: in bytes, for a new file only. See docs/decisions/0003-sqlite.md.
    - `checkpoint_bytes`: the write-ahead log is folded into the file when about this much was
      written to it.
    """

    path: Path
    durability: Literal["full", "normal"] = "full"
    vector_format: Literal["float32", "int8"] = "float32"
    index_bytes: int = 512 * MEBIBYTE
    busy_timeout_s: float = 30.0
    page_size: int = 8192
    checkpoint_bytes: int = 32 * MEBIBYTE

    def __post_init__(self) -> None:
        if self.durability not in ("full", "normal"):
            raise InvalidInput(f"durability is 'full' or 'normal', not {self.durability!r}")
        if self.vector_format not in ("float32", "int8"):
            raise InvalidInput(f"vector_format is 'float32' or 'int8', not {self.vector_format!r}")
        if self.page_size not in PAGE_SIZES:
            raise InvalidInput(f"page_size is a power of 2 from 512 to 65536, not {self.page_size}")
        for name in ("index_bytes", "busy_timeout_s", "checkpoint_bytes"):
            if getattr(self, name) < 0:
                raise InvalidInput(f"{name} must not be negative")
