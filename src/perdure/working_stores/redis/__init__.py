"""Tasks kept on Redis or Valkey, where several processes share them."""

from perdure.working_stores.redis.store import RedisWorkingStore

__all__ = ["RedisWorkingStore"]
