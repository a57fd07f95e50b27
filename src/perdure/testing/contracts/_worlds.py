"""Random memories, and random questions about them.

Values come from small pools, so that scopes, keys and values meet each other often; the pools hold
what breaks quoting, patterns, separators, collations and number conversions. Everything is drawn
by throwing `Dice`, one seed for each memory and question: that is fast, and Hypothesis shrinks a
failing example by leaving out seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any, TypeVar

from perdure.domain.changes import Accesses, Change, ChangeSet, Vectors
from perdure.domain.filters import ATTRIBUTES, Filter, parse_filter
from perdure.domain.query import Condition, Order, Position
from perdure.domain.records import (
    NEW_STRENGTH,
    Attachment,
    Kind,
    Memory,
    Source,
    State,
    Strength,
)
from perdure.domain.resting import Due, Rest
from perdure.domain.scope import Scope
from perdure.domain.times import to_micros
from perdure.domain.visibility import INCLUDES, View
from perdure.errors import InvalidInput
from perdure.testing.builders import MODEL, NOON, a_change, successor, vectors_of

Item = TypeVar("Item")
HOUR, TICK = timedelta(hours=1), timedelta(microseconds=1)
OTHER_MODEL = "another@1/4"

NAMES = (
    "", "a", "ab", "a%", "a_", "%", "_", "*", "'", '"', "\\", "a/b", "b", "/", ":", "\x1f", "A",
    "é", "e\u0301", "茶", "𠮷", " ", "a ", "null", "$.a", "0",
)  # fmt: skip
WORDS = (
    "kettle", "kettles", "Kettle", "blue", "lake", "the", "not", "NEAR", "AND", "ERR-7Q", "O'Neil",
    '"', "%", "_", "2031", "茶", "绿茶", "綠茶", "喝绿茶", "我", "的", "é", "👍", "\n", "*",
)  # fmt: skip
TEXTS = (
    "", "a", "A", "b", "ab", "a%", "%", "_", "'", '"', "é", "e\u0301", "茶", "𠮷", "\uffff", "1", "1.0",
    "true", "null", "2031-07-25", "2031-07-25T12:00:00Z", "2031-07-25T14:00:00+02:00",
    "2031-07-25 12:00:00.000001", "20310725", "2031-07-25T12:00:00", " 2031-07-25 ", "2031-13-01",
)  # fmt: skip
NUMBERS = (
    0, 1, -1, 2, 10, 2**53, 2**53 + 1, 2**63 - 1, 1 - 2**63, 0.0, -0.0, 1.0, 0.1, 0.3, 0.1 + 0.2, 1.5,
    1e16, 2.0**53, 2.0**63, 1e300, -1e300, 5e-324,
)  # fmt: skip
IMPORTANCES = (0.0, 0.1, 0.3, 0.1 + 0.2, 0.5, 1 / 3, 1.0)

ROWS = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, -1), (1, 1, 0, 0), (1, 1, 1, 1))
WHOLE = View(
    scope=Scope(),
    now=NOON - 4 * HOUR,
    include=frozenset(INCLUDES),  # type: ignore[arg-type]
    everything=True,
)
"""Sees whatever is not forgotten or retracted."""
OPERATORS = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "exists", "contains")


class Dice(Random):
    """A source of choices that follow from its seed alone."""

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return self.choice(items)

    def happens(self, chance: float) -> bool:
        """True with this chance."""
        return self.random() < chance

    def maybe(self, make: Callable[[], Item], *, chance: float = 0.3) -> Item | None:
        """None more often than not."""
        return make() if self.happens(chance) else None

    def some(self, make: Callable[[], Item], *, most: int, least: int = 0) -> list[Item]:
        """A few of them."""
        return [make() for _ in range(self.randint(least, most))]

    def name(self) -> str:
        """A part of a scope, a key, or a metadata key."""
        return self.pick(NAMES)

    def moment(self) -> datetime:
        """A time within three hours of noon, often a whole hour."""
        return NOON + self.randint(-3, 3) * HOUR + self.pick((0, 0, 0, -1, 1)) * TICK

    def content(self) -> str:
        """Words, often the same as elsewhere."""
        return " ".join(self.some(lambda: self.pick(WORDS), most=8))

    def scalar(self) -> Any:
        """A JSON value that is no list or mapping."""
        pools: tuple[Sequence[Any], ...] = ((None, True, False), NUMBERS, TEXTS, (0, 1, 2, 3))
        return self.pick(self.pick(pools))

    def value(self, *, depth: int = 2) -> Any:
        """A JSON value."""
        if depth == 0 or self.happens(0.6):
            return self.scalar()
        if self.happens(0.6):
            return self.some(lambda: self.value(depth=depth - 1), most=3)
        return {self.name(): self.value(depth=depth - 1) for _ in range(self.randint(0, 2))}

    def row(self) -> tuple[float, ...]:
        """A direction, often one that others have too."""
        if self.happens(0.5):
            return self.pick(ROWS)
        return tuple(self.choice((-3, -1, 1, 2, 5)) for _ in range(4))

    def vectors(self) -> Vectors:
        """Vectors by the model in use, now and then by another."""
        model = self.pick((MODEL, MODEL, MODEL, MODEL, OTHER_MODEL))
        return vectors_of(*self.some(self.row, least=1, most=3), model=model)


@dataclass(slots=True)
class World:
    """What was written so far: each memory's states in order with their times, and its vectors."""

    scopes: list[Scope]
    states: dict[str, list[tuple[datetime, Memory]]] = field(default_factory=dict)
    vectors: dict[str, Vectors] = field(default_factory=dict)

    def now(self, memory_id: str) -> Memory:
        """How the memory stands."""
        return self.states[memory_id][-1][1]

    def note(self, changes: ChangeSet) -> None:
        """Take in a change set that was applied."""
        for change in changes.changes:
            self._note_vectors(change)
            at = changes.at if change.at is None else change.at
            self.states.setdefault(change.after.id, []).append((at, self._after(change)))
        for access in changes.accesses:
            memory = self.now(access.memory_id)
            last = max(filter(None, (memory.last_accessed_at, access.last_at)))
            counted = replace(
                memory,
                accessed_count=memory.accessed_count + access.count,
                last_accessed_at=last,
            )
            self.states[memory.id].append((changes.at, counted))

    def _after(self, change: Change) -> Memory:
        before, after = change.before, change.after
        if before is None:
            return after
        stored = self.now(after.id)
        if after.accessed_count == before.accessed_count:
            after = replace(after, accessed_count=stored.accessed_count)
        if after.last_accessed_at == before.last_accessed_at:
            after = replace(after, last_accessed_at=stored.last_accessed_at)
        return after

    def _note_vectors(self, change: Change) -> None:
        if change.text_changed:
            self.vectors.pop(change.after.id, None)
        if change.vectors is not None and change.vectors.model == MODEL:
            self.vectors[change.after.id] = change.vectors

    def known(self, moment: datetime | None) -> list[tuple[Memory, Vectors | None]]:
        """The memories as they were known at a moment (None: now), forgotten ones left out."""
        found: list[tuple[Memory, Vectors | None]] = []
        for memory_id, states in self.states.items():
            now = states[-1][1]
            memory = now if moment is None else _state_at(states, moment)
            if memory is None or now.state is State.FORGOTTEN:
                continue
            same_words = memory.indexed_text == now.indexed_text
            found.append((memory, self.vectors.get(memory_id) if same_words else None))
        return found


