"""A language model's answer about one message, as values: what it says was stated and asked.

The schema is what models are asked for. What comes back may name things otherwise, put a text where
an object belongs or leave things out; what can be understood is, and what cannot is refused by
name, one entry at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from perdure.domain.answers import AnswerFault, read_answer, shaped_as, unreadable
from perdure.domain.readings import Modality, Polarity, Relation
from perdure.domain.schemas import Unfit, conform

Asked = Literal["create", "update", "delete", "consolidate", "none"]

NOTED = "noted"
"""The predicate of a fact that was given as a sentence only."""


def _text(most: int, *, least: int = 0) -> dict[str, Any]:
    bounds = {"minLength": least} if least else {}
    return {"type": "string", "maxLength": most, **bounds}


def _or_null(kind: dict[str, Any]) -> dict[str, Any]:
    return {**kind, "type": [kind["type"], "null"]}


FACT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "subject": _text(200, least=1),
        "predicate": _text(80, least=1),
        "object": _text(1_000, least=1),
        "statement": _or_null(_text(2_000)),
        "polarity": _or_null({"type": "string", "enum": ["+", "-", None]}),
        "modality": _or_null(
            {"type": "string", "enum": [*(item.value for item in Modality), None]}
        ),
        "evidence": _or_null(_text(4_000)),
        "replaces": _or_null(_text(1_000)),
        "when": _or_null(_text(200)),
        "confidence": _or_null({"type": "number", "minimum": 0, "maximum": 1}),
    },
}
OPERATION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": ["create", "update", "delete", "consolidate", "none"],
        },
        "targets": {"type": "array", "items": _text(1_000, least=1), "maxItems": 50},
        "about": _or_null(_text(1_000)),
        "relation": _or_null(
            {"type": "string", "enum": [*(item.value for item in Relation), None]}
        ),
        "evidence": _or_null(_text(4_000)),
    },
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {"type": "array", "items": FACT, "maxItems": 50},
        "operations": {"type": "array", "items": OPERATION, "maxItems": 20},
    },
}
"""What models are asked for; `portable` form and bounds as `domain.schemas` reads them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFact:
    """Something the message says to be so. None: the model left it to the rules."""

    subject: str
    predicate: str
    object: str
    statement: str | None = None
    polarity: Polarity | None = None
    modality: Modality | None = None
    evidence: str | None = None
    replaces: str | None = None
    when: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedOperation:
    """Something the message does to the memory. `targets` are ids, or words that name a memory."""

    operation: Asked
    targets: tuple[str, ...] = ()
    about: str | None = None
    relation: Relation | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A whole answer. `refused` says which parts of it could not be taken, and why."""

    facts: tuple[ProposedFact, ...] = ()
    operations: tuple[ProposedOperation, ...] = ()
    refused: tuple[str, ...] = ()


def proposal_of(answer: object) -> Proposal:
    """The proposal in what a model gave back; `UnreadableAnswer` when there is none."""
    if isinstance(answer, str):
        shaped = read_answer(answer, SCHEMA)
    else:
        found = shaped_as(_plain(answer), SCHEMA)
        if found is None:
            raise unreadable(AnswerFault.WRONG_SHAPE)
        shaped = found
    facts, operations = _entries(shaped.get("facts")), _entries(shaped.get("operations"))
    told = [*map(_fact, facts), *_told_in(operations)]
    try:
        conformed = conform(
            {"facts": told, "operations": [_operation(item) for item in operations]}, SCHEMA
        )
    except Unfit:
        raise unreadable(AnswerFault.WRONG_SHAPE) from None
    value = conformed.value
    if conformed.refused and not (value["facts"] or value["operations"]):
        # Nothing of it could be taken: that is no answer, least of all "nothing was said".
        raise unreadable(AnswerFault.WRONG_SHAPE)
    return Proposal(
        facts=tuple(_made_fact(item) for item in value["facts"]),
        operations=tuple(_made_operation(item) for item in value["operations"]),
        refused=conformed.refused,
    )


def _plain(value: object) -> Any:
    """Mappings and sequences of any kind as dictionaries and lists."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(item) for item in value]
    return value


