"""A descriptor of a file that SQLite has open in the same process.

POSIX drops every lock a process holds on a file as soon as the process closes *any* descriptor of
it, SQLite's locks included; other processes would then take the file for unused. So a descriptor of
ours stays open until the last store of this process that has the file open has let go of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

Identity = tuple[int, int]


@dataclass(slots=True)
class _Shared:
    stores: int = 0
    descriptor: int | None = None


_lock = Lock()
_files: dict[Identity, _Shared] = {}
"""What the locks belong to is the process, and so is this: by device and number of the file."""


class RawFile:
    """One store's part in the descriptor of its file, which is opened when it is first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        found = os.stat(path)
        self._identity = found.st_dev, found.st_ino
        with _lock:
            self._shared = _files.setdefault(self._identity, _Shared())
            self._shared.stores += 1

    def descriptor(self) -> int:
        """For reading and writing at positions. Nobody else may close it. May raise `OSError`."""
        with _lock:
            if self._shared.descriptor is None:
                self._shared.descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            return self._shared.descriptor

    def close(self) -> None:
        """To be called once, after every connection of the store was closed."""
        with _lock:
            self._shared.stores -= 1
            if self._shared.stores:
                return
            del _files[self._identity]
            if self._shared.descriptor is not None:
                os.close(self._shared.descriptor)
