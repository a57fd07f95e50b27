"""Which sessions are held in the process. Nothing here waits for anything."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from perdure.domain.scope import Scope

if TYPE_CHECKING:
    from perdure.engine.context_state import Session


class Contexts:
    """The sessions that are held, at most so many. Thread-safe."""

    def __init__(self, *, sessions: int, turns: int) -> None:
        self._most = sessions
        self._turns = turns
        self._sessions: OrderedDict[Scope, Session] = OrderedDict()
        self._lock = Lock()

    def get(self, scope: Scope) -> Session | None:
        """The session of exactly this scope, which is then the last to go; None if it is not held."""
        with self._lock:
            session = self._sessions.get(scope)
            if session is not None:
                self._sessions.move_to_end(scope)
            return session

    def add(self, scope: Scope) -> Session | None:
        """The session, made if there is room for one more; None if there is none."""
        with self._lock:
            session = self._sessions.get(scope)
            if session is None:
                if len(self._sessions) >= self._most:
                    return None
                from perdure.engine.context_state import Session  # few programs hold a session

                session = self._sessions[scope] = Session(scope, self._turns)
            self._sessions.move_to_end(scope)
            return session

    def oldest(self) -> Session | None:
        """The one that was not used for longest."""
        with self._lock:
            return next(iter(self._sessions.values()), None)

    def drop(self, session: Session, *, even_unstored: bool = False) -> bool:
        """Let a session go; false when it still has turns that are in the process alone."""
        with self._lock, session.lock:
            if session.unstored and not even_unstored:
                return False
            session.is_dropped = True
            if self._sessions.get(session.scope) is session:
                del self._sessions[session.scope]
            return True

    def within(self, scope: Scope, *, everything: bool = False) -> list[Session]:
        """The sessions a call in this scope may touch; with `everything` those of all its users."""
        with self._lock:
            return [
                session
                for of, session in self._sessions.items()
                if scope.admits(of) or (everything and of.tenant == scope.tenant)
            ]

    def all(self) -> list[Session]:
        """Every session that is held."""
        with self._lock:
            return list(self._sessions.values())
