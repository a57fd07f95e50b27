"""What the shared options say, and opening the memory they name."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import perdure
from perdure.bootstrap import default_url, sqlite_file
from perdure.cli.plain import plain
from perdure.domain.scope import Scope
from perdure.errors import NotFound
from perdure.sync import MemoryManager


@dataclass(slots=True)
class Invocation:
    """The shared options. They may stand before the command or after it; the later one counts."""

    store: str | None = None
    tenant: str | None = None
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    embedder: str | None = None
    json: bool = False
    verbose: bool = False
    flags: dict[str, str] = field(default_factory=dict)
    """The flags of the command under way, by the names of their parameters."""

    @property
    def url(self) -> str:
        """The store that is meant."""
        return self.store if self.store is not None else default_url()

    @property
    def scope(self) -> Scope:
        """The scope that is meant."""
        return Scope(
            tenant=self.tenant or "",
            user=self.user or "",
            agent=self.agent or "",
            session=self.session or "",
        )

    @contextmanager
    def opened(self, *, embeds: bool, makes: bool = False) -> Iterator[MemoryManager]:
        """The memory in the scope of the options.

        A command that embeds nothing opens the store without models, which is fast; `--embedder`
        overrides. Only a command that `makes` a store may create its file: a misspelt path must
        not become an empty memory.
        """
        url = self.url
        if not makes:
            require_store(url)
        embedder = self.embedder if self.embedder is not None or embeds else "off"
        language_model = None if embeds else "off"
        with perdure.open(url, embedder=embedder, language_model=language_model) as memory:
            yield memory.scoped(
                tenant=self.tenant, user=self.user, agent=self.agent, session=self.session
            )

    def show(self, value: Any) -> None:
        """Write a result as JSON."""
        sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n")


def require_store(url: str) -> None:
    """Raise `NotFound` when the URL names a file that does not exist."""
    file = sqlite_file(url)
    if file is not None and not file.exists():
        raise NotFound(f"there is no store at {file} yet; `perdure remember` makes one")


def without_password(url: str) -> str:
    """The URL as it may be shown."""
    try:
        password = urlsplit(url).password
    except ValueError:
        return url
    return url if not password else url.replace(f":{password}@", ":***@", 1)
