"""Finding memories, and looking at what happened to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from perdure.client.base import Bound, Query, Target, call, id_of
from perdure.domain.changes import JournalEntry
from perdure.domain.records import Kind, Memory
from perdure.domain.results import (
    Page,
    PastChange,
    Recall,
    RecalledText,
    Stats,
)
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.engine import (
    asking,
    prompt,
    reading,
    recall,
    upkeep,
)
from perdure.engine.asking import Between
from perdure.engine.drafts import Moment
from perdure.errors import InvalidInput


class Reading(Bound):
    """Finding memories, and looking at what happened to them."""

    @call
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
        true then, `known_as_of` what we believed then; `min_score` 0..1 drops hits
        that are less likely to be what was asked for;
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
        budget = asking.limit_of(max_tokens, core.settings.context_tokens, "max_tokens")
        found = await self.recall(
            query, limit=limit, kinds=kinds, filters=filters, between=between, as_of=as_of,
            known_as_of=known_as_of, min_score=min_score, include=include, scope=scope,
        )  # fmt: skip
        return prompt.render(found, max_tokens=budget, count_tokens=core.count_tokens)

    @call
    async def get(
        self, memory_id: Target, *, include: str | Iterable[str] = (), scope: Scope | None = None
    ) -> Memory:
        """One memory by id, also when superseded or former; `NotFound` otherwise.

        An expired one needs `include="expired"`. Agent and session do not narrow.
        """
        view = asking.view_of(self._within(scope), self._core.now(), include=include)
        return await reading.get(self._core, id_of(memory_id), view)

    @call
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

    @call
    async def history(self, memory_id: Target, *, scope: Scope | None = None) -> list[PastChange]:
        """Every change of a memory and of those it superseded, oldest first; also when forgotten."""
        return await reading.history(self._core, self._within(scope), id_of(memory_id))

    @call
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

    @call
    async def stats(self, *, everything: bool = False, scope: Scope | None = None) -> Stats:
        """Counts and sizes of a scope, or of all users of the tenant."""
        view = asking.view_of(
            self._within(scope), self._core.now(), everything=self._unbound(everything)
        )
        return await upkeep.stats(self._core, view)

    @call
    async def never_used(
        self,
        *,
        at_least: int = 5,
        limit: int = 20,
        everything: bool = False,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """Memories that were recalled `at_least` so often and never used, the most recalled first.

        They crowd out better ones: correct them, lower their importance, or forget them.
        """
        view = asking.view_of(
            self._within(scope), self._core.now(), everything=self._unbound(everything)
        )
        return await upkeep.never_used(
            self._core, view, at_least=asking.limit_of(at_least, 5, "at_least"),
            limit=asking.limit_of(limit, 20),
        )  # fmt: skip

    @call
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
