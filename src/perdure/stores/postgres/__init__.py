"""The store of record on PostgreSQL with pgvector. Needs the extra `perdure[postgres]`."""

from perdure.stores.postgres.store import PostgresStore, open_postgres

__all__ = ["PostgresStore", "open_postgres"]
