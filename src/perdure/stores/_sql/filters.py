"""The filter language as SQL, for any dialect.

This module decides: which comparisons can hold at all, given the types. A `Dialect` says how its
database asks the remaining questions. Every piece of SQL is two-valued (TRUE or FALSE, never NULL),
so that `not` means what it means in `domain.filters`, whose evaluator is the judge.

Placeholders are named, `:f1`, `:f2`, …; field names and values are always bound, never spelled out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from perdure.domain.filters import (
    ATTRIBUTES,
    ORDERED,
    And,
    Comparison,
    Filter,
    Not,
    Operator,
    Or,
)
from perdure.domain.records import Json
from perdure.errors import UnsupportedFilter

FALSE = "FALSE"
SYMBOLS: Mapping[Operator, str] = {
    Operator.GT: ">",
    Operator.GTE: ">=",
    Operator.LT: "<",
    Operator.LTE: "<=",
}
NULLABLE = frozenset(
    (
        "key", "role", "speaker", "subject", "predicate", "object", "polarity", "superseded_by",
        "occurred_until", "retired_at", "valid_to", "expires_at", "last_accessed_at",
    )
)  # fmt: skip
"""Attributes that may be missing, so that their column may be NULL."""

_CHUNK = 8
"""How many conditions are joined without parentheses. Databases bound the depth of an expression,
and `a AND b AND c` is as deep as it is long."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A boolean SQL expression and the values of its named placeholders."""

    sql: str
    params: Mapping[str, Any]


class Bindings:
    """Collects bound values and hands out their placeholders; the same value is bound once."""

    def __init__(self, prefix: str = "f") -> None:
        self._prefix = prefix
        self._names: dict[tuple[type, Any], str] = {}
        self.values: dict[str, Any] = {}

    def __call__(self, value: Any) -> str:
        """Bind the value (hashable); its placeholder."""
        name = self._names.get((type(value), value))
        if name is None:
            name = self._names[type(value), value] = f"{self._prefix}{len(self.values) + 1}"
            self.values[name] = value
        return f":{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """The values of a comparison by type: a stored value equals only values of its own type."""

    null: bool = False
    booleans: frozenset[bool] = frozenset()
    numbers: tuple[int | float, ...] = ()
    texts: tuple[str, ...] = ()
    instants: tuple[datetime, ...] = ()
    compounds: tuple[Json, ...] = ()

    @property
    def scalars(self) -> list[Json]:
        """Everything but the instants, as JSON values."""
        found: list[Json] = [*self.booleans, *self.numbers, *self.texts, *self.compounds]
        return [None, *found] if self.null else found


def by_type(values: Sequence[Any]) -> Values:
    """Sort filter values by the type of what they may equal."""
    plain = [item for item in values if not isinstance(item, bool | datetime)]
    return Values(
        null=None in plain,
        booleans=frozenset(item for item in values if isinstance(item, bool)),
        numbers=tuple(item for item in plain if isinstance(item, int | float)),
        texts=tuple(item for item in plain if isinstance(item, str)),
        instants=tuple(item for item in values if isinstance(item, datetime)),
        compounds=tuple(item for item in plain if isinstance(item, list | Mapping)),
    )


class Dialect(ABC):
    """How one database asks. Every method returns a self-contained two-valued expression.

    The statement a fragment is put into must name the record table `m`.
    """

    name: str
    max_params: int

    @abstractmethod
    def metadata_exists(self, bind: Bindings, key: str) -> str:
        """The metadata has the key."""

    @abstractmethod
    def metadata_among(self, bind: Bindings, key: str, values: Values) -> str:
        """The value under the key is one of these."""

    @abstractmethod
    def metadata_contains(self, bind: Bindings, key: str, value: Json | datetime) -> str:
        """The value under the key is a text with this substring or a list with this element."""

    @abstractmethod
    def metadata_ordered(
        self, bind: Bindings, key: str, symbol: str, value: float | str | datetime
    ) -> str:
        """The value under the key has the value's type and stands in this order to it."""

    @abstractmethod
    def column(self, attribute: str) -> str:
        """The SQL expression of a record attribute."""

    @abstractmethod
    def texts_among(self, bind: Bindings, column: str, texts: Sequence[str]) -> str:
        """The text column is one of these."""

    @abstractmethod
    def numbers_among(self, bind: Bindings, attribute: str, numbers: Sequence[int | float]) -> str:
        """The number column is one of these, exactly."""

    @abstractmethod
    def number_ordered(
        self, bind: Bindings, attribute: str, symbol: str, number: int | float
    ) -> str:
        """The number column stands in this order to the number, exactly."""

    @abstractmethod
    def truth(self, column: str) -> str:
        """The boolean column as an expression."""

    @abstractmethod
    def text_contains(self, bind: Bindings, column: str, text: str) -> str:
        """The text column has this substring."""

    @abstractmethod
    def instant(self, bind: Bindings, moment: datetime) -> str:
        """A moment as it compares with `text_instant`."""

    @abstractmethod
    def time(self, bind: Bindings, moment: datetime) -> str:
        """A moment as it compares with a time column."""

    @abstractmethod
    def text_instant(self, attribute: str) -> str:
        """The instant the text column names, NULL when it names none."""


