"""The blocking client, one topic a file."""

from perdure.sync.manager import MemoryManager, open  # noqa: A004 - the promised name

__all__ = ["MemoryManager", "open"]
