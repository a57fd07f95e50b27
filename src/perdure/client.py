"""The asynchronous client: what callers see of the engine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from perdure import files
from perdure.domain.changes import JournalEntry
from perdure.domain.predicates import Cardinality, Predicates, checked_cardinalities
from perdure.domain.records import Attachment, Json, Kind, Memory, Source
from perdure.domain.results import (
    CaughtUp,
    Exported,
    Forgotten,
    Imported,
    Observed,
    Page,
    PastChange,
    Recall,
    RecalledText,
    Reembedded,
    Remembered,
    Stats,
    Verification,
)
from perdure.domain.scope import Scope
from perdure.domain.text import sanitise, shown
from perdure.domain.times import as_utc
from perdure.engine import (
    asking,
    correct,
    drafts,
    editing,
    forgetting,
    observe,
    observe_turns,
    portability,
    prompt,
    reading,
    recall,
    reembedding,
    remember,
    upkeep,
)
from perdure.engine.asking import Between
from perdure.engine.core import Core
from perdure.engine.drafts import Moment
from perdure.engine.editing import KEEP, Keep
from perdure.engine.gate import Gate
from perdure.engine.portability import OnConflict
from perdure.errors import InvalidInput, Misconfigured, PermissionDenied
from perdure.graph import AsyncGraph
from perdure.ports.embedder import Embedder, FloatArray
from perdure.running import Running

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Query = str | Sequence[float] | FloatArray
Target = str | Memory
Closer = Callable[[], Awaitable[None]]


_REMEMBER_KEYS = frozenset(
    "content kind scope importance occurred_at occurred_until valid_from valid_to expires_at "
    "metadata key idempotency_key pinned attachments source understand".split()
)


def _call(
    method: Callable[Concatenate[AsyncMemoryManager, Parameters], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[AsyncMemoryManager, Parameters], Coroutine[Any, Any, Result]]:
    """Run a method inside the gate, so that `close` waits for it and later calls are refused."""

    @wraps(method)
    async def guarded(
        self: AsyncMemoryManager, /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        self._gate.enter()
        try:
            return await method(self, *args, **kwargs)
        finally:
            self._gate.leave()

    return guarded


def _id_of(target: Target) -> str:
    if isinstance(target, Memory):
        return target.id
    if isinstance(target, str) and target:
        return sanitise(target)
    raise InvalidInput(f"an id or a memory is needed, not {shown(target)}")


def _ids_of(targets: Target | Iterable[Target]) -> list[str]:
    if isinstance(targets, str | Memory) or not isinstance(targets, Iterable):
        return [_id_of(targets)]
    ids = [_id_of(target) for target in targets]
    if not ids:
        raise InvalidInput("no ids were given")
    return ids


class AsyncMemoryManager:
    """Long-term memory for agents. Made by `perdure.open_async`.

    Every call takes `scope`; without one the manager's own is used (`scoped` binds one). A bound
    manager never leaves its scope: a call may narrow it, and naming another tenant, user, agent
    or session raises `PermissionDenied`. Times may be datetimes or ISO 8601 text; naive ones are
    UTC. Besides the errors named, any call may raise `Unavailable`, `Misconfigured` and `Closed`.
    """

    def __init__(
        self, core: Core, gate: Gate, *, closer: Closer, running: Running, scope: Scope
    ) -> None:
        self._core = core
        self._gate = gate
        self._closer = closer
        self._running = running
        self._scope = scope

    async def __aenter__(self) -> AsyncMemoryManager:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def scope(self) -> Scope:
        """The scope this manager is bound to."""
        return self._scope

    @property
    def graph(self) -> AsyncGraph:
        """The facts as entities and relations."""
        return AsyncGraph(self._core, self._gate, self._within)

    @property
    def _is_idle(self) -> bool:
        """Whether no call is under way."""
        return self._gate.is_idle

    def scoped(
        self,
        *,
        tenant: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        session: str | None = None,
    ) -> AsyncMemoryManager:
        """A view with the same methods, bound to a narrower scope."""
        parts = {"tenant": tenant, "agent": agent, "user": user, "session": session}
        given = Scope(**{name: part for name, part in parts.items() if part is not None})
        return type(self)(
            self._core,
            self._gate,
            closer=self._closer,
            running=self._running,
            scope=self._within(given),
        )

    def _within(self, given: Scope | None) -> Scope:
        """The given scope inside the bound one."""
        bound = self._scope
        if given is None:
            return bound
        if not isinstance(given, Scope):
            raise InvalidInput(f"scope must be a Scope, not {type(given).__name__}")
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

    @_call
    async def remember(
        self,
        content: str | None = None,
        *,
        kind: Kind | str | None = None,
        scope: Scope | None = None,
        importance: float = 0.5,
        occurred_at: Moment | None = None,
        occurred_until: Moment | None = None,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        expires_at: Moment | timedelta | None = None,
        metadata: Mapping[str, Json] | None = None,
        key: str | None = None,
        idempotency_key: str | None = None,
        pinned: bool = False,
        attachments: Sequence[Attachment | Mapping[str, Any]] = (),
        source: Source | Mapping[str, Any] | None = None,
        actor: str | None = None,
        understand: bool = True,
    ) -> Remembered:
        """Store one memory, its words kept as they are. Durable when this returns.

        `kind` is `short_term`, `long_term` (default), `episodic` or `semantic`. `key` names a
        slot: one value at a time, ordered by `valid_from`, so a newer value supersedes and older
        news fills the past. `expires_at` may be a timedelta. `idempotency_key`: the same request
        again gives the same answer and stores nothing; another request with it is a `Conflict`.
        The same statement again is `already_known` (see `domain.duplicates.restates`).
        With `understand` a statement is read as in `observe`: where it states one fact the memory
        is that fact, and what it changes is superseded. Events, documents and slots are not read.
        """
        now = self._core.now()
        draft = drafts.draft(
            self._core.settings, memory_id=self._core.new_id(now), scope=self._within(scope),
            now=now, content=content, kind=kind, importance=importance, occurred_at=occurred_at,
            occurred_until=occurred_until, valid_from=valid_from, valid_to=valid_to,
            expires_at=expires_at, metadata=metadata, key=key, idempotency_key=idempotency_key,
            pinned=pinned, attachments=attachments, source=source, understand=understand,
        )  # fmt: skip
        return (await remember.remember(self._core, [draft], now=now, actor=actor))[0]

    @_call
    async def remember_many(
        self, items: Iterable[Mapping[str, Any]], *, actor: str | None = None
    ) -> list[Remembered]:
        """Store all items or none, in one transaction; answers in the order of the items.

        Each item holds keyword arguments of `remember`. `InvalidInput` names the item at fault.
        """
        if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
            raise InvalidInput(
                f"items must be a list of mappings with content and so on, not {shown(items)}"
            )
        now = self._core.now()
        made = [self._draft_of(position, item, now) for position, item in enumerate(items)]
        return await remember.remember(self._core, made, now=now, actor=actor) if made else []

    def _draft_of(self, position: int, item: Mapping[str, Any], now: Any) -> drafts.Draft:
        if not isinstance(item, Mapping):
            raise InvalidInput(f"item {position} must be a mapping, not {type(item).__name__}")
        unknown = set(item) - _REMEMBER_KEYS
        if unknown:
            raise InvalidInput(
                f"item {position}: remember knows no {', '.join(sorted(map(repr, unknown)))}"
            )
        values = {key: value for key, value in item.items() if key != "scope"}
        try:
            return drafts.draft(
                self._core.settings,
                memory_id=self._core.new_id(now),
                scope=self._within(item.get("scope")),
                now=now,
                **values,
            )
        except InvalidInput as error:
            raise InvalidInput(f"item {position}: {error}") from error

    @_call
    async def observe(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        predicates: Mapping[str, Cardinality] | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Observed:
        """Take conversation in: keep the words, draw facts, and let changes take effect.

        Each message has `role` and `content`, and may have `time` (ISO 8601 or a datetime; its
        offset is the speaker's zone), `name` (who wrote it) and `id`. The words are kept as
        episodes; what a person says becomes facts, supersedes, withdraws or contradicts what was
        said before. The words of assistants, systems and tools are kept and believed by nobody.
        One message is one transaction, in order. The same message (its id, or its words and time)
        again changes nothing, also when it was forgotten meanwhile. `predicates` adds kinds of
        facts, "single" or "many". `Conflict` when an id comes again with other words. With a
        language model people's messages are read by it; while it is out of reach their words are
        kept, the decision is marked `deferred`, and a later call reads them (`catch_up`).
        """
        core, target = self._core, self._within(scope)
        now = core.now()
        turns = observe_turns.turns_of(messages, target, core.settings, now)
        return await observe.observe(
            core, target, turns, predicates=self._predicates(predicates), now=now, actor=actor
        )

    @_call
    async def decide(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        predicates: Mapping[str, Cardinality] | None = None,
        scope: Scope | None = None,
    ) -> Observed:
        """What `observe` would decide and store. Nothing is written."""
        core, target = self._core, self._within(scope)
        now = core.now()
        turns = observe_turns.turns_of(messages, target, core.settings, now)
        return await observe.decide(
            core, target, turns, predicates=self._predicates(predicates), now=now
        )

    def _predicates(self, more: Mapping[str, Cardinality] | None) -> Predicates:
        return self._core.settings.registry.extended(checked_cardinalities(more, "predicates"))

    @_call
    async def recall(
        self,
        query: Query | None = None,
        *,
        limit: int | None = None,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        min_score: float | None = None,
        include: str | Iterable[str] = (),
        scope: Scope | None = None,
    ) -> Recall:
        """The memories that answer a text or a vector, best first; none when nothing is relevant.

        `filters` as in `domain.filters`; `between` bounds when it happened; `as_of` asks what was
        true then, `known_as_of` what we believed then; `min_score` 0..1 drops weaker hits;
        `include` adds "superseded", "archived", "former" or "expired" ones; a question about the
        past ("used to", "以前") that names no `as_of` shows former ones by itself, marked as such.
        """
        core = self._core
        question = recall.question_of(core, query)
        view = asking.view_of(
            self._within(scope), core.now(), as_of=as_of, known_as_of=known_as_of, include=include
        )
        view = asking.looking_back(view, question.text)
        found = await recall.recall(
            core,
            question,
            asking.condition_of(view, kinds=kinds, filters=filters, between=between),
            limit=asking.limit_of(limit, core.settings.retrieval_limit),
            min_score=asking.min_score_of(min_score),
        )
        core.accesses.note([hit.memory for hit in found], view.now)
        return found

    async def recall_context(
        self,
        query: Query | None = None,
        *,
        max_tokens: int | None = None,
        limit: int | None = None,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        min_score: float | None = None,
        include: str | Iterable[str] = (),
        scope: Scope | None = None,
    ) -> RecalledText:
        """Recalled memories as a block of text for a prompt, at most `max_tokens` long.

        Marked as data that is not to be obeyed, one line each with a citation; empty when nothing
        is relevant. Arguments as in `recall`.
        """
        core = self._core
        budget = asking.limit_of(max_tokens, core.settings.context_tokens)
        found = await self.recall(
            query, limit=limit, kinds=kinds, filters=filters, between=between, as_of=as_of,
            known_as_of=known_as_of, min_score=min_score, include=include, scope=scope,
        )  # fmt: skip
        return prompt.render(found, max_tokens=budget, count_tokens=core.count_tokens)

    @_call
    async def get(
        self, memory_id: Target, *, include: str | Iterable[str] = (), scope: Scope | None = None
    ) -> Memory:
        """One memory by id, also when superseded or former; `NotFound` otherwise.

        An expired one needs `include="expired"`. Agent and session do not narrow.
        """
        view = asking.view_of(self._within(scope), self._core.now(), include=include)
        return await reading.get(self._core, _id_of(memory_id), view)

    @_call
    async def count(
        self,
        *,
        everything: bool = False,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        include: str | Iterable[str] = (),
        scope: Scope | None = None,
    ) -> int:
        """How many memories `list` would walk; `everything` counts all users of the tenant."""
        view = asking.view_of(
            self._within(scope), self._core.now(), as_of=as_of, known_as_of=known_as_of,
            include=include, everything=self._unbound(everything),
        )  # fmt: skip
        return await self._core.store.count(
            asking.condition_of(view, kinds=kinds, filters=filters, between=between)
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

    @_call
    async def update(
        self,
        memory_id: Target,
        *,
        content: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        expires_at: Moment | timedelta | Keep | None = KEEP,
        expected_version: int | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Memory:
        """A new version of one record, for mistakes in the record itself; see `correct`.

        `metadata` merges: given keys are set, keys given as None are removed. `expires_at=None`
        takes an expiry away. A stale `expected_version` raises `Conflict`. Changing nothing
        writes nothing.
        """
        return await editing.update(
            self._core, self._within(scope), _id_of(memory_id), now=self._core.now(), actor=actor,
            expected_version=expected_version, content=content, metadata=metadata,
            importance=importance, pinned=pinned, expires_at=expires_at,
        )  # fmt: skip

    @_call
    async def correct(
        self,
        target: Target,
        content: str | None = None,
        *,
        valid_from: Moment | None = None,
        retroactive: bool = False,
        importance: float | None = None,
        metadata: Mapping[str, Json] | None = None,
        source: Source | Mapping[str, Any] | None = None,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Remembered:
        """Let new words take the place of a memory, named by id or found by a query.

        The old one stays readable, points to its successor and answers for the time before
        `valid_from` (None: now). `retroactive=True` says that it was never true. Raises
        `NotFound` without a match, and `Conflict` when something else succeeded it already.
        """
        core = self._core
        correction = correct.Correction(
            content=drafts.text_of(content, core.settings),
            valid_from=None if valid_from is None else as_utc(valid_from, name="valid_from"),
            retroactive=drafts.flag(retroactive, "retroactive"),
            importance=importance,
            metadata=metadata,
            source=None if source is None else drafts.source_of(source),
            reason=drafts.note_of(reason, "reason"),
        )
        return await correct.correct(
            core, self._within(scope), _id_of(target), correction, now=core.now(), actor=actor
        )

    @_call
    async def forget(
        self,
        ids: Target | Iterable[Target],
        *,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Forgotten:
        """Hide memories from every read, all of them or, when one is unknown, none.

        They leave a tombstone: an import does not bring them back, `restore` does.
        """
        return await forgetting.forget(
            self._core, self._within(scope), _ids_of(ids), now=self._core.now(), actor=actor,
            reason=drafts.note_of(reason, "reason"),
        )  # fmt: skip

    @_call
    async def forget_all(
        self,
        *,
        everything: bool = False,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Forgotten:
        """Forget everything in a scope that names a user, agent or session.

        Without one this is refused unless `everything=True`, which forgets all users of the
        tenant. An agent or session loses only what was stored with it.
        """
        target = self._within(scope)
        if not drafts.flag(everything, "everything") and not (
            target.user or target.agent or target.session
        ):
            raise InvalidInput(
                "forget_all needs a scope that names a user, agent or session; "
                "pass everything=True to forget the memories of all users"
            )
        view = asking.view_of(
            target, self._core.now(), everything=self._unbound(everything),
            include=("superseded", "former", "archived", "expired"),
        )  # fmt: skip
        condition = asking.condition_of(view, kinds=kinds, filters=filters, between=between)
        return await forgetting.forget_all(
            self._core,
            condition,
            now=view.now,
            actor=actor,
            reason=drafts.note_of(reason, "reason"),
        )

    @_call
    async def restore(
        self, memory_id: Target, *, actor: str | None = None, scope: Scope | None = None
    ) -> Memory:
        """Bring a forgotten, superseded or archived memory back.

        Restoring a superseded memory undoes the supersession. `Conflict` when its slot has
        another value meanwhile.
        """
        return await forgetting.restore(
            self._core, self._within(scope), _id_of(memory_id), now=self._core.now(), actor=actor
        )

    @_call
    async def history(self, memory_id: Target, *, scope: Scope | None = None) -> list[PastChange]:
        """Every change of a memory and of those it superseded, oldest first; also when forgotten."""
        return await reading.history(self._core, self._within(scope), _id_of(memory_id))

    @_call
    async def changes(
        self,
        since: int = 0,
        *,
        limit: int | None = None,
        everything: bool = False,
        scope: Scope | None = None,
    ) -> list[JournalEntry]:
        """The journal after a sequence number, oldest first, including counted accesses."""
        if isinstance(since, bool) or not isinstance(since, int) or since < 0:
            raise InvalidInput(f"since must be a sequence number of at least 0, not {shown(since)}")
        view = asking.view_of(
            self._within(scope), self._core.now(), everything=self._unbound(everything)
        )
        since = min(since, 2**63 - 1)  # beyond every sequence number, and an integer of SQL
        ceiling = None if limit is None else asking.limit_of(limit, 1)
        return await self._core.store.changes_since(view, since, limit=ceiling)

    @_call
    async def feedback(
        self,
        ids: Target | Iterable[Target],
        *,
        used: bool = True,
        helpful: bool | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """Say that recalled memories were used and whether they helped.

        Importance moves within bounds and a use strengthens; `stats` reports the share of
        recalls that were used.
        """
        return await editing.feedback(
            self._core, self._within(scope), _ids_of(ids), used=used, helpful=helpful,
            now=self._core.now(), actor=actor,
        )  # fmt: skip

    @_call
    async def stats(self, *, everything: bool = False, scope: Scope | None = None) -> Stats:
        """Counts and sizes of a scope, or of all users of the tenant."""
        view = asking.view_of(
            self._within(scope), self._core.now(), everything=self._unbound(everything)
        )
        return await upkeep.stats(self._core, view)

    @_call
    async def export(
        self, path: str | Path, *, everything: bool = False, scope: Scope | None = None
    ) -> Exported:
        """Write a scope's memories with their history as JSON Lines.

        Forgotten ones are written as tombstones, without their words. An existing file is
        replaced only when the new one is complete.
        """
        view = asking.view_of(
            self._within(scope), self._core.now(), everything=self._unbound(everything)
        )
        lines, exported = await portability.export_lines(self._core, view)
        await self._running.offload(files.write_lines, path, lines)
        return exported

    @_call
    async def import_(
        self,
        path: str | Path,
        on_conflict: OnConflict = "skip",
        *,
        actor: str | None = None,
    ) -> Imported:
        """Read an export. The whole file is checked before anything is written.

        Memories keep their ids, scopes, times and history. What was forgotten here is withheld.
        `on_conflict` says what happens to an id that is stored with another state: `skip`,
        `replace` (a new version) or `error` (`Conflict`, nothing imported).
        """
        lines = await self._running.offload(files.read_lines, path)
        imports = list(portability.read_lines(lines, self._scope))
        return await portability.import_memories(
            self._core, imports, on_conflict=on_conflict, now=self._core.now(), actor=actor
        )

    @_call
    async def backup(self, path: str | Path) -> Path:
        """A consistent copy of the whole store at a path that does not exist yet."""
        target = await self._running.offload(files.new_path, path)
        await self._core.store.backup(target)
        return target

    @_call
    async def verify(self, *, repair: bool = True) -> Verification:
        """Check every row, index and link; mend what is derived unless `repair=False`."""
        return await upkeep.verify(self._core, repair=drafts.flag(repair, "repair"))

    @_call
    async def catch_up(
        self,
        *,
        limit: int | None = None,
        everything: bool = False,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> CaughtUp:
        """Have the language model read messages whose reading was deferred, as far as due.

        Those of the scope, or of all users of the tenant, at most `limit`; the oldest first, until
        the model fails again. `observe` does the same for a few of the scope's. `Misconfigured`
        without a language model.
        """
        core = self._core
        if core.proposer is None:
            raise Misconfigured("there is no language model; open the store with language_model=…")
        from perdure.engine import observe_deferring  # most programs have no use for it

        return await observe_deferring.catch_up(
            core,
            self._within(scope),
            now=core.now(),
            actor=actor,
            limit=asking.limit_of(limit, observe_deferring.MOST_CAUGHT_UP),
            everything=self._unbound(everything),
        )

    @_call
    async def reembed(self, embedder: Embedder | None = None) -> Reembedded:
        """Give every memory a vector by this embedder (None: the present one), also after changes
        of model. Reads go on; call it again after an interruption."""
        return await reembedding.reembed(self._core, embedder)

    @_call
    async def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        order: str = "recorded_at",
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        include: str | Iterable[str] = (),
        scope: Scope | None = None,
    ) -> Page:
        """A page of memories, and the cursor that goes on after it.

        `order` is `recorded_at`, `occurred_at` or `importance`, with `-` in front for descending.
        There is no ceiling: following the cursors walks everything, each memory once, also while
        others write.
        """
        view = asking.view_of(
            self._within(scope), self._core.now(), as_of=as_of, known_as_of=known_as_of,
            include=include,
        )  # fmt: skip
        return await reading.list_page(
            self._core,
            asking.condition_of(view, kinds=kinds, filters=filters, between=between),
            order=order,
            limit=asking.limit_of(limit, 100),
            cursor=cursor,
        )

    async def close(self, *, timeout: float = 30.0) -> None:  # noqa: ASYNC109
        """Finish what was acknowledged, refuse new calls, and let go of files and threads.

        Closing any bound view closes them all. Raises `Unavailable` when calls are still under
        way after `timeout` seconds.
        """
        self._gate.close()
        await self._running.offload(self._gate.wait, timeout)
        await self._closer()