def _state_at(states: list[tuple[datetime, Memory]], moment: datetime) -> Memory | None:
    known = None
    for at, memory in states:
        if at > moment:
            break
        known = memory
    return known


def some_scopes(dice: Dice, tenant: str) -> list[Scope]:
    """A few scopes that are near each other; `tenant` ends all tenants' names."""
    tenants = dice.some(dice.name, least=1, most=2)
    users = dice.some(dice.name, least=1, most=3)
    others = ["", *dice.some(dice.name, least=1, most=2)]

    def scope() -> Scope:
        return Scope(
            tenant=dice.pick(tenants) + tenant,
            user=dice.pick(users),
            agent=dice.pick(others),
            session=dice.pick(others),
        )

    return dice.some(scope, least=1, most=5)


def a_memory(dice: Dice, scope: Scope, identity: str) -> Memory:
    """A memory of any kind; two hexadecimal digits before `identity` decide its place by id."""
    is_fact = dice.happens(0.3)
    caption = dice.maybe(dice.content, chance=0.2)
    attachment = Attachment(media_type="image/png", digest="d", location="l", caption=caption or "")
    importance = dice.pick(IMPORTANCES) if dice.happens(0.7) else dice.random()
    return Memory(
        id=f"{dice.randrange(256):02x}{identity}",
        content=dice.content(),
        scope=scope,
        occurred_at=dice.moment(),
        recorded_at=dice.moment(),
        valid_from=dice.moment(),
        kind=dice.pick(list(Kind)),
        state=State.ACTIVE if dice.happens(0.7) else dice.pick(list(State)),
        version=dice.randint(1, 3),
        importance=importance,
        confidence=dice.pick(IMPORTANCES),
        occurred_until=dice.maybe(dice.moment),
        valid_to=dice.maybe(dice.moment),
        retired_at=dice.maybe(dice.moment, chance=0.1),
        expires_at=dice.maybe(dice.moment),
        superseded_by=dice.maybe(dice.name, chance=0.2),
        metadata={dice.name(): dice.value() for _ in range(dice.randint(0, 4))},
        pinned=dice.happens(0.3),
        held=dice.happens(0.1),
        strength=a_strength(dice) if dice.happens(0.3) else NEW_STRENGTH,
        key=dice.maybe(dice.name),
        source=Source(role=dice.maybe(dice.name), speaker=dice.maybe(dice.name)),
        accessed_count=dice.randint(0, 3),
        used_count=dice.randint(0, 3),
        last_accessed_at=dice.maybe(dice.moment),
        subject=dice.name() if is_fact else None,
        predicate=dice.name() if is_fact else None,
        object=dice.pick(TEXTS) if is_fact else None,
        polarity=dice.pick(("+", "-")) if is_fact else None,
        attachments=() if caption is None else (attachment,),
    )


