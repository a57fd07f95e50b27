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

    @property
    def is_create_only(self) -> bool:
        """Whether of two who put the same name at once one is sure to meet `FileExistsError`."""
        ...

    def names(self) -> list[str]:
        """All names, and those of what interrupted writes left; in no order."""
        ...

    def names_in(self, folder: str) -> list[str]:
        """The rest of all names whose first part is `folder`, as `names` has them; in no order."""
        ...

    def delete(self, name: str) -> None:
        """Remove what is under a name; nothing happens without it."""
        ...
