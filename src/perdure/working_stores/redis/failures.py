"""What the driver's errors mean for a caller. Their own words may hold keys or a password."""

from __future__ import annotations

from types import ModuleType

from perdure.errors import Misconfigured, PerdureError, Unavailable

LOST = "only tasks under way are kept there, no memories"


def redis() -> ModuleType:
    """The driver. Raises `Misconfigured` when it is not installed."""
    try:
        import redis as driver
    except ImportError as missing:
        raise Misconfigured(
            "working memory on Redis needs the redis driver; "
            'install it with: pip install "perdure[redis]"'
        ) from missing
    return driver


def is_of_driver(error: BaseException) -> bool:
    """Whether this module can say what the error means."""
    return isinstance(error, (OSError, redis().RedisError))


def translated(error: BaseException, place: str) -> PerdureError:
    """The error to raise instead. `place` names the server, without secrets."""
    kinds = redis().exceptions
    if isinstance(error, (kinds.AuthenticationError, kinds.AuthorizationError)):
        return Misconfigured(f"{place} refuses the user or the password")
    if isinstance(error, kinds.NoPermissionError):
        return Misconfigured(f"{place}: the user lacks a right; it needs scripts, hashes and sets")
    if isinstance(error, (kinds.TimeoutError, TimeoutError)):
        return Unavailable(
            f"{place} did not answer in time; an edit may have been written or not, so read the "
            "task before you repeat it"
        )
    if isinstance(error, kinds.OutOfMemoryError):
        return Unavailable(
            f"{place} is out of memory and takes no more tasks; finish or discard some, "
            "or give it more (maxmemory)"
        )
    if isinstance(error, (OSError, kinds.ConnectionError, kinds.RedisClusterException)):
        return Unavailable(f"{place} is out of reach ({LOST}); retry later")
    if isinstance(error, kinds.ReadOnlyError):
        return Unavailable(f"{place} is a read-only replica for now; retry later")
    code = str(error).partition(" ")[0].upper()
    if code in ("MOVED", "ASK", "CROSSSLOT"):
        return Misconfigured(f"{place} is part of a cluster; name it redis+cluster://…")
    if code in ("CLUSTERDOWN", "TRYAGAIN", "LOADING", "MASTERDOWN", "BUSY"):
        return Unavailable(f"{place} cannot serve the call now ({code}); retry later")
    return Misconfigured(f"{place} refuses the call ({type(error).__name__}); see the cause")
