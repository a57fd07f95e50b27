"""Folding the write-ahead log into the file now and then, so that it does not grow without end."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from threading import Lock

from perdure.errors import Unavailable
from perdure.stores.sqlite.committer import Committer
from perdure.stores.sqlite.connections import Readers

log = logging.getLogger(__name__)

_PRESSING = 4
"""So many times larger than it should be, the log is cut even though writers must wait for it."""


class Checkpointer:
    """Folds when enough was written. It is done by the writer who finds it due, after its own
    write is durable; writers and readers go on meanwhile."""

    def __init__(
        self,
        path: Path,
        committer: Committer,
        readers: Readers,
        *,
        limit_bytes: int,
        page_size: int,
    ) -> None:
        self._path = path
        self._committer = committer
        self._readers = readers
        self._limit_pages = max(1, limit_bytes // page_size)
        self._lock = Lock()

    def fold_if_due(self) -> None:
        """Fold when about `limit_bytes` were written since the last time.

        A failure is logged and nothing else: the log keeps what it holds.
        """
        if self._committer.written_pages < self._limit_pages or not self._lock.acquire(False):
            return
        try:
            self._committer.written_pages = 0
            self._fold()
        except (sqlite3.Error, OSError, Unavailable) as error:
            log.warning(
                "store.checkpoint_failed", extra={"path": str(self._path), "error": str(error)}
            )
        finally:
            self._lock.release()

    def _fold(self) -> None:
        with self._readers.borrow() as connection:
            _, logged, folded = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        log.debug("store.checkpoint", extra={"pages": logged, "folded": folded})
        if logged > _PRESSING * self._limit_pages:
            # Processes that write all the time never leave the log alone long enough for it to
            # begin anew. This holds them off for as long as it takes.
            self._committer.exclusively(_cut)


def _cut(connection: sqlite3.Connection) -> None:
    busy, logged, folded = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    log.debug("store.log_cut", extra={"busy": busy, "pages": logged, "folded": folded})
