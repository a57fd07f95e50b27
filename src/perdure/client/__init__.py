"""The asynchronous client, one topic a file."""

from perdure.client.base import Query, Target
from perdure.client.manager import AsyncMemoryManager

__all__ = ["AsyncMemoryManager", "Query", "Target"]
