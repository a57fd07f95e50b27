"""What a failed request to a service means for whoever asked.

Nothing of the service's own message is taken over, because services repeat the key or the texts in
it; its error code is, when it looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType

from perdure.remote.retrying import asked_delay_s

_RETRYABLE = frozenset({408, 409, 425, 429})
_NEVER = frozenset({501, 505})
_EXHAUSTED = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
"""Codes that come with 429 and do not pass by themselves."""

_REMEDIES = {
    401: "check the API key",
    402: "check the account's balance",
    403: "check what the API key may do",
    404: "check the model's name and the base URL",
    429: "check the account's quota",
}
_HARMLESS_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceFailure:
    """One failed request: what happened in words, and whether and when asking again may help.

    `status` is that of the answer, when there was one; `field` the part of the request that the
    service names as the reason.
    """

    what: str
    is_passing: bool
    remedy: str = ""
    asked_s: float | None = None
    status: int | None = None
    field: str | None = None

    def told(self, service: str, *, attempts: int) -> str:
        """The message of an error, naming the service."""
        if not self.is_passing:
            advice = f"; {self.remedy}" if self.remedy else ""
            return f"{service} {self.what}{advice}"
        tries = "once" if attempts == 1 else f"{attempts} times"
        asked = f"; it asks to wait {self.asked_s:g} s" if self.asked_s else ""
        return f"{service} {self.what} (asked {tries}){asked}"


def failure_of(
    error: Exception, sdk: ModuleType, *, remedies: Mapping[int, str] | None = None
) -> ServiceFailure | None:
    """What an error of waiting or of an SDK (`openai`, `anthropic`) means; None for any other."""
    if isinstance(error, TimeoutError | sdk.APITimeoutError):
        return ServiceFailure(what="did not answer in time", is_passing=True)
    if isinstance(error, sdk.APIStatusError):
        return _refusal(error, {**_REMEDIES, **(remedies or {})})
    if isinstance(error, sdk.APIConnectionError):
        cause = type(error.__cause__).__name__ if error.__cause__ else "connection error"
        return ServiceFailure(what=f"cannot be reached ({cause})", is_passing=True)
    return None


def repeats(cause: Exception | None, parts: Iterable[str]) -> bool:
    """Whether an error shows one of these (a key, words sent), so that a traceback would."""
    shown = "" if cause is None else f"{cause} {cause!r}"
    return any(len(part) > 7 and part in shown for part in parts)


def _refusal(error: object, remedies: Mapping[int, str]) -> ServiceFailure:
    status: int = getattr(error, "status_code", 0)
    known = _code(error)
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    named = {name.lower(): value for name, value in headers.items()}
    is_passing = (status in _RETRYABLE or status >= 500) and status not in _NEVER
    if known in _EXHAUSTED or named.get("x-should-retry") == "false":
        is_passing = False
    field = getattr(error, "param", None)
    return ServiceFailure(
        what=f"answered with status {status}" + (f" ({known})" if known else ""),
        is_passing=is_passing,
        remedy=remedies.get(status, ""),
        asked_s=asked_delay_s(named),
        status=status,
        field=field if isinstance(field, str) else None,
    )


def _code(error: object) -> str | None:
    """The error code: an attribute of the error, or the type in its body."""
    body = getattr(error, "body", None)
    inner = body.get("error") if isinstance(body, Mapping) else None
    stated = inner.get("type") if isinstance(inner, Mapping) else None
    for code in (getattr(error, "code", None), stated):
        if isinstance(code, str) and _HARMLESS_CODE.fullmatch(code):
            return code
    return None
