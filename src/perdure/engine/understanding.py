"""Understanding without a language model, as the port the engine asks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from perdure.blas import one_blas_thread

if TYPE_CHECKING:
    from perdure.domain.readings import Claim, Reading, Span, Verdict


class OfflineUnderstanding:
    """The rules and small models that come with the package."""

    @property
    def identity(self) -> str:
        """Names the rules and models."""
        return "offline"

    # The rules are imported when the first message is read: most programs that only recall or
    # list should not wait for them.
    def split(self, text: str) -> Sequence[Span]:
        """As the port says."""
        from perdure.understanding import split_sentences

        return split_sentences(text)

    def read(
        self,
        message: str,
        *,
        at: datetime,
        context: Sequence[tuple[str, str]] = (),
        speaker: str | None = None,
        addressed: bool = False,
    ) -> Reading:
        """As the port says."""
        from perdure.understanding import read

        with one_blas_thread:
            return read(message, at=at, context=context, speaker=speaker, addressed=addressed)

    def relate(
        self,
        old: str,
        new: str,
        *,
        cosine: float | None = None,
        old_claims: Sequence[Claim] = (),
        new_claims: Sequence[Claim] = (),
    ) -> Verdict:
        """As the port says."""
        from perdure.understanding import relate

        with one_blas_thread:
            return relate(old, new, cosine=cosine, old_claims=old_claims, new_claims=new_claims)
