"""A manager bound to a scope, and what all its calls share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.domain.text import sanitise, shown
from perdure.engine import (
    drafts,
)
from perdure.engine.core import Core
from perdure.engine.gate import Gate
from perdure.errors import InvalidInput, PermissionDenied
from perdure.ports.embedder import FloatArray
from perdure.running import Running
from perdure.scheduling import Schedule

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Query = str | Sequence[float] | FloatArray
Target = str | Memory
Manager = TypeVar("Manager", bound="Bound")
Closer = Callable[[], Awaitable[None]]


def call(
    method: Callable[Concatenate[Manager, Parameters], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[Manager, Parameters], Coroutine[Any, Any, Result]]:
    """Run a method inside the gate, so that `close` waits for it and later calls are refused."""

    @wraps(method)
    async def guarded(
        self: Manager, /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        self._gate.enter()
        try:
            return await method(self, *args, **kwargs)
        finally:
            self._gate.leave()

    return guarded


def id_of(target: Target) -> str:
    """The id that a memory, or its id as text, stands for."""
    if isinstance(target, Memory):
        return target.id
    if isinstance(target, str) and target:
        return sanitise(target)
    inner = getattr(target, "memory", None)
    hint = "; pass its .memory" if isinstance(inner, Memory) else ""
    raise InvalidInput(
        f"an id (text, as in memory.id) or a memory is needed, not {shown(target)}{hint}"
    )


def ids_of(targets: Target | Iterable[Target]) -> list[str]:
    """The ids that memories or ids stand for, one or several."""
    is_one = isinstance(targets, str | bytes | Memory | Mapping) or hasattr(targets, "memory")
    if is_one or not isinstance(targets, Iterable):
        return [id_of(targets)]  # type: ignore[arg-type]  # refuses what is neither
    ids = [id_of(target) for target in targets]
    if not ids:
        raise InvalidInput("no ids were given; name at least one memory")
    return ids


class Bound:
    """The parts of a manager and the scope it is bound to."""

    def __init__(
        self,
        core: Core,
        gate: Gate,
        *,
        closer: Closer,
        running: Running,
        schedule: Schedule,
        scope: Scope,
    ) -> None:
        self._core = core
        self._gate = gate
        self._closer = closer
        self._running = running
        self._schedule = schedule
        self._scope = scope

    @property
    def scope(self) -> Scope:
        """The scope this manager is bound to."""
        return self._scope

    @property
    def _is_idle(self) -> bool:
        """Whether no call is under way."""
        return self._gate.is_idle

    def _within(self, given: Scope | None) -> Scope:
        """The given scope inside the bound one."""
        bound = self._scope
        if given is None:
            return bound
        if not isinstance(given, Scope):
            raise InvalidInput(
                f"scope must be a Scope such as Scope(user='ilka'), not {type(given).__name__}"
            )
        if bound.is_blank:
            return given
        for name in ("tenant", "agent", "user", "session"):
            mine, theirs = getattr(bound, name), getattr(given, name)
            if mine and theirs and mine != theirs:
                raise PermissionDenied(
                    f"this manager is bound to one {name} and cannot act for another"
                )
        return Scope(
            tenant=given.tenant or bound.tenant,
            agent=given.agent or bound.agent,
            user=given.user or bound.user,
            session=given.session or bound.session,
        )

    def _unbound(self, everything: bool) -> bool:
        """`everything`, which a manager bound to a user may not ask for."""
        if drafts.flag(everything, "everything") and (
            self._scope.user or self._scope.agent or self._scope.session
        ):
            raise PermissionDenied(
                "everything=True spans all users; this manager is bound to one user, agent or "
                "session"
            )
        return everything
