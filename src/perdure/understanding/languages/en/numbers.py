"""English numbers in words and digits."""

from __future__ import annotations

_UNITS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = """zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh
twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth""".split()
_ORDINAL_TENS = "twentieth thirtieth".split()

CARDINALS = {word: n for n, word in enumerate(_UNITS)}
CARDINALS |= {word: 10 * n for n, word in enumerate(_TENS, 2)}
CARDINALS |= {
    f"{ten}-{unit}": 10 * n + m
    for n, ten in enumerate(_TENS, 2)
    for m, unit in enumerate(_UNITS[1:10], 1)
}

ORDINALS = {word: n for n, word in enumerate(_ORDINALS) if n}
ORDINALS |= {word: 10 * n for n, word in enumerate(_ORDINAL_TENS, 2)}
ORDINALS |= {
    f"{ten}-{unit}": 10 * n + m
    for n, ten in enumerate(_TENS[:2], 2)
    for m, unit in enumerate(_ORDINALS[1:10], 1)
    if 10 * n + m <= 31
}


def _alternatives(words: dict[str, int]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(word.replace("-", "[- ]") for word in longest_first)


CARDINAL = rf"(?:\d{{1,4}}|(?:{_alternatives(CARDINALS)})\b)"
AMOUNT = (
    rf"(?:\d{{1,4}}(?:\.\d)?|a\s+couple(?:\s+of)?|a\s+dozen|an?|(?:{_alternatives(CARDINALS)})\b)"
)
ORDINAL = rf"(?:\d{{1,2}}(?:st|nd|rd|th)\b|(?:{_alternatives(ORDINALS)})\b)"
ORDINAL_HEADS = {word.split("-")[0] for word in ORDINALS}
CARDINAL_HEADS = {word.split("-")[0] for word in CARDINALS}


def amount_of(text: str) -> float:
    """What an `AMOUNT` counts."""
    words = " ".join(text.lower().split())
    if words[0].isdigit():
        return float(words)
    if words in ("a", "an"):
        return 1
    if words.startswith("a couple"):
        return 2
    if words == "a dozen":
        return 12
    return CARDINALS[words.replace(" ", "-")]


def ordinal_of(text: str) -> int:
    """What an `ORDINAL` or a plain number counts."""
    words = "-".join(text.lower().split())
    if words[0].isdigit():
        return int(words.rstrip("stndrh"))
    return ORDINALS.get(words) or CARDINALS[words]
