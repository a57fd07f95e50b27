"""Which recalled memories an answer used, told by what it carries of them.

Careful: a memory counts as used only when the answer carries what is specific to it. What the
question said already shows nothing, nor do words of every day; a number or a name that the memory
has and the answer lacks speaks against it, and so does another recalled memory that explains all
the same words and more. An answer in other words than the memory's is missed; that costs a review,
while a use that was none would keep noise alive.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from perdure.domain.analysis import CHINESE_STOP_TERMS, ENGLISH_STOP_WORDS, stem, words

SHARE = 0.5
"""How much of what is specific to a sentence of the memory the answer must carry, by weight."""
LEAST = 2.0
"""And at least so much: a number, a name, or two words."""
HARD, SOFT = 2.0, 1.0
"""What numbers and names weigh, and what other words weigh."""

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n+")
_CAPITAL = re.compile(r"(?<!^)(?<![.!?:;\n]\s)(?<!\w)[A-Z][\w'’-]+")
_EVERYDAY = frozenset(
    "user assistant people person thing things something someone time times way lot bit kind day "
    "today yesterday tomorrow now know think say said says tell told ask asked want wants wanted "
    "need needs like likes liked go goes going went get gets got make makes made take takes took "
    "use uses used see saw look come came good great new old first last one two may might must "
    "shall okay ok yes please thanks thank sure well really very much many also still already "
    "since because however although always never often sometimes maybe currently according "
    "recall remember memory notes note mentioned information help let's i've i'll you're that's "
    "there's he's she's".split()
)
_FUNCTION_HAN = frozenset(
    "的了是在我你您他她它们吗呢吧啊呀么之与和就都也还很着过把被有什哪谁几这那个请问为怎样从到"
    "给对上里吃说要会能可以让但而且或者又再已经将不没及其于"
)
_NO = frozenset("not no never nor neither without instead rather isn't wasn't aren't weren't "
                "don't doesn't didn't longer".split())  # fmt: skip
_NO_REACH = 3
_NO_HAN = re.compile(r"(?:不是|不再|并非|没有|而非|不在|不用|不叫|无)[^，。；！？,;!?]{0,3}$")


def used_among(answer: str, texts: Sequence[str], *, question: str = "") -> list[bool]:
    """For each recalled text whether the answer used it.

    `question` is what was asked, and what the memories were recalled with.
    """
    asked = frozenset(_features(question))
    windows = [_features(window) for window in _windows(answer)]
    denied = _denied(answer)
    carried = [_carried(text, windows, asked, denied) for text in texts]
    return [
        found is not None and not any(other is not None and found < other for other in carried)
        for found in carried
    ]


def _carried(
    text: str,
    windows: Sequence[Mapping[str, float]],
    asked: Collection[str],
    denied: frozenset[str],
) -> frozenset[str] | None:
    """What the answer carries of the text's best sentence; None when that does not show a use."""
    best: frozenset[str] | None = None
    for sentence in _sentences(text):
        specific = {
            name: weight for name, weight in _features(sentence).items() if name not in asked
        }
        for window in windows:
            shared = frozenset(specific.keys() & window.keys()) - denied
            if _shows_use(specific, shared) and (best is None or len(shared) > len(best)):
                best = shared
    return best


def _shows_use(specific: Mapping[str, float], shared: frozenset[str]) -> bool:
    hard = {name for name, weight in specific.items() if weight == HARD}
    weight = sum(specific[name] for name in shared)
    return (
        weight >= LEAST
        and weight >= SHARE * sum(specific.values())
        and (not hard or not hard.isdisjoint(shared))
    )


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE_END.split(text) if part and not part.isspace()]


def _windows(answer: str) -> list[str]:
    """Each two sentences that follow one another: what is further apart belongs together by chance."""
    sentences = _sentences(answer)
    if len(sentences) < 2:
        return sentences
    return [f"{one}\n{other}" for one, other in pairwise(sentences)]


def _features(text: str) -> dict[str, float]:
    """What could be specific in a text, with its weight."""
    names = {word.casefold().replace("’", "'") for word in _CAPITAL.findall(text)}
    found: dict[str, float] = {}
    for token, is_run in words(text):
        if is_run:
            found.update(_han_features(token))
            continue
        bare = token.removesuffix("'s")
        if any(char.isdigit() for char in bare):
            found[bare] = HARD
        elif bare in ENGLISH_STOP_WORDS or bare in _EVERYDAY or len(bare) < 2:
            continue
        else:
            is_name = bare in names or token in names
            name = stem(bare)
            found[name] = max(found.get(name, SOFT), HARD if is_name else SOFT)
    return found


def _han_features(run: str) -> Iterator[tuple[str, float]]:
    """Of a run without spaces: pieces of two or three characters between function words, and of
    longer pieces the pairs of neighbours."""
    piece = ""
    for char in f"{run}的":
        if char not in _FUNCTION_HAN:
            piece += char
            continue
        if 2 <= len(piece) <= 3 and piece not in CHINESE_STOP_TERMS:
            yield piece, HARD
        if len(piece) > 1:
            for start in range(len(piece) - 1):
                pair = piece[start : start + 2]
                if pair != piece:
                    yield pair, SOFT
        piece = ""


def _denied(answer: str) -> frozenset[str]:
    """What the answer names only to say that it is not so."""
    denied: set[str] = set()
    said: set[str] = set()
    for sentence in _sentences(answer):
        behind: list[str] = []
        for token, is_run in words(sentence):
            names = [name for name, _ in _han_features(token)] if is_run else [_name_of(token)]
            if is_run:
                for name in names:
                    before = token[: token.find(name)]
                    (denied if _NO_HAN.search(before) else said).add(name)
            else:
                is_denied = not _NO.isdisjoint(behind[-_NO_REACH:]) or bool(
                    behind and _NO_HAN.search(behind[-1])
                )
                (denied if is_denied else said).update(names)
            behind.append(token)
    return frozenset(denied - said)


def _name_of(token: str) -> str:
    bare = token.removesuffix("'s")
    return bare if any(char.isdigit() for char in bare) else stem(bare)
