"""When a commit is safe: flushing the write-ahead log.

SQLite flushes the log inside the commit (synchronous = FULL), while it holds the write lock, so
that no other process can write meanwhile. Here the commit leaves the log unflushed (NORMAL, which
keeps the file consistent through any crash) and releases the lock; then the log is flushed with
one system call, and only then is the write acknowledged. The promise is the same.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from perdure.errors import Unavailable

IS_SUPPORTED = os.name == "posix"
"""Elsewhere SQLite flushes at each commit."""


def flush(descriptor: int) -> None:
    """Return when what was written to the file is on the disk. May raise `OSError`."""
    if sys.platform == "darwin":
        import fcntl

        # fsync leaves the data in the drive's cache there.
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    elif hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    else:
        os.fsync(descriptor)


class LogFlusher:
    """Flushes the write-ahead log of one file. Used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._log = Path(f"{path}-wal")
        self._descriptor: int | None = None
        self._failure: str | None = None

    def flush(self) -> None:
        """Return when everything committed so far, by whomever, is on the disk.

        Raises `Unavailable` when that cannot be known, and from then on always: after a failed
        flush the system may have forgotten which pages were not written, so that a second one
        would succeed without having written them.
        """
        if self._failure is not None:
            raise Unavailable(self._failure)
        try:
            if self._descriptor is None:
                self._descriptor = os.open(self._log, os.O_RDWR | os.O_CLOEXEC)
            flush(self._descriptor)
        except OSError as error:
            self._failure = (
                f"{self._log} could not be flushed to the disk ({error}); what was written last "
                "may be lost. Mend the disk, then open the store again"
            )
            raise Unavailable(self._failure) from error

    def close(self) -> None:
        """Let go of the log. It holds none of SQLite's locks, so this drops none."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
