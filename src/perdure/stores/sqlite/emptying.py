"""Taking the contents out of journal entries, while what the chain needs of them stays."""

from __future__ import annotations

import json
from collections.abc import Sequence

from perdure.domain.journal import emptied
from perdure.stores.sqlite.entries import entry_of
from perdure.stores.sqlite.transaction import Transaction


def empty_entries(tx: Transaction, memories: Sequence[int]) -> int:
    """Remove the contents of all entries of these memories, by number; how many entries had any."""
    rows = tx.execute(tx.sql["entries_with_contents"], (json.dumps(memories),)).fetchall()
    entries = (emptied(entry_of(row, tx.walls(row[5]))) for row in rows)
    tx.executemany(
        tx.sql["empty_entry"], [(bytes.fromhex(entry.seal), entry.sequence) for entry in entries]
    )
    return len(rows)
