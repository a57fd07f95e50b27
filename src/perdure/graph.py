"""The graph of facts, as callers see it: `memory.graph`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from perdure.domain.graph import RULES, Entity, Inferred, Rule
from perdure.domain.predicates import slot_key
from perdure.domain.records import Kind, Memory
from perdure.domain.results import Remembered
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.domain.visibility import View
from perdure.engine import asking, drafts, graph, remember
from perdure.engine.core import Core
from perdure.engine.drafts import Moment
from perdure.engine.gate import Gate
from perdure.errors import InvalidInput
from perdure.running import Portal


class AsyncGraph:
    """What is held true, as entities and relations between them.

    Facts are memories with a subject, a predicate and an object; the graph is a way of reading
    them. Names are matched as they were said, aliases included.
    """

    def __init__(self, core: Core, gate: Gate, within: Callable[[Scope | None], Scope]) -> None:
        self._core = core
        self._gate = gate
        self._within = within

    @contextmanager
    def _inside(self) -> Iterator[None]:
        self._gate.enter()
        try:
            yield
        finally:
            self._gate.leave()

    def _view(
        self,
        scope: Scope | None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
    ) -> View:
        return asking.view_of(
            self._within(scope), self._core.now(), as_of=as_of, known_as_of=known_as_of
        )

    async def entities(
        self,
        *,
        name: str | None = None,
        type: str | None = None,  # noqa: A002 - the promised name
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Entity]:
        """Who and what the facts are about; those of a name, also another name, and of a type."""
        with self._inside():
            view = self._view(scope, as_of, known_as_of)
            return await graph.entities(
                self._core,
                view,
                name=None if name is None else _name(name),
                kind=_word(type, "type"),
            )

    async def facts(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """The facts that hold, or held at `as_of`, in the order they were learnt.

        The person whose scope it is has the subject "user".
        """
        with self._inside():
            view = self._view(scope, as_of, known_as_of)
            return await graph.facts(
                self._core,
                view,
                subject=None if subject is None else _name(subject),
                predicate=_word(predicate, "predicate"),
            )

    async def neighbours(
        self,
        entity: str | Entity,
        hops: int = 1,
        *,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """The facts within so many steps of an entity, nearest first."""
        with self._inside():
            view = self._view(scope, as_of, known_as_of)
            return await graph.neighbours(self._core, view, _name(entity), hops=hops)

    async def path(
        self,
        start: str | Entity,
        goal: str | Entity,
        *,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """The facts of a shortest way between two entities; empty when there is none."""
        with self._inside():
            view = self._view(scope, as_of, known_as_of)
            return await graph.path(self._core, view, _name(start), _name(goal))

    async def contradictions(
        self,
        *,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[tuple[Memory, Memory]]:
        """Pairs that cannot both hold while nothing tells which does."""
        with self._inside():
            return await graph.contradictions(self._core, self._view(scope, as_of, known_as_of))

    async def relate(
        self,
        subject: str | Entity,
        predicate: str,
        object: str | Entity,  # noqa: A002 - the field's name
        *,
        statement: str | None = None,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        importance: float = 0.5,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Remembered:
        """State a fact. A single-valued predicate takes one value at a time, as a slot does.

        `statement` says it in words; without one they are made of the three parts. Another name
        of somebody or something is the predicate `also_called`.
        """
        with self._inside():
            core, now = self._core, self._core.now()
            who, what = _name(subject), _name(object)
            if not isinstance(predicate, str) or not predicate.strip():
                raise InvalidInput("predicate must be text that is not blank")
            is_single = core.settings.registry.is_single_valued(predicate)
            words = statement or f"{who} {predicate.replace('_', ' ')} {what}"
            made = drafts.draft(
                core.settings, memory_id=core.new_id(now), scope=self._within(scope), now=now,
                content=words, kind=Kind.SEMANTIC, importance=importance, valid_from=valid_from,
                valid_to=valid_to, key=slot_key(who, predicate) if is_single else None,
                understand=False,
            )  # fmt: skip
            fact = replace(made.memory, subject=who, predicate=predicate, object=what, polarity="+")
            stated = replace(made, memory=fact)
            return (await remember.remember(core, [stated], now=now, actor=actor))[0]

    async def infer(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        rules: Iterable[Rule] = RULES,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Inferred]:
        """What follows from the facts, each with its proof; nothing of it is stored.

        `rules` say which relations are transitive and which have an inverse.
        """
        with self._inside():
            view = self._view(scope, as_of, known_as_of)
            chosen: Sequence[Rule] = tuple(rules)
            return await graph.infer(self._core, view, chosen, subject=subject, predicate=predicate)


def _name(entity: str | Entity) -> str:
    if isinstance(entity, Entity):
        return entity.name
    if isinstance(entity, str) and entity.strip():
        return entity
    raise InvalidInput("an entity is named by text that is not blank, or given as an Entity")


def _word(value: str | None, name: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise InvalidInput(f"{name} must be text, not {shown(value)}")


class Graph:
    """Blocking form of `AsyncGraph`, where each call is described."""

    def __init__(self, core: AsyncGraph, portal: Portal) -> None:
        self._core = core
        self._portal = portal

    def entities(
        self,
        *,
        name: str | None = None,
        type: str | None = None,  # noqa: A002 - the promised name
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Entity]:
        """Blocking form of `AsyncGraph.entities`."""
        return self._portal.call(
            lambda: self._core.entities(
                name=name, type=type, as_of=as_of, known_as_of=known_as_of, scope=scope
            )
        )

    def facts(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """Blocking form of `AsyncGraph.facts`."""
        return self._portal.call(
            lambda: self._core.facts(
                subject=subject,
                predicate=predicate,
                as_of=as_of,
                known_as_of=known_as_of,
                scope=scope,
            )
        )

    def neighbours(
        self,
        entity: str | Entity,
        hops: int = 1,
        *,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """Blocking form of `AsyncGraph.neighbours`."""
        return self._portal.call(
            lambda: self._core.neighbours(
                entity, hops, as_of=as_of, known_as_of=known_as_of, scope=scope
            )
        )

    def path(
        self,
        start: str | Entity,
        goal: str | Entity,
        *,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """Blocking form of `AsyncGraph.path`."""
        return self._portal.call(
            lambda: self._core.path(start, goal, as_of=as_of, known_as_of=known_as_of, scope=scope)
        )

    def contradictions(
        self,
        *,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[tuple[Memory, Memory]]:
        """Blocking form of `AsyncGraph.contradictions`."""
        return self._portal.call(
            lambda: self._core.contradictions(as_of=as_of, known_as_of=known_as_of, scope=scope)
        )

    def relate(
        self,
        subject: str | Entity,
        predicate: str,
        object: str | Entity,  # noqa: A002 - the field's name
        *,
        statement: str | None = None,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        importance: float = 0.5,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Remembered:
        """Blocking form of `AsyncGraph.relate`."""
        return self._portal.call(
            lambda: self._core.relate(
                subject,
                predicate,
                object,
                statement=statement,
                valid_from=valid_from,
                valid_to=valid_to,
                importance=importance,
                actor=actor,
                scope=scope,
            )
        )

    def infer(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        rules: Iterable[Rule] = RULES,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        scope: Scope | None = None,
    ) -> list[Inferred]:
        """Blocking form of `AsyncGraph.infer`."""
        return self._portal.call(
            lambda: self._core.infer(
                subject=subject,
                predicate=predicate,
                rules=rules,
                as_of=as_of,
                known_as_of=known_as_of,
                scope=scope,
            )
        )
