"""When a commit is safe: flushing the write-ahead log, and folding it into the file.

SQLite flushes the log inside the commit (synchronous = FULL), while it holds the write lock, so
that no other process can write meanwhile. Here the commit leaves the log unflushed (NORMAL, which
keeps the file consistent through any crash) and releases the lock; then the log is flushed with
one system call, and only then is the write acknowledged. The promise is the same, one flush serves
every commit before it, and the next write goes on during it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Lock

from perdure.errors import Unavailable

IS_SUPPORTED = os.name == "posix"
"""Elsewhere SQLite flushes at each commit."""


def _flush(descriptor: int) -> None:
    if sys.platform == "darwin":
        import fcntl

        # fsync leaves the data in the drive's cache there.
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    elif hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    else:
        os.fsync(descriptor)


class LogFlusher:
    """Flushes the write-ahead log of one file, once for everybody who waits.

    `committed` counts commits; `wait(n)` returns when commit n is on the disk.
    """

    def __init__(self, path: Path) -> None:
        self._log = Path(f"{path}-wal")
        self._descriptor: int | None = None
        self._lock = Lock()
        self._flushed = 0
        self._failure: str | None = None
        self.committed = 0

    def wait(self, commit: int) -> None:
        """Return when that commit is durable. Raises `Unavailable` when it cannot be known."""
        if self._flushed >= commit:
            return
        with self._lock:
            if self._flushed >= commit:
                return
            covered = self.committed
            self._flush()
            self._flushed = covered

    def _flush(self) -> None:
        # After a failed flush the system may have forgotten which pages were not written, so that
        # a second one would succeed without having written them.
        if self._failure is not None:
            raise Unavailable(self._failure)
        try:
            _flush(self._open())
        except OSError as error:
            self._failure = (
                f"{self._log} could not be flushed to the disk ({error}); what was written last "
                "may be lost. Mend the disk, then open the store again"
            )
            raise Unavailable(self._failure) from error

    def _open(self) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(self._log, os.O_RDWR | os.O_CLOEXEC)
        return self._descriptor

    def close(self) -> None:
        """Let go of the log. It holds none of SQLite's locks, so this drops none."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
