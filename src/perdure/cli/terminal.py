"""What goes to the streams: UTF-8 everywhere, results on stdout, everything else on stderr."""

from __future__ import annotations

import io
import re
import sys
import unicodedata

from perdure.errors import InvalidInput

_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
"""Controls, among them the escape that starts terminal commands, and those that turn the direction
of text around."""


MOST_STDIN_BYTES = 8 * 1024 * 1024
"""Room for a million characters, the default `max_content_chars`, with some to spare."""


def speak_utf8() -> None:
    """Read and write UTF-8 whatever the console's code page or locale is."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def printable(text: str) -> str:
    """Text of a memory for a terminal: it can neither give it commands nor disguise itself."""
    return _HARMFUL.sub(_visible, text.replace("\r\n", "\n").replace("\t", "    "))


def _visible(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)  # the pictures of control characters: ␛ for escape
    return f"<{unicodedata.name(char, f'U+{code:04X}')}>"


def note(text: str) -> None:
    """Tell the person something that is not the result."""
    print(text, file=sys.stderr)


def people_watch() -> bool:
    """Whether stderr is a terminal, so that progress is worth drawing."""
    return sys.stderr.isatty()


def people_answer() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def text_of_stdin() -> str:
    """Everything on stdin, without the line end that `echo` adds.

    `InvalidInput` if it is not UTF-8, or longer than any memory may be (so that an endless stream
    is not read for ever).
    """
    raw = sys.stdin.buffer.read(MOST_STDIN_BYTES + 1)
    if len(raw) > MOST_STDIN_BYTES:
        raise InvalidInput(
            f"stdin holds more than {MOST_STDIN_BYTES:,} bytes, which is longer than a memory may be"
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"stdin is not UTF-8 text: {error.reason}") from error
    return text.rstrip("\r\n")
