"""How a command ends, for scripts that want to know."""

from __future__ import annotations

from enum import IntEnum

from perdure.errors import (
    Conflict,
    InvalidInput,
    Misconfigured,
    NotFound,
    PerdureError,
    PermissionDenied,
    Unavailable,
)


class Exit(IntEnum):
    """The exit status of `perdure`."""

    DONE = 0
    NEGATIVE = 1
    INVALID = 2
    NOT_FOUND = 3
    CONFLICT = 4
    UNAVAILABLE = 5
    MISCONFIGURED = 6
    DENIED = 7
    DEFECT = 70
    INTERRUPTED = 130
    PIPE_CLOSED = 141


MEANING = {
    Exit.DONE: "Done.",
    Exit.NEGATIVE: "Done, and the answer is no: nothing relevant was found, entries of an import "
    "were left out, or a check found something wrong.",
    Exit.INVALID: "The call is wrong (InvalidInput): an option, a value, a filter.",
    Exit.NOT_FOUND: "No such memory in this scope, or no store there yet (NotFound).",
    Exit.CONFLICT: "Something else changed it first, or it stands in the way (Conflict).",
    Exit.UNAVAILABLE: "Out of reach for now, the same call may work later (Unavailable).",
    Exit.MISCONFIGURED: "The deployment is wrong: another model, a damaged file, a missing package "
    "(Misconfigured).",
    Exit.DENIED: "The scope may not do that (PermissionDenied).",
    Exit.DEFECT: "A defect of Perdure; the traceback is on stderr. Please report it.",
    Exit.INTERRUPTED: "Interrupted with Ctrl-C. What was acknowledged is stored.",
    Exit.PIPE_CLOSED: "The program that read the output went away.",
}

_OF_ERRORS: tuple[tuple[type[PerdureError], Exit], ...] = (
    (InvalidInput, Exit.INVALID),
    (NotFound, Exit.NOT_FOUND),
    (Conflict, Exit.CONFLICT),
    (Unavailable, Exit.UNAVAILABLE),
    (Misconfigured, Exit.MISCONFIGURED),
    (PermissionDenied, Exit.DENIED),
)


def exit_of(error: PerdureError) -> Exit:
    """The exit status of an error."""
    return next((status for kind, status in _OF_ERRORS if isinstance(error, kind)), Exit.DEFECT)
