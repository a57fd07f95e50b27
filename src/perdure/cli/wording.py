"""What the library's messages say, in the words of the shell: flags and commands for calls."""

from __future__ import annotations

import re
from collections.abc import Mapping

import click

_ID = r"['\"]?(?P<id>[\w-]+?)['\"]?"
_CALLS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (rf"update\({_ID}, held=False\)", r"`perdure hold --release \g<id>`"),
        (rf"restore\({_ID}\)", r"`perdure restore \g<id>`"),
        (rf"history\({_ID}\)", r"`perdure show \g<id>`"),
        (
            r"a manager bound to that user and tenant, such as \S+\.verify\(certificate\)",
            "their --user and --tenant",
        ),
        (
            r"to erase the memories of no particular user, pass scope=Scope\(\) explicitly",
            "the memories of no particular user are erased by their IDS",
        ),
        (r"a scope that names a user, agent or session", "--user, --agent or --session"),
        (r"open it with embedder='off' and call reembed\(embedder=…\)", "run `perdure reembed`"),
        (r"; pass embedder=…", "; name one with --embedder"),
        (r"open the store with language_model=…", "set PERDURE_LANGUAGE_MODEL to one"),
        (r"list\(\)", "`perdure list`"),
        (r"consolidate\(\)", "`perdure consolidate`"),
        (r"one that list\(\) gave", "one that `perdure list` gave"),
        (r"^between start\b", "--since"),
        (r"^between end\b", "--until"),
        (r"^between: ", "--since and --until: "),
        (r"^forget_all needs", "forget --all needs"),
        (r"^erase needs ids, or", "erase needs IDS, or --all with"),
        (r"name a scope to export its memories", "name --user to export theirs"),
        (
            r"this manager is bound to one user, agent or session",
            "leave --user, --agent and --session out, or the flag",
        ),
        (r"; observe\(\) takes messages with role and content", ""),
    )
)
_NOT_PARAMETERS = frozenset(("limit", "user", "agent", "session", "tenant", "reason", "kinds"))
"""Words that messages also use as words: they are flags only where the message speaks of them first."""


def flags_of(command: click.Command) -> dict[str, str]:
    """The flag of each parameter of a command, by the name it has in Python."""
    return {
        parameter.name: max(parameter.opts, key=len)
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name
    }


def in_shell_words(message: str, flags: Mapping[str, str]) -> str:
    """The message with calls and parameters as somebody at the shell knows them."""
    for call, words in _CALLS:
        message = call.sub(words, message)
    for name, flag in flags.items():
        message = re.sub(rf"\b{name}=True\b", flag, message)
        first = rf"^{name}(?= |:)"
        anywhere = rf"(?<![\w.-]){name}(?![\w(=-])"
        is_word = "_" not in name or name in _NOT_PARAMETERS
        message = re.sub(first if is_word else anywhere, flag, message)
    return message
