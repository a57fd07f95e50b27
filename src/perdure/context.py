"""The turns of one conversation, as callers see them: `memory.context(session)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from perdure.domain.context.results import Window
from perdure.domain.context.turns import ContextTurn, ToolCall
from perdure.domain.scope import Scope
from perdure.domain.text import sanitise, shown
from perdure.engine import asking, context, context_window, drafts
from perdure.engine.context_reading import Reader
from perdure.engine.core import Core
from perdure.engine.drafts import Moment
from perdure.engine.gate import Gate
from perdure.errors import InvalidInput
from perdure.running import Portal

Form = Literal["openai", "anthropic", "plain"]
Calls = Iterable[ToolCall | Mapping[str, Any]]


class AsyncContext:
    """The turns of one session, and the window of them that the next model call sees.

    Turns are held in the process, the newest `Settings.context_turns` of them. What leaves becomes
    episodes, as with `observe`: when newer turns alone fill the budget, when the ring is full, at
    `flush`, `end` and when the memory is closed. Until then a killed process loses a turn, unless
    it was appended with `observe=True`, which stores it first. Every context of the same scope
    shares the same turns.
    """

    def __init__(
        self, core: Core, gate: Gate, *, scope: Scope, max_tokens: int | None, observe: bool
    ) -> None:
        self._core = core
        self._gate = gate
        self._scope = scope
        self._max_tokens = asking.limit_of(max_tokens, core.settings.window_tokens, "max_tokens")
        self._observe = drafts.flag(observe, "observe")

    @property
    def scope(self) -> Scope:
        """Whose turns these are, and of which session."""
        return self._scope

    @property
    def max_tokens(self) -> int:
        """The budget of a window, unless the call names another."""
        return self._max_tokens

    @contextmanager
    def _inside(self) -> Iterator[None]:
        self._gate.enter()
        try:
            yield
        finally:
            self._gate.leave()

    def _reader(self) -> Reader:
        core, now = self._core, self._core.now()
        return Reader(settings=core.settings, now=now, new_id=lambda: core.new_id(now))

    def _at_once(self, observe: bool | None) -> bool:
        return self._observe if observe is None else drafts.flag(observe, "observe")

    async def append(
        self,
        role: str,
        content: str | None = None,
        *,
        name: str | None = None,
        tool_calls: Calls | None = None,
        tool_call_id: str | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        time: Moment | None = None,
        id: str | None = None,  # noqa: A002 - the field's name
        observe: bool | None = None,
    ) -> ContextTurn:
        """Add a turn as the newest.

        `role` is `user`, `assistant`, `system`, `developer` or `tool`. `tool_calls` are an
        assistant's, in OpenAI's form or as `ToolCall`; a tool's turn answers the one of
        `tool_call_id`, and the two are never separated. `importance` 0..1, 0.5 unless given.
        `pinned` turns stay in every window; system and developer turns are pinned unless told
        otherwise. `id` names the turn: the same turn again changes nothing, other words under the
        id are a `Conflict`. `observe` stores it before this returns. An error leaves it unappended.
        """
        with self._inside():
            turn = self._reader().turn(
                role, content, name=name, tool_calls=tool_calls, tool_call_id=tool_call_id,
                importance=importance, pinned=pinned, time=time, id=id,
            )  # fmt: skip
            return (await self._append([turn], observe))[0]

    async def extend(
        self, messages: Iterable[Mapping[str, Any]], *, observe: bool | None = None
    ) -> list[ContextTurn]:
        """Add messages as services give them, OpenAI's or Anthropic's, in their order.

        Each is a mapping of the arguments of `append`; `content` may be a list of parts, of texts,
        `tool_use` and `tool_result`. `InvalidInput` names the message at fault, and nothing is
        added then.
        """
        with self._inside():
            return await self._append(self._reader().turns(messages), observe)

    async def _append(self, turns: list[ContextTurn], observe: bool | None) -> list[ContextTurn]:
        return await context.append(
            self._core,
            self._scope,
            turns,
            max_tokens=self._max_tokens,
            at_once=self._at_once(observe),
        )

    async def window(
        self,
        format: Form = "openai",  # noqa: A002 - the word for it
        *,
        max_tokens: int | None = None,
        system: str | None = None,
    ) -> Window:
        """What the next model call sees: at most `max_tokens`, in the format of its service.

        The newest turns, and the pinned and important ones whatever their age, in order; a summary
        of the others. `system` is text that comes first and counts too, such as instructions and
        what `recall_context` gave. One turn too long for its place is shown shortened, with a mark,
        and listed in `shortened`; or refused (`InvalidInput`) by `Settings.context_oversized`.
        Appends nothing and stores nothing.
        """
        with self._inside():
            session = await context.session_of(self._core, self._scope)
            return await context_window.window(
                self._core,
                session,
                form=context_window.format_named(format),
                max_tokens=asking.limit_of(max_tokens, self._max_tokens, "max_tokens"),
                system=_system(system),
            )

    async def turns(self) -> list[ContextTurn]:
        """The turns that are held, oldest first."""
        with self._inside():
            return context.turns(self._core, self._scope)

    async def weigh(
        self,
        turn_id: str | ContextTurn,
        *,
        pinned: bool | None = None,
        importance: float | None = None,
    ) -> ContextTurn:
        """Pin a turn, let it go again, or say how important it is. `NotFound` when it has left."""
        with self._inside():
            return context.weigh(
                self._core,
                self._scope,
                turn_id.id if isinstance(turn_id, ContextTurn) else turn_id,
                pinned=None if pinned is None else drafts.flag(pinned, "pinned"),
                importance=None if importance is None else drafts.share(importance, "importance"),
            )

    async def flush(self) -> int:
        """Store every turn that is in the process alone; how many there were. They stay here."""
        with self._inside():
            session = await context.session_of(self._core, self._scope)
            return await context.flush(self._core, session)

    async def end(self) -> int:
        """Store every turn that is in the process alone, and let the session go."""
        with self._inside():
            return await context.end(self._core, self._scope)


def _system(system: object) -> str:
    if system is None:
        return ""
    if not isinstance(system, str):
        raise InvalidInput(f"system must be text, not {shown(system)}")
    # What recalls give is a kind of text; what is written down is text alone.
    return sanitise(str(system))


class Context:
    """Blocking form of `AsyncContext`, where each call is described."""

    def __init__(self, core: AsyncContext, portal: Portal) -> None:
        self._core = core
        self._portal = portal

    @property
    def scope(self) -> Scope:
        """Whose turns these are, and of which session."""
        return self._core.scope

    @property
    def max_tokens(self) -> int:
        """The budget of a window, unless the call names another."""
        return self._core.max_tokens

    def append(
        self,
        role: str,
        content: str | None = None,
        *,
        name: str | None = None,
        tool_calls: Calls | None = None,
        tool_call_id: str | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        time: Moment | None = None,
        id: str | None = None,  # noqa: A002 - the field's name
        observe: bool | None = None,
    ) -> ContextTurn:
        """Blocking form of `AsyncContext.append`."""
        return self._portal.call(
            lambda: self._core.append(
                role,
                content,
                name=name,
                tool_calls=tool_calls,
                tool_call_id=tool_call_id,
                importance=importance,
                pinned=pinned,
                time=time,
                id=id,
                observe=observe,
            )
        )

    def extend(
        self, messages: Iterable[Mapping[str, Any]], *, observe: bool | None = None
    ) -> list[ContextTurn]:
        """Blocking form of `AsyncContext.extend`."""
        return self._portal.call(lambda: self._core.extend(messages, observe=observe))

    def window(
        self,
        format: Form = "openai",  # noqa: A002 - the word for it
        *,
        max_tokens: int | None = None,
        system: str | None = None,
    ) -> Window:
        """Blocking form of `AsyncContext.window`."""
        return self._portal.call(
            lambda: self._core.window(format, max_tokens=max_tokens, system=system)
        )

    def turns(self) -> list[ContextTurn]:
        """Blocking form of `AsyncContext.turns`."""
        return self._portal.call(self._core.turns)

    def weigh(
        self,
        turn_id: str | ContextTurn,
        *,
        pinned: bool | None = None,
        importance: float | None = None,
    ) -> ContextTurn:
        """Blocking form of `AsyncContext.weigh`."""
        return self._portal.call(
            lambda: self._core.weigh(turn_id, pinned=pinned, importance=importance)
        )

    def flush(self) -> int:
        """Blocking form of `AsyncContext.flush`."""
        return self._portal.call(self._core.flush)

    def end(self) -> int:
        """Blocking form of `AsyncContext.end`."""
        return self._portal.call(self._core.end)
