"""Whose memory: tenant and user are walls, agent and session narrow."""

from __future__ import annotations

from dataclasses import dataclass

from perdure.domain.text import sanitise
from perdure.errors import InvalidInput

MAX_PART_CHARS = 1024
_PARTS = ("tenant", "agent", "user", "session")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Four opaque texts. No part is a pattern: `%`, `_`, `*` and separators mean themselves.

    `tenant` and `user` match exactly; blank means "of no particular user", never "of anyone".
    `agent` and `session` narrow a search when they are not blank.
    """

    tenant: str = ""
    agent: str = ""
    user: str = ""
    session: str = ""

    def __post_init__(self) -> None:
        for name in _PARTS:
            part = getattr(self, name)
            if not isinstance(part, str):
                raise InvalidInput(
                    f"scope.{name} must be text, not {type(part).__name__}; "
                    "leave it out instead of passing None"
                )
            if len(part) > MAX_PART_CHARS:
                raise InvalidInput(
                    f"scope.{name} has {len(part)} characters; the limit is {MAX_PART_CHARS}"
                )
            if sanitise(part) != part:
                raise InvalidInput(
                    f"scope.{name} holds a NUL or half of a surrogate pair, "
                    "which no store can keep exactly; choose another identifier"
                )

    @property
    def walls(self) -> tuple[str, str]:
        """(tenant, user): what must be equal for anything to be readable."""
        return (self.tenant, self.user)

    @property
    def is_blank(self) -> bool:
        """True when no part is given."""
        return not (self.tenant or self.agent or self.user or self.session)

    def admits(self, other: Scope) -> bool:
        """Whether a search in this scope may see a memory stored in `other`."""
        return (
            self.tenant == other.tenant
            and self.user == other.user
            and self.agent in ("", other.agent)
            and self.session in ("", other.session)
        )

    def narrowed(
        self,
        *,
        tenant: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        session: str | None = None,
    ) -> Scope:
        """This scope with the given parts replaced."""
        return Scope(
            tenant=self.tenant if tenant is None else tenant,
            agent=self.agent if agent is None else agent,
            user=self.user if user is None else user,
            session=self.session if session is None else session,
        )
