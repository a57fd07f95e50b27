"""What a `redis://` URL says, taken apart without ever showing its password."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from perdure.domain.text import shown
from perdure.errors import Misconfigured

_SCHEMES = {
    "redis": ("redis", False),
    "rediss": ("rediss", False),
    "unix": ("unix", False),
    "valkey": ("redis", False),
    "valkeys": ("rediss", False),
    "redis+cluster": ("redis", True),
    "rediss+cluster": ("rediss", True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the server is. `url` is for the driver, `place` for messages."""

    url: str = field(repr=False)
    is_cluster: bool
    place: str


def parse_address(url: str) -> Address:
    """Read `redis://user:password@host:port/database`, or `Misconfigured` for another scheme.

    `rediss` is the same over TLS, `unix` a socket, `redis+cluster` a Redis Cluster of which one
    node is named.
    """
    scheme, separator, rest = url.partition("://")
    known = _SCHEMES.get(scheme.lower()) if separator else None
    if known is None or not rest:
        raise Misconfigured(
            f"settings.working names where tasks are kept, by a URL that begins with one of "
            f"{', '.join(f'{name}://' for name in _SCHEMES)}, or is None to keep them in the "
            f"process; {shown(scheme)} is none of these"
        )
    driver_scheme, is_cluster = known
    server = rest.rpartition("@")[2].partition("?")[0]
    try:
        _ = urlsplit(f"{driver_scheme}://{server}").port
    except ValueError:
        raise Misconfigured(
            f"settings.working: {shown(server)} names no port; a server is host:port"
        ) from None
    return Address(
        url=f"{driver_scheme}://{rest}", is_cluster=is_cluster, place=f"{scheme}://{server}"
    )
