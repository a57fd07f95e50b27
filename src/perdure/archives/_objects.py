"""What an archive needs of the place its objects lie in."""

from __future__ import annotations

from typing import Protocol


class Objects(Protocol):
    """Named bytes. Names are made of parts joined by "/"; every method blocks.

    Failures of the place are raised as `Unavailable` or `Misconfigured`, without secrets.
    """

    def put_new(self, name: str, data: bytes) -> None:
        """Store bytes durably under a new name; `FileExistsError` when the name is taken.

        Nobody ever sees part of them under the name.
        """
        ...

    def get(self, name: str) -> bytes:
        """The bytes under a name; `FileNotFoundError` without any."""
        ...

    def folders(self) -> list[str]:
        """The first parts of all names that have several, each once; in no order."""
        ...

    def names_in(self, folder: str) -> list[str]:
        """The rest of all names whose first part is `folder`; in no order."""
        ...

    def delete(self, name: str) -> None:
        """Remove what is under a name; nothing happens without it."""
        ...