def a_strength(dice: Dice) -> Strength:
    """What reviews, or their lack, may have made of a memory's strength."""
    return Strength(
        ease=dice.pick((1.3, 2.5)),
        interval_days=dice.pick((1.0, 2.5, 90.0)),
        repetitions=dice.randint(0, 2),
        due_at=dice.maybe(dice.moment),
    )


def creations(world: World, seeds: Sequence[int], name: str) -> ChangeSet:
    """New memories, one for each seed, with and without vectors."""
    changes: list[Change] = []
    for number, seed in enumerate(seeds):
        dice = Dice(seed)
        memory = a_memory(dice, dice.pick(world.scopes), f"{name}-{number}")
        vectors = dice.maybe(dice.vectors, chance=0.6)
        changes.append(a_change(memory, vectors=vectors))
    return ChangeSet(changes=tuple(changes), at=NOON)


def alterations(world: World, seeds: Sequence[int]) -> ChangeSet:
    """For each seed an update of, or accesses to, a memory of the world."""
    changes: dict[str, Change] = {}
    accesses: list[Accesses] = []
    for dice in map(Dice, seeds):
        memory = world.now(dice.pick(sorted(world.states)))
        if dice.happens(0.3) or memory.id in changes:
            count, last_at = dice.randint(1, 3), dice.moment()
            accesses.append(
                Accesses(memory_id=memory.id, scope=memory.scope, count=count, last_at=last_at)
            )
        else:
            changes[memory.id] = _alteration(dice, memory)
    at = Dice(len(seeds)).moment()
    return ChangeSet(changes=tuple(changes.values()), at=at, accesses=tuple(accesses))


ALTERED = (
    "content", "content", "state", "metadata", "importance", "valid_to", "retired_at", "expires_at",
    "superseded_by", "pinned", "key", "attachments", "kind", "occurred_at", "accessed_count",
    "last_accessed_at", "subject", "held", "strength",
)  # fmt: skip


def _alteration(dice: Dice, memory: Memory) -> Change:
    other = a_memory(dice, memory.scope, "")
    names = dice.some(lambda: dice.pick(ALTERED), most=4)
    after = successor(memory, **{name: getattr(other, name) for name in names})
    return a_change(
        after,
        before=memory,
        vectors=dice.maybe(dice.vectors),
        at=dice.maybe(dice.moment),
    )


def a_view(dice: Dice, world: World) -> View:
    """A view of one of the world's scopes, or of one beside them; wide more often than narrow."""
    scope = dice.pick(world.scopes)
    for part in ("agent", "session"):
        if dice.happens(0.8):
            scope = replace(scope, **{part: "" if dice.happens(0.9) else dice.name()})
    if dice.happens(0.1):
        scope = replace(scope, user=dice.name())
    wide = dice.happens(0.6)
    includes = [include for include in INCLUDES if wide or dice.happens(0.3)]
    return View(
        scope=scope,
        now=NOON - 4 * HOUR if wide else dice.moment(),
        as_of=dice.maybe(dice.moment),
        known_as_of=dice.maybe(dice.moment, chance=0.2),
        include=frozenset(includes),  # type: ignore[arg-type]
        everything=dice.happens(0.4),
    )


def a_condition(dice: Dice, world: World) -> Condition:
    """A view with or without filter, kinds and window."""
    kinds = frozenset(dice.some(lambda: dice.pick(list(Kind)), most=3))
    window = (dice.maybe(dice.moment), dice.maybe(dice.moment))
    return Condition(
        view=a_view(dice, world),
        filter=dice.maybe(lambda: a_filter(dice, world), chance=0.7),
        kinds=kinds if dice.happens(0.2) else None,
        between=window if dice.happens(0.3) else (None, None),
    )


