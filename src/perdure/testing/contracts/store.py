"""The contract of the store port: every promise in its docstrings, as tests.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def opening(self, tmp_path):
            async def open_store():
                return await MyStore.open(tmp_path / "my.store")

            return open_store

`opening` is called again in the same test, while the first store is open or after it was closed,
and must then give the same data. Each test must start with an empty place. Everything runs on
one event loop per test, so asynchronous drivers may keep connections between calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from perdure.testing.contracts._store_archived import ArchivedContract
from perdure.testing.contracts._store_conversing import LendsToNeighbours, SpeaksForItsSession
from perdure.testing.contracts._store_emptying import LosesContents
from perdure.testing.contracts._store_erasing import Erases
from perdure.testing.contracts._store_journal import JournalContract
from perdure.testing.contracts._store_marks import KeepsMarks
from perdure.testing.contracts._store_reading import ReadingContract
from perdure.testing.contracts._store_resting import RestingContract
from perdure.testing.contracts._store_searching import SearchingContract
from perdure.testing.contracts._store_stand import Opening, Stand, standing
from perdure.testing.contracts._store_tokens import KeepsTokenVectors
from perdure.testing.contracts._store_upkeep import UpkeepContract
from perdure.testing.contracts._store_walking import WalksAlongFacts
from perdure.testing.contracts._store_writing import WritingContract


class StoreContract(
    WritingContract,
    ReadingContract,
    SearchingContract,
    WalksAlongFacts,
    LendsToNeighbours,
    SpeaksForItsSession,
    JournalContract,
    LosesContents,
    Erases,
    UpkeepContract,
    ArchivedContract,
    RestingContract,
    KeepsMarks,
    KeepsTokenVectors,
):
    """Subclass this and give it the fixture `opening`."""

    outlives_closing: ClassVar[bool] = True
    """False for a store whose data end with the object that `opening` gave; tests of what other
    openings see are then left out."""

    @pytest.fixture
    def opening(self) -> Opening:
        """An asynchronous function without arguments that opens the store of this test."""
        raise NotImplementedError("give your subclass a fixture `opening`")

    @pytest.fixture
    def stand(self, opening: Opening) -> Iterator[Stand]:
        """The opened store."""
        with standing(opening) as stand:
            yield stand
