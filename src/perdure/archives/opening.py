"""From a URL in a configuration to an archive.

    file:///folder, a path            files of this machine
    s3://bucket/prefix                an S3-compatible service, also gs://, az:// and abfs://
    memory://                         nothing is kept beyond the process
    fsspec+SCHEME://…                 what fsspec opens, such as fsspec+hdfs://host:8020/folder

What a service needs to know comes from its usual environment variables, or from the URL's query:
`s3://bucket/prefix?endpoint=http://127.0.0.1:8333&access_key_id=…&secret_access_key=…`. For fsspec
the query holds the file system's own options.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from perdure.archives._objects import Objects
from perdure.errors import Misconfigured
from perdure.ports.archive import Archive

SERVICES = ("s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss")
_FSSPEC = "fsspec+"
_SECRET = re.compile("secret|key|token|pass|sas|credential|signature", re.IGNORECASE)
"""Names of options whose values no message may show."""
_INSTALL = 'install them with pip install "perdure[archive]"'


class Location(NamedTuple):
    """Where an archive lies. `place` is what messages say: it has neither options nor passwords."""

    scheme: str
    url: str
    place: str
    options: Mapping[str, str]
    secrets: frozenset[str]

    @property
    def is_fsspec(self) -> bool:
        """Whether fsspec is to open it."""
        return self.scheme.startswith(_FSSPEC)


def location_of(url: str) -> Location:
    """What a URL says. Raises `Misconfigured` for one that names no archive."""
    scheme, separator, _ = url.partition("://")
    if not separator or (len(scheme) == 1 and scheme.isalpha()):
        return Location("file", url, url, {}, frozenset())
    scheme = scheme.lower()
    parts = urlsplit(url)
    if scheme == "file" and parts.netloc not in ("", "localhost"):
        raise Misconfigured(
            f"settings.archive: file://{parts.netloc}… names a host; write file:///folder"
        )
    if not (scheme in ("file", "memory", *SERVICES) or scheme.startswith(_FSSPEC)):
        known = ", ".join(["file", "memory", *SERVICES, f"{_FSSPEC}…"])
        raise Misconfigured(
            f"settings.archive: no archive understands {scheme}:// URLs; known are {known}"
        )
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    host = parts.netloc.rpartition("@")[2]
    secrets = {value for name, value in options.items() if value and _SECRET.search(name)}
    if parts.password:
        secrets |= {parts.password, unquote(parts.password)}
    return Location(
        scheme=scheme,
        url=f"{scheme}://{parts.netloc}{parts.path}",
        place=f"{scheme}://{host}{parts.path}",
        options=options,
        secrets=frozenset(secrets),
    )


def missing_libraries(url: str) -> str | None:
    """What stands in the way of opening the archive on this machine, without loading anything."""
    location = location_of(url)
    needed = ("pyarrow", "fsspec" if location.is_fsspec else "obstore")
    missing = [name for name in needed if find_spec(name) is None]
    if not missing:
        return None
    return f"the archive needs {' and '.join(missing)}; {_INSTALL}"


def open_archive(url: str, identity: str) -> Archive:
    """The archive of the store that has this identity, at the place the URL names.

    Nothing is asked over the network. Raises `Misconfigured`, also for a missing library.
    """
    missing = missing_libraries(url)
    if missing is not None:
        raise Misconfigured(missing)
    from perdure.archives.parquet import ParquetArchive  # loads pyarrow

    return ParquetArchive(_objects(location_of(url), identity))


def is_blank(url: str, identity: str) -> bool:
    """Whether nothing can lie at a place that nobody opened yet: a folder that is not there, or
    the memory of this process. False where that is not to be seen without asking a service."""
    location = location_of(url)
    if location.scheme == "file":
        return not _folder_of(location.url, identity).exists()
    return location.scheme == "memory"


def _folder_of(url: str, identity: str) -> Path:
    is_url = url.startswith("file://")
    path = unquote(url.removeprefix("file://").removeprefix("localhost")) if is_url else url
    return Path(path).absolute() / identity


def _objects(location: Location, identity: str) -> Objects:
    scheme, url, place, options, secrets = location
    if location.is_fsspec:
        from perdure.archives._fsspec import fsspec_objects

        below = f"{url.removeprefix(_FSSPEC).rstrip('/')}/{identity}"
        return fsspec_objects(below, place, options, secrets=secrets)
    from perdure.archives._obstore import FileObjects, memory_objects, service_objects

    if scheme == "memory":
        return memory_objects()
    if scheme == "file":
        return FileObjects(_folder_of(url, identity))
    return service_objects(f"{url.rstrip('/')}/{identity}", place, dict(options), secrets=secrets)
