"""The `WorkingStore` on Redis, Valkey, or a cluster of either."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from perdure.domain.journal import canonical
from perdure.domain.scope import Scope
from perdure.domain.times import from_micros, to_micros
from perdure.domain.working import TaskKey
from perdure.errors import Misconfigured
from perdure.ports.working_store import StoredTask
from perdure.remote.loop_clients import LoopClients
from perdure.working_stores.redis.address import Address, parse_address
from perdure.working_stores.redis.failures import is_of_driver, redis, translated
from perdure.working_stores.redis.keys import index_key, member_of, task_key
from perdure.working_stores.redis.scripts import DELETE, LOAD_MANY, WRITE

Result = TypeVar("Result")
_FIELDS = ("version", "document", "write", "expires", "name")
_AT_ONCE = 64
_BATCH = 200
_RETRIES = 2
_FIRST_DELAY_S = 0.02
_LONGEST_DELAY_S = 0.2


class _Connections:
    """A driver's client, with the way of closing that its versions share."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        from redis.asyncio import Redis, RedisCluster
        from redis.asyncio.retry import Retry
        from redis.backoff import ExponentialWithJitterBackoff

        made: Any = RedisCluster if address.is_cluster else Redis
        try:
            self.client = made.from_url(
                address.url,
                socket_timeout=timeout_s,
                socket_connect_timeout=timeout_s,
                protocol=2,  # what every server speaks; the scripts answer plain lists
                retry=Retry(
                    ExponentialWithJitterBackoff(base=_FIRST_DELAY_S, cap=_LONGEST_DELAY_S),
                    _RETRIES,
                ),
            )
        except (ValueError, TypeError) as error:
            raise Misconfigured(
                f"{address.place}: the URL cannot be used ({type(error).__name__}); it reads "
                "redis://user:password@host:port/database"
            ) from error

    async def close(self) -> None:
        await self.client.aclose()


class RedisWorkingStore:
    """Tasks on a server, for any number of processes. Connects when first used, and again after
    the server was gone.

    Every call ends within `timeout_s`, retries of lost connections included.
    """

    def __init__(self, url: str, *, timeout_s: float) -> None:
        self._address = parse_address(url)
        redis()  # missing, it is told when the memory is opened and not at the first task
        self._timeout_s = timeout_s
        self._connections = LoopClients(
            lambda: _Connections(self._address, timeout_s),
            {"calls": _AT_ONCE},
            owner="working memory",
        )

    async def load(self, key: TaskKey, *, now: datetime) -> StoredTask | None:
        name = task_key(key.scope, member_of(key))
        fields = await self._call(lambda client: client.hmget(name, list(_FIELDS)))
        found = _stored(fields)
        return found if found is not None and found.expires_at > now else None

    async def write(self, task: StoredTask, *, expected: int, now: datetime) -> bool:
        member = member_of(task.key)
        expires, at = _millis(task.expires_at), _millis(now)
        written = await self._run(
            WRITE,
            [task_key(task.key.scope, member), index_key(task.key.scope)],
            [
                *(expected, task.version, task.document, task.write, expires, _name(task.key)),
                *(at, max(expires - at, 1), member),
            ],
        )
        return bool(written)

    async def delete(self, key: TaskKey, *, expected: int | None, now: datetime) -> bool:
        member = member_of(key)
        deleted = await self._run(
            DELETE,
            [task_key(key.scope, member), index_key(key.scope)],
            ["" if expected is None else expected, _millis(now), member],
        )
        return bool(deleted)

    async def tasks(self, scope: Scope, *, now: datetime) -> list[StoredTask]:
        index = index_key(scope)
        members = sorted(await self._call(lambda client: client.smembers(index)))
        names = [member.decode("ascii") for member in members]
        found: list[StoredTask] = []
        for start in range(0, len(names), _BATCH):
            batch = names[start : start + _BATCH]
            keys = [index, *(task_key(scope, member) for member in batch)]
            loaded = map(_stored, await self._run(LOAD_MANY, keys, batch))
            found += (task for task in loaded if task is not None)
        seen = (task for task in found if task.expires_at > now and scope.admits(task.key.scope))
        return sorted(seen, key=lambda task: task.order)

    async def aclose(self) -> None:
        await self._connections.aclose()

    async def _run(self, script: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        return await self._call(lambda client: client.eval(script, len(keys), *keys, *arguments))

    async def _call(self, ask: Callable[[Any], Awaitable[Result]]) -> Result:
        try:
            async with asyncio.timeout(self._timeout_s):
                async with self._connections.channel("calls") as connections:
                    return await ask(connections.client)
        except Exception as error:
            if is_of_driver(error):
                raise translated(error, self._address.place) from error
            raise


def _millis(moment: datetime) -> int:
    return to_micros(moment) // 1000


def _name(key: TaskKey) -> str:
    scope = key.scope
    return canonical([scope.tenant, scope.agent, scope.user, scope.session, key.name])


def _stored(fields: Sequence[bytes | None]) -> StoredTask | None:
    """A task from the fields of its hash; None when there is no hash."""
    if any(field is None for field in fields):
        return None
    version, document, write, expires, name = (str(field, "utf-8") for field in fields if field)
    tenant, agent, user, session, task = json.loads(name)
    return StoredTask(
        key=TaskKey(scope=Scope(tenant=tenant, agent=agent, user=user, session=session), name=task),
        version=int(version),
        document=document,
        write=write,
        expires_at=from_micros(int(expires) * 1000),
    )
