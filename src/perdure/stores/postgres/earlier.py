"""Reads of an earlier state of knowledge: the journal folded, then read as the reference does."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby

import numpy as np

from perdure.domain.changes import Vectors
from perdure.domain.visibility import View
from perdure.stores._reference import ReferenceReads, as_known, indexed
from perdure.stores.postgres.conditions import within
from perdure.stores.postgres.rows import Row, entry_of, memory_of
from perdure.stores.postgres.transactions import Session


async def reads_as_known(session: Session, view: View, moment: datetime) -> ReferenceReads:
    """What was known at the moment, of everything behind the view's walls.

    Must run in a snapshot: records and journal have to be of the same moment.
    """
    vectors = _by_memory(await session.composed_rows(*within("vectors_within", view)))
    current = {
        row["id"]: indexed(memory_of(row), vectors.get(row["id"]))
        for row in await session.composed_rows(*within("records_within", view))
    }
    entries = [
        entry_of(row) for row in await session.composed_rows(*within("entries_behind", view))
    ]
    return ReferenceReads(as_known(entries, moment, current))


def _by_memory(rows: list[Row]) -> dict[str, Vectors]:
    return {
        memory_id: Vectors(
            model=pieces[0]["model"], rows=np.stack([row["embedding"] for row in pieces])
        )
        for memory_id, group in groupby(rows, key=lambda row: row["memory_id"])
        if (pieces := list(group))
    }
