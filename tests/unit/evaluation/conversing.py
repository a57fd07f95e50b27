"""A memory that plays back what a test tells it, and notes how it was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from perdure.domain.results import Hit, Observed
from perdure.evaluation.clock import SetClock


@dataclass
class PlayedBack:
    """`answers` gives the answer to each message by its words, `hits` those to each question."""

    clock: SetClock
    answers: Mapping[str, Observed] = field(default_factory=dict)
    hits: Mapping[str, Sequence[Hit]] = field(default_factory=dict)
    heard: list[tuple[datetime, dict[str, Any]]] = field(default_factory=list)
    asked: list[tuple[datetime, str, int | None, object]] = field(default_factory=list)
    users: list[str | None] = field(default_factory=list)

    def scoped(self, *, user: str | None = None, tenant: str | None = None) -> Self:
        self.users.append(user)
        return self

    def observe(self, messages: Sequence[dict[str, Any]]) -> Observed:
        [message] = messages
        self.heard.append((self.clock.now(), message))
        return self.answers.get(message["content"], Observed())

    def recall(self, query: str, *, limit: int | None = None, as_of: object = None) -> list[Hit]:
        self.asked.append((self.clock.now(), query, limit, as_of))
        return list(self.hits.get(query, ()))
