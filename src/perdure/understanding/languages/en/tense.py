"""Which way an English clause looks in time, from its verbs."""

from __future__ import annotations

import re

from perdure.understanding.times.interval import Direction

_PAST_VERBS = """was were did had went came saw took made said told met left gave found thought
knew felt kept began bought brought built caught chose drew drank drove ate fell flew forgot
forgave froze grew heard held hid hit hurt laid led lent let lost meant paid quit ran rang rode
rose sang sank sat sent shook shone shot shut slept slid sold sought spent spoke spun stole stood
stuck struck swam swore swept swung taught threw tore understood woke won wore wrote broke became
bent bit bled blew burst cost crept cut dealt dug dreamt fed fought fled forbade leapt learnt lit
overslept rebuilt remade rewrote sewed shrank slit smelt spat spelt spilt split spread sprang
sprained stung stank strode strove wept withdrew wound born fought""".split()
_FUTURE = re.compile(
    r"\b(?:will|won't|shall|shan't|gonna|tomorrow|tonight|going\s+to|about\s+to|due|"
    r"plan(?:s|ning)?|planned\s+(?:for|to)|scheduled|expect(?:s|ed|ing)?|hop(?:e|es|ing)\s+to|"
    r"intend(?:s|ing)?|want(?:s|ing)?|need(?:s|ing)?|have\s+to|has\s+to|got\s+to|must|should|"
    r"supposed\s+to|meant\s+to|remind|let's|let\s+me|let\s+us|would\s+like|can|could|may|might|"
    r"don't\s+forget|remember\s+to|please|booked|upcoming|"
    r"(?:am|are|is|'m|'re|'s)\s+(?:\w+\s+)?\w+ing)\b|'ll\b|'d\s+like\b",
    re.I | re.A,
)
_PAST = re.compile(
    r"\b(?:" + "|".join(_PAST_VERBS) + r"|(?:have|has|'ve)\s+(?:\w+\s+)?been|ago|used\s+to|"
    r"(?<!'ve\s)(?<!have\s)(?<!has\s)got|"
    r"(?!need|feed|seed|speed|bleed|breed|weed|exceed|proceed|succeed|indeed|hundred|sacred|"
    r"naked|wicked|kindred|embed|biped)[a-z]{2,}ed)\b|'d\b(?!\s+(?:like|love|rather|better))|'ve\s+(?!an?\b|the\b|got\b|to\b|some\b|no\b)",
    re.I | re.A,
)
_PERFECT_AHEAD = re.compile(
    r"(?:\bwill|'ll|\bshould|\bmay|\bmight)\s+(?:\w+\s+)?have\s+(?:\w+\s+)?$", re.I
)
_PASSIVE_PRESENT = re.compile(
    r"(?:\bam|\bis|\bare|'s|'re|'m|\bbe|\bget|\bgets)\s+(?:\w+\s+)?$", re.I
)
_PRESENT = re.compile(
    r"\b(?:is|are|am|starts?|ends?|begins?|leaves?|arrives?|opens?|closes?|comes?|happens?|"
    r"falls?|runs?|meets?|flies|fly|have|has)\b|'(?:m|re|s)\b",
    re.I | re.A,
)
_CLAUSE_EDGE = re.compile(
    r"[.;!?\n](?:\s|$)|,\s*(?:and|but|so|then)\b|\b(?:but|because|although|whereas|while)\b", re.I
)


# A verb before the time says more than one after it, and a plain present less than either: it is
# often a noun ("leave", "runs").
_AFTER = 500
_WEAK = 400


def direction(text: str, start: int, end: int) -> Direction:
    """The direction of the verb nearest to the words at `start` to `end`, in their clause."""
    begin, stop = _clause(text, start, end)
    best: tuple[int, Direction] | None = None
    for pattern, looks in (
        (_FUTURE, Direction.FUTURE),
        (_PAST, Direction.PAST),
        (_PRESENT, Direction.FUTURE),
    ):
        for match in pattern.finditer(text, begin, stop):
            if match.start() < end and match.end() > start:
                continue
            if looks is Direction.PAST and _is_yet_to_come(text, match):
                looks_here = Direction.FUTURE
            else:
                looks_here = looks
            is_ahead = match.end() <= start
            distance = start - match.end() if is_ahead else _AFTER + match.start() - end
            if pattern is _PRESENT:
                distance += _WEAK
            if best is None or distance < best[0]:
                best = (distance, looks_here)
    return best[1] if best else Direction.UNKNOWN


def _is_yet_to_come(text: str, match: re.Match[str]) -> bool:
    if _PERFECT_AHEAD.search(text[max(0, match.start() - 32) : match.start()]):
        return True
    is_participle = match.group().lower().endswith(("ed", "shut", "born", "held", "sent", "paid"))
    before = text[max(0, match.start() - 24) : match.start()]
    return is_participle and bool(_PASSIVE_PRESENT.search(before))


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    begin = max(0, start - 200)
    for edge in _CLAUSE_EDGE.finditer(text, begin, start):
        begin = edge.end()
    edge_after = _CLAUSE_EDGE.search(text, end, end + 200)
    return begin, edge_after.start() if edge_after else min(len(text), end + 200)