def a_filter(dice: Dice, world: World) -> Filter | None:
    """A filter from the whole language; None when the dice made one that says nothing."""
    for _ in range(5):
        try:
            return parse_filter(_raw_filter(dice, world, depth=3))
        except InvalidInput:
            continue
    return None


def _raw_filter(dice: Dice, world: World, *, depth: int) -> dict[str, Any]:
    def inner() -> dict[str, Any]:
        return _raw_filter(dice, world, depth=depth - 1)

    if depth == 0 or dice.happens(0.6):
        return _comparison(dice, world)
    joint = dice.pick(("and", "or", "not"))
    return {joint: inner() if joint == "not" else dice.some(inner, most=3)}


def _comparison(dice: Dice, world: World) -> dict[str, Any]:
    memories = [world.now(memory_id) for memory_id in sorted(world.states)]
    if dice.happens(0.5):
        name = dice.pick(sorted(ATTRIBUTES))
        stored = [ATTRIBUTES[name][1](memory) for memory in memories]
        return {f"memory.{name}": _tests(dice, stored)}
    name = dice.name()
    stored = [memory.metadata[name] for memory in memories if name in memory.metadata]
    return {name: _tests(dice, stored)}


def _tests(dice: Dice, stored: list[Any]) -> dict[str, Any]:
    """Operators with operands that are stored somewhere, resemble it, or are anything."""

    def operand() -> Any:
        if stored and dice.happens(0.75):
            return _like(dice, dice.pick(stored))
        if dice.happens(0.3):
            return dice.moment().astimezone(timezone(dice.randint(-2, 2) * HOUR))
        return dice.value()

    operator = dice.pick(OPERATORS)
    if operator == "exists":
        return {operator: dice.happens(0.5)}
    if operator in ("in", "nin"):
        return {operator: dice.some(operand, most=3)}
    if operator == "contains" and dice.happens(0.7):
        return {operator: _part(dice, operand())}
    if dice.happens(0.1):
        return {operator: operand(), dice.pick(OPERATORS[:6]): operand()}
    return {operator: operand()}


def _like(dice: Dice, value: Any) -> Any:
    """The value, or one that is easily taken for it."""
    others: list[Any] = [value] * 3
    if isinstance(value, datetime):
        others += [value.isoformat(), value + TICK, value.replace(tzinfo=None)]
    elif isinstance(value, bool):
        others += [int(value), str(value).lower()]
    elif isinstance(value, int | float):
        others += [str(value), bool(value), float(value)]
        others += [int(value)] if abs(value) < 2**62 else []
    elif isinstance(value, str):
        others += [value.upper(), value.lower(), value + " ", value + "%"]
    elif isinstance(value, list):
        others += [value[:-1], [*value, None], *value]
    elif isinstance(value, dict):
        others += [{**value, "a": 1}, *value.values()]
    return dice.pick(others)


def _part(dice: Dice, value: Any) -> Any:
    """Something inside the value."""
    if isinstance(value, str) and value:
        return dice.pick((value[0], value[-1], value[:2], ""))
    if isinstance(value, list) and value:
        return dice.pick(value)
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One read of each kind with the same condition, and filters to put to the whole tenant.

    The page begins after the place `page_after` of the whole listing; when there is no such
    place, after `position`.
    """

    condition: Condition
    order: Order
    descending: bool
    limit: int
    page_after: int | None
    position: Position | None
    words: str
    near: tuple[float, ...] | None
    filters: list[Filter | None]
    due: Due


def a_question(dice: Dice, world: World) -> Question:
    """A condition with an order, a page, words and a vector."""
    order = dice.pick(list(Order))

    def position() -> Position:
        value = to_micros(dice.moment())
        return Position(
            dice.pick(IMPORTANCES) if order is Order.IMPORTANCE else value,
            dice.pick(("", "7f", "80", "~")),
        )

    return Question(
        condition=a_condition(dice, world),
        order=order,
        descending=dice.happens(0.5),
        limit=dice.randint(1, 20),
        page_after=dice.maybe(lambda: dice.randint(0, 12)),
        position=dice.maybe(position),
        words=dice.content(),
        near=dice.maybe(dice.row, chance=0.6),
        filters=dice.some(lambda: a_filter(dice, world), least=2, most=4),
        due=a_due(dice),
    )


def a_due(dice: Dice) -> Due:
    """What some upkeep might ask for."""
    return Due(
        rested={rest: dice.moment() for rest in dice.some(lambda: dice.pick(list(Rest)), most=3)},
        below=dice.pick((2.0, *IMPORTANCES)),
        expired_at=dice.maybe(dice.moment),
        limit=dice.maybe(lambda: dice.randint(1, 9)),
    )
