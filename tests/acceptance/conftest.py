"""Every store and both forms of the client for every test that takes `home` or `memory`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from perdure.testing import FakeClock
from tests.acceptance.home import Face, Home, Loop

_numbers = count(1)

# Each way of running the core, and each store: an event loop of the caller's, none, one behind a
# blocking client. `every_home` has the other two pairs as well.
IN_MEMORY = ["memory-async"]
SQLITE = ["sqlite-sync", "sqlite-async"]
POSTGRES = ["postgres-sync"]
EVERY_FORM = [*IN_MEMORY, *SQLITE, *POSTGRES, "memory-sync", "postgres-async"]
SHARED = ["sqlite-sync", "postgres-sync"]


@pytest.fixture(scope="session")
def acceptance_loop() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.close()


def a_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """The home that the parameter names, such as `sqlite-async`."""
    store, _, form = request.param.partition("-")
    path = tmp_path / "memory.db" if store == "sqlite" else None
    if store == "postgres":
        # A schema of its own is as good as a database, and made in a third of the time.
        url = f"{request.getfixturevalue('postgres_url')}?schema=acceptance_{next(_numbers)}"
    else:
        url = "memory://" if path is None else str(path)
    home = Home(
        store=store,
        form=form,
        url=url,
        path=path,
        loop=lambda: request.getfixturevalue("acceptance_loop"),
    )
    yield home
    home.close_all()


@pytest.fixture(params=[*IN_MEMORY, *SQLITE, *POSTGRES])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    yield from a_home(request, tmp_path)


@pytest.fixture(params=[*SQLITE, *POSTGRES])
def lasting_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """A home whose memories outlive the process."""
    yield from a_home(request, tmp_path)


@pytest.fixture(params=EVERY_FORM)
def every_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """Each store with each form of the client."""
    yield from a_home(request, tmp_path)


@pytest.fixture(params=SHARED)
def shared_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """A home that other processes use too."""
    yield from a_home(request, tmp_path)


@pytest.fixture(params=SQLITE)
def file_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """A home in one file."""
    yield from a_home(request, tmp_path)


@pytest.fixture
def clock(home: Home) -> FakeClock:
    """The clock of `memory`."""
    return home.clock


@pytest.fixture
def memory(home: Home) -> Face:
    """An open, empty memory."""
    return home.open()


@pytest.fixture
def ilka(memory: Face) -> Face:
    """The memory of one user."""
    return memory.scoped(user="ilka")
