"""Where the sentences of a message begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from perdure.domain.readings import Span
from perdure.understanding.forms import form_of

_LONGEST_QUOTE = 300
_CLOSING = {"“": "”", '"': '"', "(": ")", "《": "》", "[": "]"}

_END = re.compile(
    r"(?P<fence>```.*?(?:```|\Z))"
    r"|(?P<open>[“\"(《\[])"
    r"|(?P<blank>[ \t]*\n\s*)"
    r"|(?P<han>[。!?;…]+(?=[^\x00-\x7f])|。+)"
    r"|(?P<mark>[.!?…]+[)\]\"”']*(?=\s|\Z)|[!?]+(?=[^\x00-\x7f\s]))"
    r"|(?P<semi>;)(?=\s)",
    re.S,
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"“])(?:dr|mr|mrs|ms|prof|st|jr|sr|vs|etc|e\.g|i\.e|approx|no|nr|inc|ltd|co|dept|"
    r"a\.m|p\.m|u\.s|u\.k|[a-z])\.$"
)
# What says nothing without the sentence after it: the opening of a correction or of a fact.
_LEAD = re.compile(
    r"(?:(?:oh|ah|hm+|um+|er+|ok(?:ay)?|well|so|actually|wait|sorry|no+|nope|nah|yes|yeah|yep|oops|"
    r"whoops|correction|edit|update|hang on|hold on|scratch that|not quite|wrong|my bad|my mistake|"
    r"just so you know|fyi|by the way|btw|also|and|but)[\s,.!?…:;-]*)+"
    r"|(?:(?:其实|不对|不是|不|错了|等等|等一下|抱歉|不好意思|更正(?:一下)?|纠正一下|更新(?:一下)?|(?:我)?(?:之前|刚才|刚刚|上次)?(?:说|记|写|打|看|弄)错了|口误|"
    r"哦|噢|对了|嗯+|啊|哎呀?|那个|好像不对|另外|还有|顺便说(?:一下|一句)?)[\s,.!?…:;。、-]*)+"
)
_EMPTY = re.compile(r"[\s\W_]*")


def split_sentences(text: str) -> tuple[Span, ...]:
    """The sentences in order, without the white space around them. Never fails on any text.

    Quotations, brackets and fenced code stay whole. A piece that only opens what follows
    ("Actually, no.") is part of the sentence after it, or before it at the end of the message.
    """
    form = form_of(text)
    joined: list[Span] = []
    opening: int | None = None
    for start, end in _pieces(form):
        piece = form[start:end]
        if _EMPTY.fullmatch(piece):
            continue
        if _LEAD.fullmatch(piece):
            opening = start if opening is None else opening
            continue
        joined.append(Span(start=start if opening is None else opening, end=end))
        opening = None
    if opening is not None:
        last = len(form.rstrip())
        if joined:
            joined[-1] = Span(start=joined[-1].start, end=last)
        else:
            joined.append(Span(start=opening, end=last))
    return tuple(joined)


def _pieces(form: str) -> Iterator[tuple[int, int]]:
    start = place = 0
    while match := _END.search(form, place):
        place = match.end()
        if match["open"]:
            place = _after_quote(form, match)
            continue
        if match["mark"] and _is_within(form, match, start):
            continue
        yield from _trimmed(form, start, match.start() if match["blank"] else place)
        start = place
    yield from _trimmed(form, start, len(form))


def _after_quote(form: str, opening: re.Match[str]) -> int:
    """Where a quotation ends, if it does so soon; otherwise just behind its first mark."""
    closing = _CLOSING[opening["open"]]
    place = form.find(closing, opening.end(), opening.end() + _LONGEST_QUOTE)
    if place < 0 or "\n\n" in form[opening.end() : place]:
        return opening.end()
    # A sentence that ends with its quotation ends there.
    return place if form[place - 1] in ".!?。" else place + 1


def _is_within(form: str, mark: re.Match[str], start: int) -> bool:
    if mark["mark"] != ".":
        return False
    return bool(_ABBREVIATION.search(form, max(start, mark.start() - 8), mark.end()))


def _trimmed(form: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and form[start].isspace():
        start += 1
    while end > start and form[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
