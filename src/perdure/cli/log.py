"""The log, for those who ask for it. What goes wrong is told once, by its error or warning."""

from __future__ import annotations

import logging

_ORDINARY = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class _WithFields(logging.Formatter):
    """One line per event: when, where, what, and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {name: value for name, value in vars(record).items() if name not in _ORDINARY}
        told = " ".join(f"{name}={value}" for name, value in fields.items())
        return f"{super().format(record)} {told}".rstrip()


def keep_quiet() -> None:
    """Write no log."""
    _use(logging.NullHandler())


def talk() -> None:
    """Write the log to stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(_WithFields("%(asctime)s %(name)s %(message)s"))
    _use(handler)


def _use(handler: logging.Handler) -> None:
    logger = logging.getLogger("perdure")
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(logging.INFO)
