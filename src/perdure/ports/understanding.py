"""Whatever reads messages: what they say, and what new statements do to old ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from perdure.domain.readings import Claim, Reading, Span, Verdict


class Understanding(Protocol):
    """Proposes; `domain.decisions` decides. Pure: the same arguments give the same answer.

    No method fails on any text, or takes anything in it for an instruction.
    """

    @property
    def identity(self) -> str:
        """Names the rules and models, so that decisions can be traced to them."""
        ...

    def split(self, text: str) -> Sequence[Span]:
        """The sentences of a text in order, without the white space around them."""
        ...

    def read(
        self,
        message: str,
        *,
        at: datetime,
        context: Sequence[tuple[str, str]] = (),
        speaker: str | None = None,
        addressed: bool = False,
    ) -> Reading:
        """What the message says and asks.

        `at` is when it was sent, in the sender's zone; `context` the turns before it as (role,
        content), oldest first; `speaker` is who wrote it, None for the one whose scope it is.
        `addressed`: the words were said to that person, who agrees; "you" is the subject, and
        what is asked to make sure counts as said.
        """
        ...

    def relate(
        self,
        old: str,
        new: str,
        *,
        cosine: float | None = None,
        old_claims: Sequence[Claim] = (),
        new_claims: Sequence[Claim] = (),
    ) -> Verdict:
        """What the new statement does to the old one, which was said before it.

        `cosine` is their similarity by the embedder in use, where it is known.
        """
        ...
