"""Failures on purpose: the n-th call of a store, an archive or its files fails.

    faults = Faults()
    store = faulty_store(MemoryStore(), faults)
    memory = await open_over(store, archive=faulty_archive(archive, faults), …)
    faults.arm(3, How.AFTER)       # the third call from now takes effect, and its answer is lost
    await memory.consolidate()     # Unavailable
    faults.disarm()

Set `faults.arm` to every n in turn until nothing fails any more, and every place where the outside
world may break has been tried.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, TypeVar, cast

from perdure.archives._objects import Objects
from perdure.errors import Unavailable
from perdure.ports.archive import Archive
from perdure.ports.blocking import is_blocking
from perdure.ports.store import Store

Result = TypeVar("Result")


class How(StrEnum):
    """What a failing call does: nothing; everything, but for its answer; or end the process.

    After `CRASH` every further call fails too, as none of a dead process arrives anywhere.
    """

    BEFORE = "before"
    AFTER = "after"
    CRASH = "crash"


class Crash(BaseException):
    """The process ended here. Nobody may catch it but who throws the manager away and opens anew."""


class Faults:
    """Counts the calls of the parts it was given to, and makes one of them fail.

    Which one is counted over all parts together, so that the order of calls decides.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.failed: str | None = None
        """The call that failed since the last `arm`, such as "store.apply"; None without one."""
        self._left: int | None = None
        self._how = How.BEFORE
        self._are_suspended = False

    def arm(self, nth: int, how: How = How.BEFORE) -> None:
        """Let the `nth` call from now fail, counted from 1."""
        self._left, self._how, self.failed, self.calls = nth, how, None, 0

    def disarm(self) -> None:
        """Let every call work from now on."""
        self._left, self.failed = None, None

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Inside, no call fails or counts."""
        self._are_suspended, before = True, self._are_suspended
        try:
            yield
        finally:
            self._are_suspended = before

    async def around(self, name: str, call: Callable[[], Awaitable[Result]]) -> Result:
        """The result of the call, or the failure that is due."""
        how = self._due(name)
        self._fail_if(how in (How.BEFORE, How.CRASH), how, name)
        result = await call()
        self._fail_if(how is How.AFTER, how, name)
        return result

    def around_blocking(self, name: str, call: Callable[[], Result]) -> Result:
        """The same of an ordinary function."""
        how = self._due(name)
        self._fail_if(how in (How.BEFORE, How.CRASH), how, name)
        result = call()
        self._fail_if(how is How.AFTER, how, name)
        return result

    def _due(self, name: str) -> How | None:
        if self._are_suspended:
            return None
        self.calls += 1
        if self._left is None:
            return None
        self._left -= 1
        if self._left == 0:
            self.failed = name
            return self._how
        is_dead = self._left < 0 and self._how is How.CRASH
        return How.CRASH if is_dead else None

    @staticmethod
    def _fail_if(is_due: bool, how: How | None, name: str) -> None:
        if not is_due:
            return
        if how is How.CRASH:
            raise Crash(name)
        raise Unavailable(f"{name} failed on purpose, {how} it took effect; call it again")


class _Faulty:
    """Hands every call of a port on to what is wrapped, unless it is to fail."""

    def __init__(self, inner: Any, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults
        self.is_blocking = is_blocking(inner)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _wrapper(name: str, port: type[Any]) -> type[_Faulty]:
    """A class with the methods of a port; closing never fails."""
    methods = {
        method: _calling(f"{name}.{method}", method, is_async=inspect.iscoroutinefunction(member))
        for method, member in vars(port).items()
        if inspect.isfunction(member) and not method.startswith("_") and method != "close"
    }
    return type(f"Faulty{port.__name__}", (_Faulty,), methods)


def _calling(label: str, method: str, *, is_async: bool) -> Callable[..., Any]:
    async def awaited(self: Any, *args: Any, **kwargs: Any) -> Any:
        call = getattr(self._inner, method)
        return await self._faults.around(label, lambda: call(*args, **kwargs))

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        call = getattr(self._inner, method)
        return self._faults.around_blocking(label, lambda: call(*args, **kwargs))

    return awaited if is_async else called


class _StaysOpen:
    async def close(self) -> None:
        """Leave the store open."""


_STORE = _wrapper("store", Store)
_STAYS_OPEN = type("FaultyStoreKeptOpen", (_StaysOpen, _STORE), {})
_ARCHIVE = _wrapper("archive", Archive)
_OBJECTS = _wrapper("file", Objects)


def faulty_store(store: Store, faults: Faults, *, stays_open: bool = False) -> Store:
    """The store, whose calls fail when `faults` say so.

    Closing it never fails; with `stays_open` it does nothing, so that a store whose data end with
    it can be opened again.
    """
    return cast(Store, (_STAYS_OPEN if stays_open else _STORE)(store, faults))


def faulty_archive(archive: Archive, faults: Faults) -> Archive:
    """The archive, whose calls fail when `faults` say so."""
    return cast(Archive, _ARCHIVE(archive, faults))


def faulty_objects(objects: Objects, faults: Faults) -> Objects:
    """The files of an archive, whose reads and writes fail when `faults` say so."""
    return cast(Objects, _OBJECTS(objects, faults))
