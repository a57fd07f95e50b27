"""What a failed request to an embedding service means for the caller."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from json import JSONDecodeError

from perdure.embedders._retry import asked_delay_s
from perdure.errors import EmbedderRejected, EmbedderUnavailable

_RETRYABLE = frozenset({408, 409, 425, 429})
_NEVER = frozenset({501, 505})
_EXHAUSTED = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes that come with 429 and do not pass by themselves."""

_REMEDIES = {
    401: "check the API key",
    403: "check what the API key may do",
    404: "check the model's name and the base URL",
    413: "lower batch_size or batch_tokens",
    429: "check the account's quota",
}
_HARMLESS_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceFailure:
    """One failed request: what happened in words, and whether and when asking again may help."""

    what: str
    is_passing: bool
    remedy: str = ""
    asked_s: float | None = None

    def as_error(self, service: str, *, attempts: int) -> EmbedderUnavailable | EmbedderRejected:
        """The error for the caller, naming the service."""
        if not self.is_passing:
            advice = f"; {self.remedy}" if self.remedy else ""
            return EmbedderRejected(f"{service} {self.what}{advice}")
        tries = "once" if attempts == 1 else f"{attempts} times"
        asked = f"; it asks to wait {self.asked_s:g} s" if self.asked_s else ""
        return EmbedderUnavailable(f"{service} {self.what} (asked {tries}){asked}")


def malformed(what: str) -> ServiceFailure:
    """A successful answer that is no list of vectors, such as a proxy's page: may pass."""
    return ServiceFailure(what=f"sent no embeddings: {what}", is_passing=True)


def failure_of(error: Exception) -> ServiceFailure | None:
    """What an error of the SDK or of waiting means; None for anything else.

    Nothing of the service's own message is taken over, because services repeat the key or the
    texts in it; its error code is, when it looks like one.
    """
    import openai

    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return ServiceFailure(what="did not answer in time", is_passing=True)
    if isinstance(error, openai.APIStatusError):
        return _refusal(error.status_code, error.code, error.response.headers)
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__).__name__ if error.__cause__ else "connection error"
        return ServiceFailure(what=f"cannot be reached ({cause})", is_passing=True)
    if isinstance(error, openai.OpenAIError | JSONDecodeError | UnicodeDecodeError):
        return malformed(type(error).__name__)
    return None


def _refusal(status: int, code: object, headers: Mapping[str, str]) -> ServiceFailure:
    known = code if isinstance(code, str) and _HARMLESS_CODE.fullmatch(code) else None
    named = {name.lower(): value for name, value in headers.items()}
    is_passing = (status in _RETRYABLE or status >= 500) and status not in _NEVER
    if known in _EXHAUSTED or named.get("x-should-retry") == "false":
        is_passing = False
    return ServiceFailure(
        what=f"answered with status {status}" + (f" ({known})" if known else ""),
        is_passing=is_passing,
        remedy=_REMEDIES.get(status, ""),
        asked_s=asked_delay_s(named),
    )
