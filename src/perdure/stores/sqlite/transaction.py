"""What the writer knows while it writes: numbers to give out, partitions, chains, the model."""

from __future__ import annotations

import sqlite3
from secrets import token_bytes

from perdure.domain.erasure import KEY_BYTES
from perdure.domain.journal import GENESIS
from perdure.errors import InvalidInput
from perdure.stores.sqlite.statements import statements

Walls = tuple[str, str]

_KEPT_TICKS = 20_000
_KEPT_HEADS = 10_000


class Transaction:
    """One writing transaction of the writer's connection; used again for the next one.

    Between transactions it remembers the partitions' numbers, and their chains' ends as long as
    nobody else has written.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute
        self.executemany = connection.executemany
        self.sql = statements()
        self.sequence = 0
        self.memory = 0
        self.tick = 0
        self.pages = 0
        self.model: str | None = None
        self.withholding_key: bytes | None = None
        self._model_number: int | None = None
        self._dimension: int | None = None
        self._numbers: dict[Walls, int] = {}
        self._walls: dict[int, Walls] = {}
        self._heads: dict[int, str] = {}
        self._pruned_tick = 0

    def begin(self) -> None:
        """Read where writing goes on."""
        sequence, memory, tick, model, key = self.execute(self.sql["standing"]).fetchone()
        if (sequence or 0) != self.sequence or len(self._heads) > _KEPT_HEADS:
            self._heads.clear()
        self.sequence, self.memory, self.tick = sequence or 0, memory or 0, tick or 0
        self.withholding_key = None if key is None else bytes.fromhex(key)
        if model != self.model:
            self.model = model
            self._model_number = None

    def finish(self) -> None:
        """Write what is written once per transaction."""
        if self.tick - self._pruned_tick > 2 * _KEPT_TICKS:
            self._pruned_tick = self.tick - _KEPT_TICKS
            self.execute(self.sql["prune_ticks"], (self._pruned_tick,))

    def forget(self) -> None:
        """Forget what a transaction that was rolled back may have taught."""
        self.model = self._model_number = None
        self._numbers.clear()
        self._walls.clear()
        self._heads.clear()

    def find_partition(self, walls: Walls) -> int | None:
        """The number of a (tenant, user), or None when nothing was ever stored there."""
        number = self._numbers.get(walls)
        if number is None:
            row = self.execute(self.sql["partition_of"], walls).fetchone()
            if row is None:
                return None
            number = row[0]
            self._learn(number, walls)
        return number

    def partition(self, walls: Walls) -> int:
        """The number of a (tenant, user), a new one if need be."""
        number = self.find_partition(walls)
        if number is None:
            (number,) = self.execute(self.sql["add_partition"], walls).fetchone()
            self._learn(number, walls)
            self._heads[number] = GENESIS
        return number

    def walls(self, partition: int) -> Walls:
        """Whose partition this is."""
        found = self._walls.get(partition)
        if found is None:
            tenant, user = self.execute(self.sql["walls_of"], (partition,)).fetchone()
            found = (tenant, user)
            self._learn(partition, found)
        return found

    def _learn(self, number: int, walls: Walls) -> None:
        self._numbers[walls] = number
        self._walls[number] = walls

    def head(self, partition: int) -> str:
        """The digest the partition's chain ends with."""
        known = self._heads.get(partition)
        if known is None:
            row = self.execute(self.sql["head"], (partition,)).fetchone()
            known = self._heads[partition] = GENESIS if row is None else row[0].hex()
        return known

    def extend(self, partition: int, digest: str) -> int:
        """Lengthen the partition's chain; the sequence of the new entry."""
        self._heads[partition] = digest
        self.sequence += 1
        return self.sequence

    def new_memory(self) -> int:
        """The number of a new memory."""
        self.memory += 1
        return self.memory

    def make_withholding_key(self) -> None:
        """Draw the key that what is erased will be withheld with."""
        self.withholding_key = token_bytes(KEY_BYTES)
        self.execute(self.sql["set_meta"], ("withholding_key", self.withholding_key.hex()))

    def vectors_changed(self, memory: int) -> None:
        """Tell search indexes that a memory's vectors changed without a journal entry."""
        self.tick += 1
        self.execute(self.sql["insert_tick"], (self.tick, memory))

    def model_number(self, model: str, dimension: int) -> int | None:
        """The number of the model if its vectors are used here, else None.

        While the store has no model, this makes it the one.
        """
        if self.model is None:
            self.use_model(model)
        elif self.model != model:
            return None
        if self._model_number is None:
            self._model_number = self.register_model(model, dimension)
        if dimension != self._dimension:
            raise InvalidInput(
                f"vectors by {model} have {self._dimension} dimensions here, not {dimension}"
            )
        return self._model_number

    def use_model(self, model: str) -> None:
        """Make this the model whose vectors are used."""
        self.execute(self.sql["set_embedding_model"], (model,))
        self.model = model
        self._model_number = None

    def register_model(self, model: str, dimension: int | None) -> int:
        """The number of a model, whether used here or not."""
        row = self.execute(self.sql["model_number"], (model,)).fetchone()
        if row is None:
            (number,) = self.execute(self.sql["add_model"], (model, dimension)).fetchone()
            self._dimension = dimension
            return int(number)
        number, self._dimension = row
        if self._dimension is None and dimension is not None:
            self.execute(self.sql["set_dimension"], (dimension, number))
            self._dimension = dimension
        return int(number)
