"""Which systems there are, which interpreter runs each, and how large a store each can be given."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.system import System

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".venvs"

sys.path.append(str(HERE.parent / "src"))  # for an interpreter the package is not installed in


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One system: where its class lives and, for a peer, its own virtual environment.

    `imports` is what a user of it imports. `largest` is the biggest store worth waiting for.
    """

    where: str
    imports: str
    environment: str | None = None
    largest: int = 1_000_000

    @property
    def python(self) -> Path:
        """The interpreter to run it with: this one, or that of its environment."""
        if self.environment is None:
            return Path(sys.executable)
        return ENVIRONMENTS / self.environment / "bin" / "python"

    @property
    def is_installed(self) -> bool:
        """Whether its environment is there; for this project, whether the package imports."""
        if self.environment is not None:
            return self.python.exists()
        try:
            importlib.import_module(self.imports)
        except ImportError:
            return False
        return True


BASELINE = "raw_sqlite"
SUBJECT = "perdure"

ENTRIES = {
    BASELINE: Entry(where="benchmarks.baselines.raw_sqlite:RawSqlite", imports="sqlite3"),
    SUBJECT: Entry(where="benchmarks.systems.perdure:Perdure", imports="perdure"),
    f"{SUBJECT}_int8": Entry(where="benchmarks.systems.perdure:PerdureInt8", imports="perdure"),
    "langgraph": Entry(
        where="benchmarks.baselines.peers:LangGraph",
        imports="langgraph.store.sqlite",
        environment="langgraph",
        largest=100_000,
    ),
    "lancedb": Entry(
        where="benchmarks.baselines.peers:LanceDb", imports="lancedb", environment="lancedb"
    ),
    "chroma": Entry(
        where="benchmarks.baselines.peers:Chroma",
        imports="chromadb",
        environment="chroma",
        largest=100_000,
    ),
    "mem0": Entry(
        where="benchmarks.baselines.peers:Mem0",
        imports="mem0",
        environment="mem0",
        largest=10_000,
    ),
}


def make(name: str) -> System:
    """A new, closed system of that name; its libraries are imported here."""
    module, _, attribute = ENTRIES[name].where.partition(":")
    system: System = getattr(importlib.import_module(module), attribute)()
    return system
