"""Reading a file while telling how far it has come."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from perdure.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`read_bytes` of `total_bytes` were read; `turns` messages are dealt with."""

    read_bytes: int
    total_bytes: int
    turns: int


class CountingFile(io.RawIOBase):
    """A binary file that tells how many bytes were read from it.

    A damaged archive shows while it is read, and is `InvalidInput`.
    """

    def __init__(self, file: BinaryIO, count: Callable[[int], None]) -> None:
        self._file = file
        self._count = count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._file.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise InvalidInput(f"the archive is damaged: {error}") from error
        buffer[: len(data)] = data
        self._count(len(data))
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
