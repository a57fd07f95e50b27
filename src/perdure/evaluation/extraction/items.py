"""Labelled messages with the facts a careful reader would keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from perdure.domain.readings import USER, Modality, Polarity
from perdure.evaluation.lines import Fields, read_items


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFact:
    """One fact of the label. `objects` are its right wordings, the best first."""

    subject: str
    predicate: str
    objects: tuple[str, ...]
    polarity: Polarity = "+"
    modality: Modality = Modality.ASSERTED

    @property
    def is_trap(self) -> bool:
        """Whether it is asked, supposed or quoted, and must not be held."""
        return not self.modality.is_held


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionItem:
    """A message by `speaker`, which is "user" when no name is known."""

    id: str
    language: str
    message: str
    speaker: str = USER
    facts: tuple[ListedFact, ...] = ()

    @property
    def wanted(self) -> tuple[ListedFact, ...]:
        """The facts to be found."""
        return tuple(fact for fact in self.facts if not fact.is_trap)

    @property
    def traps(self) -> tuple[ListedFact, ...]:
        """What must not come out as a fact."""
        return tuple(fact for fact in self.facts if fact.is_trap)


def read_extraction(lines: Iterable[str]) -> list[ExtractionItem]:
    """The items of a file. Raises `InvalidInput`, which names the line."""
    return read_items(lines, _item)


def _item(fields: Fields) -> ExtractionItem:
    return ExtractionItem(
        id=fields.text("id"),
        language=fields.text("lang"),
        message=fields.text("message"),
        speaker=fields.optional_text("speaker") or USER,
        facts=tuple(_fact(part) for part in fields.parts("facts")),
    )


def _fact(fields: Fields) -> ListedFact:
    others = fields.texts("object_accept", may_lack=True)
    return ListedFact(
        subject=fields.text("subject"),
        predicate=fields.text("predicate"),
        objects=tuple(dict.fromkeys((fields.text("object"), *others))),
        polarity="-" if fields.text("polarity", of=("+", "-")) == "-" else "+",
        modality=Modality(fields.text("modality", of=[modality.value for modality in Modality])),
    )