def _entries(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


_FACT_NAMES = {
    "subject": ("entity", "who", "head"),
    "predicate": ("relation", "relationship", "property", "attribute", "key", "verb"),
    "object": ("value", "tail"),
    "statement": ("text", "content", "fact", "memory", "sentence", "description"),
    "polarity": ("sign",),
    "modality": ("mood",),
    "evidence": ("quote", "span", "words", "source_text"),
    "replaces": ("old", "old_value", "previous", "instead_of"),
    "when": ("time", "date", "time_words"),
    "confidence": ("score", "certainty", "probability"),
}
_OPERATION_NAMES = {
    "operation": ("op", "action", "event", "intent", "type", "kind"),
    "targets": ("target", "ids", "id", "memory_ids", "memory_id", "memories", "supersedes"),
    "about": ("what", "topic", "query"),
    "relation": ("how",),
    "evidence": ("quote", "span", "words", "reason"),
}
_OPERATIONS = {
    "add": "create", "insert": "create", "new": "create", "store": "create", "remember": "create",
    "replace": "update", "supersede": "update", "supersedes": "update", "correct": "update",
    "change": "update", "modify": "update", "contradict": "create",
    "remove": "delete", "forget": "delete", "retract": "delete", "erase": "delete",
    "merge": "consolidate", "tidy": "consolidate",
    "noop": "none", "no-op": "none", "nothing": "none", "skip": "none", "ignore": "none",
}  # fmt: skip
_SIGNS = {
    "positive": "+", "affirmative": "+", "true": "+", "yes": "+", "pos": "+",
    "negative": "-", "negated": "-", "false": "-", "no": "-", "neg": "-", "−": "-",
}  # fmt: skip


def _renamed(entry: dict[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The entry with every field under its own name; others are dropped."""
    lower = {str(key).strip().lower(): value for key, value in entry.items()}
    made = {}
    for name, others in names.items():
        given = next((key for key in (name, *others) if lower.get(key) is not None), None)
        if given is not None:
            made[name] = lower[given]
    return made


def _fact(entry: Any) -> Any:
    if isinstance(entry, str):
        return {"subject": "user", "predicate": NOTED, "object": entry, "statement": entry}
    if isinstance(entry, list) and len(entry) == 3:
        return dict(zip(("subject", "predicate", "object"), entry, strict=True))
    if not isinstance(entry, dict):
        return entry
    fact = _renamed(entry, _FACT_NAMES)
    if "object" not in fact and isinstance(fact.get("statement"), str):
        fact["object"] = fact["statement"]
        fact.setdefault("predicate", NOTED)
    if "object" in fact:
        fact.setdefault("subject", "user")
        if isinstance(fact.get("statement"), str):
            fact.setdefault("predicate", NOTED)
    for name in ("statement", "evidence", "replaces", "when"):
        if isinstance(fact.get(name), str) and not fact[name].strip():
            del fact[name]
    sign = fact.get("polarity")
    if entry.get("negated") is True or sign is False:
        fact["polarity"] = "-"
    elif isinstance(sign, str | bool):
        fact["polarity"] = _SIGNS.get(str(sign).strip().lower(), sign)
    return fact


def _operation(entry: Any) -> Any:
    if isinstance(entry, str):
        entry = {"operation": entry}
    if not isinstance(entry, dict):
        return entry
    made = _renamed(entry, _OPERATION_NAMES)
    named = made.get("operation")
    if isinstance(named, str):
        lower = named.strip().lower()
        made["operation"] = _OPERATIONS.get(lower, lower)
        if lower == "contradict":
            made.setdefault("relation", Relation.CONTRADICTS.value)
    if made.get("operation") == "delete" and "targets" not in made and "about" not in made:
        words = _renamed(entry, {"about": ("text", "content", "statement", "object")})
        made.update(words)
    return made


def _told_in(operations: Sequence[Any]) -> list[Any]:
    """Facts that were put inside an operation that creates or updates."""
    told = []
    for entry in operations:
        named = _operation(entry)
        if not isinstance(entry, dict) or named.get("operation") not in ("create", "update"):
            continue
        inner = entry.get("fact", entry)
        if isinstance(inner, str) or (
            isinstance(inner, dict)
            and {"object", "value", "text", "content", "statement"} & set(inner)
        ):
            told.append(_fact(inner))
    return told


def _made_fact(value: Mapping[str, Any]) -> ProposedFact:
    modality = value["modality"]
    return ProposedFact(**{**value, "modality": None if modality is None else Modality(modality)})


def _made_operation(value: Mapping[str, Any]) -> ProposedOperation:
    relation = value["relation"]
    return ProposedOperation(
        **{
            **value,
            "targets": tuple(value["targets"]),
            "relation": None if relation is None else Relation(relation),
        }
    )
