"""Every error a caller can meet, as one shallow tree.

    PerdureError
    ├── InvalidInput          the call is wrong; mend the arguments
    │   └── UnsupportedFilter     this store cannot express that filter
    ├── NotFound              nothing visible has that id
    ├── Conflict              somebody else changed it first; read again, then retry
    ├── Unavailable           a service or file is out of reach for now; retry later
    │   ├── EmbedderUnavailable
    │   ├── LanguageModelUnavailable
    │   │   └── UnreadableAnswer      what the model wrote cannot be used
    │   └── Closed                the manager was closed
    ├── Misconfigured         the deployment is wrong; retrying will not help
    │   ├── EmbedderMismatch      the store's vectors were made by another model
    │   ├── EmbedderRejected      the embedding service refuses the input or the key
    │   ├── LanguageModelRejected the language model's service refuses the key or the request
    │   ├── NewerStore            the file was made by a newer version
    │   ├── CorruptStore          the file is damaged
    │   └── CorruptArchive        a batch in the archive is damaged
    └── PermissionDenied      the scope may not do that

A refused call changes nothing. Messages name the thing, the value and the remedy; they never
carry memory contents or secrets.
"""

from __future__ import annotations


class PerdureError(Exception):
    """Root of every error this package raises on purpose."""


class InvalidInput(PerdureError, ValueError):
    """The call is wrong; nothing was changed. The message says what to mend."""


class UnsupportedFilter(InvalidInput):
    """The filter is not in the language, or this store cannot express it. It is never dropped."""


class NotFound(PerdureError, LookupError):
    """No memory with that id is visible in the scope."""


class Conflict(PerdureError):
    """A precondition failed: the record, slot or idempotency key changed meanwhile."""


class Unavailable(PerdureError):
    """Something needed is out of reach for now; the same call may work later."""


class EmbedderUnavailable(Unavailable):
    """The embedder failed in a way that retrying may mend."""


class LanguageModelUnavailable(Unavailable):
    """The language model failed in a way that retrying may mend.

    `retry_after_s` is how long its service asks to be left alone, when it says so.
    """

    def __init__(self, message: str = "", *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class UnreadableAnswer(LanguageModelUnavailable):
    """The language model answered, and the answer cannot be used.

    `fault` names why: a value of `domain.answers.AnswerFault`. Nothing of the answer is repeated.
    """

    def __init__(self, message: str = "", *, fault: str = "") -> None:
        super().__init__(message)
        self.fault = fault


class Closed(Unavailable):
    """The manager has been closed and takes no more calls."""


class Misconfigured(PerdureError):
    """The deployment is wrong: a missing extra, a bad setting, an unusable file."""


class EmbedderMismatch(Misconfigured):
    """The store's vectors were made by another embedding model."""


class EmbedderRejected(Misconfigured):
    """The embedding service refuses the request; retrying cannot mend it."""


class LanguageModelRejected(Misconfigured):
    """The language model's service refuses the key, the model or the request."""


class NewerStore(Misconfigured):
    """The store was written by a newer version of the package and is left untouched."""


class CorruptStore(Misconfigured):
    """The store's file is damaged and was left as it is."""


class CorruptArchive(Misconfigured):
    """What lies in the archive is not what was put there; it was left as it is."""


class PermissionDenied(PerdureError):
    """The scope may not do that."""
