"""What a `postgresql://` URL says, taken apart without ever showing its password."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from perdure.errors import Misconfigured

DEFAULT_SCHEMA = "perdure"
_MAX_IDENTIFIER_BYTES = 63


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the store is. `dsn` is for the driver, `place` for messages."""

    dsn: str = field(repr=False)
    schema: str
    place: str

    @property
    def quoted_schema(self) -> str:
        """The schema's name as SQL writes it."""
        return quoted(self.schema)


def quoted(identifier: str) -> str:
    """The identifier as SQL writes it, whatever characters it has."""
    return '"' + identifier.replace('"', '""') + '"'


def parse_address(url: str) -> Address:
    """Read a URL `postgresql://user:password@host:port/database?schema=name`.

    All but `schema` is the driver's: hosts, `sslmode` and so on, as libpq knows them.
    """
    base, _, query = url.partition("?")
    scheme, separator, rest = base.partition("://")
    if not separator or scheme not in ("postgresql", "postgres"):
        raise Misconfigured("a PostgreSQL store is named postgresql://user@host:port/database")
    options = parse_qsl(query, keep_blank_values=True)
    schemas = [value for name, value in options if name == "schema"] or [DEFAULT_SCHEMA]
    _require_identifier(schemas[-1])
    others = urlencode([(name, value) for name, value in options if name != "schema"])
    server = rest.rpartition("@")[2]
    return Address(
        dsn=f"postgresql://{rest}" + (f"?{others}" if others else ""),
        schema=schemas[-1],
        place=f"the database postgresql://{server}",
    )


def _require_identifier(schema: str) -> None:
    is_reserved = schema.startswith("pg_") or schema == "information_schema"
    if not schema or is_reserved or len(schema.encode()) > _MAX_IDENTIFIER_BYTES:
        raise Misconfigured(
            f"{schema[:80]!r} cannot be the schema of a store: a name of 1 to "
            f"{_MAX_IDENTIFIER_BYTES} bytes that does not begin with pg_"
        )
