"""Names of keys: the tasks of one tenant's user lie together, whatever they are called.

All keys of one (tenant, user) share the part in braces, by which a Redis Cluster decides where a
key lies, so that one script may touch them all. Texts of callers enter as digests: no name can
look like another's, like a pattern, or close the brace.
"""

from __future__ import annotations

from hashlib import blake2b

from perdure.domain.journal import canonical
from perdure.domain.scope import Scope
from perdure.domain.working import TaskKey

_DIGEST_BYTES = 16


def _digest(*parts: str) -> str:
    # As JSON, so that ("ab", "c") and ("a", "bc") differ.
    text = canonical(list(parts)).encode("utf-8")
    return blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()


def _home(scope: Scope) -> str:
    return f"perdure:working:{{{_digest(scope.tenant, scope.user)}}}"


def index_key(scope: Scope) -> str:
    """The set of the members of one (tenant, user)."""
    return f"{_home(scope)}:tasks"


def member_of(key: TaskKey) -> str:
    """What stands for a task in that set."""
    return _digest(key.scope.agent, key.scope.session, key.name)


def task_key(scope: Scope, member: str) -> str:
    """The hash that is one task."""
    return f"{_home(scope)}:task:{member}"
