"""The statements inside one sentence that can each be outdated while the others stay.

"I work at the mill, and my van is red": a new job leaves the van. Only clauses that stand by
themselves count: with a subject of their own, not one that points back ("they make me sneeze").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from perdure.domain.analysis import lexemes, query_lexemes
from perdure.domain.text import fold

_BREAK = re.compile(
    r"(?:\s*[,;]\s*|\s+)(?:and|but|while|whereas)\s+|\s*[;；]\s*|[，。]\s*(?:而且|而|但是|但|不过)?"
    r"|,\s+(?=(?:my|our|the|i)\b)",
    re.IGNORECASE,
)
_OWN_SUBJECT = re.compile(
    r"(?:my|our|his|her|their)\s+\S+\s+\S+"
    r"|the\s+\S+(?:\s+\S+){0,3}?\s+(?:is|are|has|have|[a-z]+s)\b"
    r"|(?:i|we)(?:'m|'ve)?\s+(?!think\b|guess\b|mean\b|hope\b|suppose\b|just\b)\w+"
    r"|(?!(?:it|they|he|she|this|that|which|who|there|because|since|so|as|when|while|if|for|with|"
    r"by|in|on|at|to|from|and|but|or)\b)[^\W\d_]\S*(?:\s+\S+){0,2}?\s+"
    r"(?:is|are|has|lives|works|runs|costs|belongs|goes|plays|studies|speaks|likes|hates)\b",
    re.IGNORECASE,
)
_OWN_SUBJECT_HAN = re.compile(
    r"(?!(?:它|他|她|这|那|就|也|都|还|又|再|太|很|可|因为|所以|平时|现在|以后|之前|不过|而且|但))"
    r"(?:[^，。；]{1,10}?(?:是|在|叫|有|姓|属于|用的|定在|停|归|对.{1,8}过敏)"
    r"|(?:我|我们|咱们?|[我咱]?(?:爸|妈|爷爷|奶奶|老婆|老公|媳妇|先生|太太|爱人|儿子|女儿|孩子|哥|姐|弟|妹|"
    r"同事|朋友|室友|邻居|老板|对象|女友|男友|女朋友|男朋友))[^，。；]{3,})"
)
_HAN = re.compile("[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Which of a sentence's clauses a new statement is about, and which it leaves standing."""

    touched: tuple[str, ...]
    standing: tuple[str, ...]


def clauses_of(sentence: str) -> list[str]:
    """The clauses that stand by themselves, each with the dependent ones after it."""
    pieces = [piece.strip() for piece in _BREAK.split(sentence) if piece and piece.strip()]
    clauses: list[str] = []
    for piece in pieces:
        if clauses and not _stands_alone(piece):
            clauses[-1] = f"{clauses[-1]}, {piece}"
        else:
            clauses.append(piece)
    return clauses


def _stands_alone(piece: str) -> bool:
    pattern = _OWN_SUBJECT_HAN if _HAN.search(piece) else _OWN_SUBJECT
    return pattern.match(piece) is not None


def reach_of(old: str, new: str) -> Reach:
    """What of `old` a statement that supersedes it is about: the clauses nearest to it in words.

    All of it where there is one clause, or no clause shares more with the new words than another.
    """
    clauses = clauses_of(old)
    if len(clauses) < 2:
        return Reach(touched=tuple(clauses), standing=())
    said = set(lexemes(new))
    shared = [_shared(clause, said) for clause in clauses]
    best = max(shared)
    if best <= 0.0:
        # Nothing tells which of them is meant, so none is given up.
        alone = tuple(clause for clause in clauses if _stands_alone(clause))
        return Reach(touched=(), standing=alone if len(alone) > 1 else ())
    touched = [clause for clause, share in zip(clauses, shared, strict=True) if share * 2 > best]
    return Reach(
        touched=tuple(touched),
        standing=tuple(
            clause for clause in clauses if clause not in touched and _stands_alone(clause)
        ),
    )


def _shared(clause: str, said: set[int]) -> float:
    """Share of the clause's telling words that the new statement has too."""
    words = query_lexemes(clause)
    return sum(word in said for word in words) / len(words) if words else 0.0


def is_within(part: str, clauses: tuple[str, ...]) -> bool:
    """Whether words stand in one of the clauses."""
    sought = fold(part)
    return any(sought in fold(clause) for clause in clauses)


_HEAD = re.compile(
    r"(?<!\bat )(?<!\bin )(?<!\bon )(?<!\bof )(?<!\bby )(?<!\bto )(?<!\bfor )(?<!\bfrom )(?<!\bnear )"
    r"(?<!\bwith )\b(?P<head>(?:my|our|his|her|their|the)\s+(?:[^\W\d_]['\w-]*\s+){1,5}?(?:is|are))"
    r"(?:\s+(?:now|currently|actually|really|again))?\s+(?P<next>\S+)",
    re.IGNORECASE,
)
_HEAD_HAN = re.compile(
    r"(?P<head>[^\s，。；！？、：:,.]{2,14}?(?:是|叫|在|姓|定在|改在|停在|住在))\s*\S"
)
_LEADING_HAN = re.compile(r"^(?:我的|我家的?|我们的?|咱们的?|现在的?|目前的?|请记住|记一下)+")


def shares_head(old: str, new: str) -> bool:
    """Whether two statements begin to say the same of the same: "my desk is on …", "取件码是…".

    What follows may be another value. A name or a number may follow at once; other words must
    begin alike, because a boat that is moored and one that is red are told two things.
    """
    return any(
        one == other or (_HAN.search(one[0]) and _ends_alike(one[0], other[0]))
        for one in _heads(old)
        for other in _heads(new)
    )


def _ends_alike(one: str, other: str) -> bool:
    """Whether one head is the end of the other: "快递柜取件码是", "取件码是"."""
    short, long = sorted((one, other), key=len)
    return len(short) > LEAST_HEAD_HAN and long.endswith(short)


def _heads(text: str) -> set[tuple[str, str]]:
    heads = {
        (" ".join(fold(match["head"]).split()), _kind_of(match["next"]))
        for match in _HEAD.finditer(text)
    }
    if _HAN.search(text):
        folded = (_LEADING_HAN.sub("", fold(match["head"])) for match in _HEAD_HAN.finditer(text))
        heads |= {(head, "") for head in folded if len(head) >= LEAST_HEAD_HAN}
    return heads


LEAST_HEAD_HAN = 3


def _kind_of(word: str) -> str:
    is_name = word[:1].isupper() or any(char.isdigit() for char in word)
    return "name" if is_name else fold(word)
