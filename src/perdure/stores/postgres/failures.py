"""What the driver's errors mean for a caller."""

from __future__ import annotations

from perdure.errors import InvalidInput, Misconfigured, PerdureError, Unavailable
from perdure.stores.postgres.driver import asyncpg

_LOST = ("08", "57P01", "57P02", "57P03", "53300")
"""The connection or the server is gone, is starting, or takes no more connections."""
_PASSING = ("40001", "40P01", "23505")
"""A conflict with another transaction, which the next attempt sees the outcome of."""
_CREDENTIALS = ("28",)
_BUSY = ("53", "55P03", "57014", "25006", "58")
"""No space or memory, a lock that was not given, a statement that was stopped, a read-only server,
an error of the system below."""
_BAD_VALUE = ("22", "54")
_SCHEMA = ("42P01", "42703", "42883", "3F000")


def _code(error: BaseException) -> str:
    return str(getattr(error, "sqlstate", None) or "")


def is_lost(error: BaseException) -> bool:
    """Whether the connection is gone; the server undoes what was not committed on it."""
    if isinstance(error, TimeoutError):
        return False
    if isinstance(error, OSError) or _code(error).startswith(_LOST):
        return True
    # The driver's own complaints carry no code: "connection is closed" and the like.
    driver = asyncpg()
    return isinstance(error, driver.InterfaceError) and not isinstance(error, ValueError)


def is_passing(error: BaseException) -> bool:
    """Whether the same transaction may succeed when it is tried again."""
    return _code(error).startswith(_PASSING)


def is_of_driver(error: BaseException) -> bool:
    """Whether this module can say what the error means."""
    driver = asyncpg()
    kinds = (OSError, driver.PostgresError, driver.InterfaceError, driver.InternalClientError)
    return isinstance(error, kinds)


def translated(error: BaseException, place: str) -> PerdureError:
    """The error to raise instead. `place` names the database, without secrets."""
    code = _code(error)
    if isinstance(error, TimeoutError):
        return Unavailable(f"{place} did not answer in time; nothing was written")
    if isinstance(error, ValueError) or code.startswith(_BAD_VALUE):
        return InvalidInput(f"{place} cannot keep a value ({type(error).__name__}); see the cause")
    if code.startswith(_CREDENTIALS):
        return Misconfigured(f"{place} refuses the user or the password")
    if code == "3D000":
        return Misconfigured(f"{place} does not exist on that server; create the database first")
    if code == "42501":
        return Misconfigured(f"{place}: the user lacks a right ({error})")
    if code.startswith(_SCHEMA):
        return Misconfigured(
            f"{place}: a table of the store is missing or was altered ({error}); "
            "restore it from a backup"
        )
    if code.startswith(_BUSY):
        return Unavailable(f"{place} cannot serve the call now ({error}); nothing was written")
    if is_lost(error):
        return Unavailable(f"{place} is out of reach; nothing was written, retry later")
    if is_passing(error):
        return Unavailable(f"{place}: other writers were always first; nothing was written, retry")
    return Misconfigured(f"{place}: {type(error).__name__}: {error}")
