"""What went wrong at the place of an archive, in the caller's terms and without secrets."""

from __future__ import annotations

from collections.abc import Collection
from typing import Never

from perdure.errors import Misconfigured, PerdureError, Unavailable

_LONGEST = 300
_HIDDEN = "…"


def raise_for(error: Exception, place: str, *, secrets: Collection[str], lasts: bool) -> Never:
    """Raise `Misconfigured` where it `lasts` and retrying cannot mend it, else `Unavailable`.

    The cause is kept unless it tells a secret.
    """
    told = str(error)
    text = " ".join(told.split())
    for secret in secrets:
        text = text.replace(secret, _HIDDEN)
    text = text[:_LONGEST]
    remedy = "mend settings.archive, or the rights of its account" if lasts else "try again later"
    kind: type[PerdureError] = Misconfigured if lasts else Unavailable
    raised = kind(f"the archive at {place} failed: {type(error).__name__}: {text}; {remedy}")
    if any(secret in told for secret in secrets):
        raise raised from None
    raise raised from error