def compile_filter(part: Filter | None, dialect: Dialect) -> Fragment:
    """The filter as SQL, admitting exactly what `domain.filters.evaluate` admits.

    Raises `UnsupportedFilter` when it has more values than one statement can carry.
    """
    if part is None:
        return Fragment("TRUE", {})
    bind = Bindings()
    sql, _ = _compile(part, dialect, bind)
    if len(bind.values) > dialect.max_params:
        raise UnsupportedFilter(
            f"the filter has {len(bind.values)} different values; {dialect.name} takes at most "
            f"{dialect.max_params}; ask for many values of one field with 'in'"
        )
    return Fragment(sql, bind.values)


def _compile(part: Filter, dialect: Dialect, bind: Bindings) -> tuple[str, int]:
    """The expression and how deep it is nested."""
    match part:
        case And(parts):
            return _join("AND", [_compile(item, dialect, bind) for item in parts], "TRUE")
        case Or(parts):
            return _join("OR", [_compile(item, dialect, bind) for item in parts], FALSE)
        case Not(inner):
            sql, depth = _compile(inner, dialect, bind)
            return _negated(sql), depth + 1
        case Comparison():
            return _comparison(part, dialect, bind), 1


def _join(word: str, parts: list[tuple[str, int]], empty: str) -> tuple[str, int]:
    # The deepest part comes first: a parser then holds one open parenthesis per level, not a
    # whole unfinished expression.
    ordered = sorted(parts, key=lambda item: -item[1])
    while len(ordered) > _CHUNK:
        ordered = [
            _flat(word, ordered[start : start + _CHUNK]) for start in range(0, len(ordered), _CHUNK)
        ]
    return _flat(word, ordered) if ordered else (empty, 1)


def _flat(word: str, parts: list[tuple[str, int]]) -> tuple[str, int]:
    if len(parts) == 1:
        return parts[0]
    return f"({f' {word} '.join(sql for sql, _ in parts)})", parts[0][1] + 1


def _negated(sql: str) -> str:
    return f"({sql} IS FALSE)"


def _comparison(part: Comparison, dialect: Dialect, bind: Bindings) -> str:
    ask = _attribute if part.attribute else _metadata
    match part.operator:
        case Operator.NE | Operator.NIN:
            opposite = Operator.EQ if part.operator is Operator.NE else Operator.IN
            return _negated(ask(opposite, part.field, part.value, dialect, bind))
        case Operator.EXISTS if not part.value:
            return _negated(ask(Operator.EXISTS, part.field, True, dialect, bind))
        case _:
            return ask(part.operator, part.field, part.value, dialect, bind)


def _metadata(operator: Operator, key: str, value: Any, dialect: Dialect, bind: Bindings) -> str:
    if operator is Operator.EXISTS:
        return dialect.metadata_exists(bind, key)
    if operator is Operator.CONTAINS:
        return dialect.metadata_contains(bind, key, value)
    if operator in ORDERED:
        return dialect.metadata_ordered(bind, key, SYMBOLS[operator], value)
    values = value if operator is Operator.IN else (value,)
    return dialect.metadata_among(bind, key, by_type(values)) if values else FALSE


def _attribute(operator: Operator, name: str, value: Any, dialect: Dialect, bind: Bindings) -> str:
    column = dialect.column(name)
    if operator is Operator.EXISTS:
        return f"({column} IS NOT NULL)" if name in NULLABLE else "TRUE"
    if operator is Operator.CONTAINS:
        asked = dialect.text_contains(bind, column, value) if isinstance(value, str) else FALSE
    elif operator in ORDERED:
        asked = _attribute_ordered(SYMBOLS[operator], name, value, dialect, bind)
    else:
        values = by_type(value if operator is Operator.IN else (value,))
        asked = _attribute_among(name, values, dialect, bind)
    if asked == FALSE or name not in NULLABLE:
        return asked
    return f"({column} IS NOT NULL AND {asked})"


def _attribute_among(name: str, values: Values, dialect: Dialect, bind: Bindings) -> str:
    column = dialect.column(name)
    found: list[str] = []
    match ATTRIBUTES[name][0]:
        case "text":
            if values.texts:
                found.append(dialect.texts_among(bind, column, values.texts))
            if values.instants:
                moments = ", ".join(dialect.instant(bind, item) for item in values.instants)
                found.append(f"coalesce({dialect.text_instant(name)} IN ({moments}), FALSE)")
        case "number" if values.numbers:
            found.append(dialect.numbers_among(bind, name, values.numbers))
        case "boolean":
            truth = dialect.truth(column)
            found += [truth if wanted else _negated(truth) for wanted in values.booleans]
        case "time" if values.instants:
            moments = ", ".join(dialect.time(bind, item) for item in values.instants)
            found.append(f"({column} IN ({moments}))")
    return _join("OR", [(sql, 1) for sql in found], FALSE)[0]


def _attribute_ordered(symbol: str, name: str, value: Any, dialect: Dialect, bind: Bindings) -> str:
    column = dialect.column(name)
    match ATTRIBUTES[name][0], value:
        case "text", datetime():
            moment = dialect.instant(bind, value)
            return f"coalesce({dialect.text_instant(name)} {symbol} {moment}, FALSE)"
        case "text", str():
            return f"({column} {symbol} {bind(value)})"
        case "time", datetime():
            return f"({column} {symbol} {dialect.time(bind, value)})"
        case "number", int() | float():
            return dialect.number_ordered(bind, name, symbol, value)
        case _:
            return FALSE
