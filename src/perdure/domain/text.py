"""Text as it is kept and as it is compared.

Contents are kept as the caller wrote them, except what no store can hold: halves of surrogate
pairs and NUL. Everything else (case, width, accents, traditional forms) is folded only where two
texts are compared or indexed.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def sanitise(text: str) -> str:
    """The same words in storable form: surrogate pairs joined, lone halves and NUL replaced.

    The replacement is U+FFFD, so a reader sees that something unreadable stood there.
    Idempotent; text without such characters is returned as it is.
    """
    if text.isascii() and "\x00" not in text:
        return text
    if not _UNSTORABLE.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\x00", REPLACEMENT)


def is_blank(text: str) -> bool:
    """True when nothing readable stands in the text: only spaces, controls or joiners."""
    if not text or text.isspace():
        return True
    if text[0].isalnum():
        return False
    return all(ch.isspace() or unicodedata.category(ch) in ("Cc", "Cf", "Zs") for ch in text)


HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f]")


def holds_han(text: str) -> bool:
    """Whether a Chinese character stands in the text."""
    return not text.isascii() and HAN.search(text) is not None


_COMBINING = re.compile("[\u0300-\u036f]")


@lru_cache(maxsize=1)
def _han_fold() -> dict[int, int]:
    # Built on the first text that needs it, so that importing the package stays light.
    from perdure.domain.han_fold import SIMPLIFIED, TRADITIONAL

    return str.maketrans(TRADITIONAL, SIMPLIFIED)


def fold(text: str) -> str:
    """The text as the index sees it: NFKC, lower case, no accents, simplified Han characters."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    composed = unicodedata.normalize("NFC", _COMBINING.sub("", decomposed))
    return composed.casefold().translate(_han_fold())


_ORDINARY_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_CASE_MAY_MATTER = re.compile(r"[A-Z](?:(?<=[a-z0-9_].)|(?=[0-9_])|[A-Z][a-z])")


def _fold_ordinary(match: re.Match[str]) -> str:
    word = match.group()
    return word.lower() if word.isupper() or word.istitle() else word


def identity_text(text: str) -> str:
    """What two texts must share to be the same statement.

    Spaces are collapsed and the case of ordinary words is ignored; every digit, sign and
    character counts, and a word of mixed case (`aBc`, `kB`) or with digits keeps its case,
    because there the case may be the meaning.
    """
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    collapsed = " ".join(composed.split())
    if not _CASE_MAY_MATTER.search(collapsed):
        return collapsed.lower()
    return _ORDINARY_WORD.sub(_fold_ordinary, collapsed)


def fingerprint(text: str) -> int:
    """A signed 64-bit hash of `identity_text`, equal for restatements in the same words."""
    digest = blake2b(identity_text(text).encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


_SHOWN_CHARS = 60
_SHOWN_NUMBER = 10**_SHOWN_CHARS


def shown(value: object) -> str:
    """A refused value as an error message shows it: short, printable, and no record's words.

    Texts and numbers are shown, shortened; of anything else only its type is named, because it
    may hold a memory, nest without end, or fail to describe itself.
    """
    if isinstance(value, str):
        text = str(value)
        short = truncate(text, _SHOWN_CHARS)
        return repr(text) if short == text else f"{short!r}…"
    if isinstance(value, int) and not -_SHOWN_NUMBER < value < _SHOWN_NUMBER:
        return "a number of too many digits"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    return f"a value of type {type(value).__name__}"


_ZERO_WIDTH_JOINER = "\u200d"


def _continues(char: str) -> bool:
    """Whether a character belongs to the one before it."""
    return (
        unicodedata.combining(char) != 0
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
        or char == _ZERO_WIDTH_JOINER
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def truncate(text: str, limit: int) -> str:
    """At most `limit` characters, never ending inside an emoji, a flag or an accented letter."""
    if len(text) <= limit:
        return text
    end = max(limit, 0)
    while end > 0 and (_continues(text[end]) or text[end - 1] == _ZERO_WIDTH_JOINER):
        end -= 1
    flags = 0
    while flags < end and _is_flag_letter(text[end - 1 - flags]):
        flags += 1
    if flags % 2 == 1 and _is_flag_letter(text[end]):
        end -= 1
    return text[:end]


def ending(text: str, limit: int) -> str:
    """The last characters, at most `limit`, never beginning inside an emoji, a flag or an accented
    letter."""
    if len(text) <= limit:
        return text
    start = len(text) - max(limit, 0)
    while start < len(text) and (_continues(text[start]) or text[start - 1] == _ZERO_WIDTH_JOINER):
        start += 1
    flags = 0
    while flags < start and _is_flag_letter(text[start - 1 - flags]):
        flags += 1
    if flags % 2 == 1 and start < len(text) and _is_flag_letter(text[start]):
        start += 1
    return text[start:]
