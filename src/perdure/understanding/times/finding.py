"""Find the times that a text names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from perdure.errors import InvalidInput
from perdure.understanding.times.calendar import Span
from perdure.understanding.times.chains import (
    may_join,
    resolve,
    resolve_range,
    until_now,
)
from perdure.understanding.times.interval import Direction, Interval, TimeExpression
from perdure.understanding.times.language import Reading, Rule, TimeLanguage
from perdure.understanding.times.terms import Piece, Setting

# A number is no clue by itself, so a list of thousands costs a look at each; this bounds the rest.
_LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class _Atom:
    start: int
    end: int
    reading: Reading
    language: TimeLanguage


@dataclass(frozen=True, slots=True)
class _Chain:
    """Atoms that are one expression."""

    atoms: tuple[_Atom, ...]

    @property
    def start(self) -> int:
        return self.atoms[0].start

    @property
    def end(self) -> int:
        return self.atoms[-1].end

    @property
    def language(self) -> TimeLanguage:
        return self.atoms[0].language

    @property
    def pieces(self) -> list[Piece]:
        return [piece for atom in self.atoms for piece in atom.reading.pieces]

    @property
    def until(self) -> list[Piece]:
        return [piece for atom in self.atoms for piece in atom.reading.until]

    @property
    def is_dependent(self) -> bool:
        return all(atom.reading.is_dependent for atom in self.atoms)


def find_times_in(
    text: str, languages: Sequence[TimeLanguage], *, reference: datetime
) -> list[TimeExpression]:
    """The times named in the text, in order, none overlapping. Never fails on any text.

    Text beyond the first 20,000 characters is not read. Raises `InvalidInput` when the
    reference carries no offset.
    """
    offset = reference.utcoffset()
    if offset is None:
        raise InvalidInput("reference must carry a UTC offset, such as 2031-07-25T02:00:00+01:00")
    now = reference.replace(tzinfo=timezone(offset), fold=0)
    text = text[:_LONGEST_TEXT]
    forms = {language.code: language.normalise(text) for language in languages}
    atoms = _without_overlaps(
        [atom for language in languages for atom in _atoms(forms[language.code], language)]
    )
    if not atoms:
        return []
    return [*_Reader(text, forms, languages, now).expressions(_chains(atoms, forms))]


def _atoms(form: str, language: TimeLanguage) -> Iterator[_Atom]:
    """The longest reading at each place, left to right."""
    place = 0
    rules_of = language.rules
    for head in language.head.finditer(form):
        if head.start() < place:
            continue
        word = head.group().lower()
        rules = rules_of.get(word)
        if rules is None:
            if not word[0].isdigit():
                continue
            rules = language.wildcard
        atom = _longest(form, head.start(), rules, language)
        if atom:
            place = atom.end
            yield atom


def _longest(form: str, place: int, rules: Sequence[Rule], language: TimeLanguage) -> _Atom | None:
    best: _Atom | None = None
    for rule in rules:
        match = rule.match(form, place)
        if match and (best is None or match.end() > best.end) and match.end() > place:
            reading = rule.read(match)
            if reading:
                # The full stop that an abbreviation may have is more often the sentence's.
                end = place + len(match.group().rstrip(" ."))
                best = _Atom(place, end, reading, language)
    return best


def _without_overlaps(atoms: list[_Atom]) -> list[_Atom]:
    kept: list[_Atom] = []
    for atom in sorted(atoms, key=lambda atom: (atom.start, -atom.end, atom.reading.is_dependent)):
        if not kept or atom.start >= kept[-1].end:
            kept.append(atom)
        elif atom.end - atom.start > kept[-1].end - kept[-1].start:
            kept[-1] = atom
    return kept


def _chains(atoms: Sequence[_Atom], forms: dict[str, str]) -> list[_Chain]:
    chains: list[_Chain] = []
    for atom in atoms:
        if chains and _continues(chains[-1], atom, forms):
            chains[-1] = _Chain((*chains[-1].atoms, atom))
        else:
            chains.append(_Chain((atom,)))
    return chains


def _continues(chain: _Chain, atom: _Atom, forms: dict[str, str]) -> bool:
    gap = forms[atom.language.code][chain.end : atom.start]
    if not atom.language.joint.fullmatch(gap):
        return False
    if chain.until and atom.reading.until:
        return False
    return may_join([*chain.pieces, *chain.until], [*atom.reading.pieces, *atom.reading.until])


class _Reader:
    """Turns the chains of one text into expressions."""

    def __init__(
        self,
        text: str,
        forms: dict[str, str],
        languages: Sequence[TimeLanguage],
        now: datetime,
    ) -> None:
        self._text = text
        self._forms = forms
        self._languages = languages
        self._now = now

    def expressions(self, chains: list[_Chain]) -> Iterator[TimeExpression]:
        place = 0
        while place < len(chains):
            chain = chains[place]
            following = chains[place + 1] if place + 1 < len(chains) else None
            ranged = following and self._range(chain, following)
            if ranged:
                yield ranged
                place += 2
                continue
            single = self._single(chain)
            if single is None and len(chain.atoms) > 1:
                chains[place : place + 1] = self._parted(chain)
                continue
            if single:
                yield single
            place += 1

    def _parted(self, chain: _Chain) -> list[_Chain]:
        """Two chains for one that makes no sense: the longest beginning that does, and the rest."""
        for cut in range(len(chain.atoms) - 1, 0, -1):
            begin = _Chain(chain.atoms[:cut])
            if cut == 1 or self._single(begin):
                break
        return [begin, _Chain(chain.atoms[cut:])]

    def _setting(self, start: int, end: int, language: TimeLanguage) -> Setting:
        others = [other for other in self._languages if other is not language]
        for each in (language, *others):
            direction = each.direction(self._forms[each.code], start, end)
            if direction is not Direction.UNKNOWN:
                return Setting(self._now, direction)
        return Setting(self._now, Direction.UNKNOWN)

    def _single(self, chain: _Chain) -> TimeExpression | None:
        if chain.is_dependent:
            return None
        language = chain.language
        setting = self._setting(chain.start, chain.end, language)
        if self._is_since(chain, setting):
            since = self._try(chain, replace(setting, direction=Direction.PAST))
            reaching = since and until_now(since, setting)
            if reaching:
                return self._expression(chain, chain, reaching)
        span = self._try(chain, setting)
        return self._expression(chain, chain, span) if span else None

    def _is_since(self, chain: _Chain, setting: Setting) -> bool:
        language, form = chain.language, self._forms[chain.language.code]

        def stands_before(pattern: re.Pattern[str]) -> bool:
            return bool(pattern.search(form, max(0, chain.start - 24), chain.start))

        if stands_before(language.since_before) or language.since_after.match(form, chain.end):
            return True
        is_onward = language.onward_after.match(form, chain.end)
        return bool(
            is_onward
            and setting.direction is not Direction.FUTURE
            and stands_before(language.onward_before)
        )

    def _try(self, chain: _Chain, setting: Setting) -> Span | None:
        try:
            if chain.until:
                shared = [
                    p for atom in chain.atoms if not atom.reading.until for p in atom.reading.pieces
                ]
                begin = [
                    p for atom in chain.atoms if atom.reading.until for p in atom.reading.pieces
                ]
                return resolve_range([*shared, *begin], [*shared, *chain.until], setting)
            return resolve(chain.pieces, setting)
        except (ValueError, OverflowError):
            return None

    def _range(self, first: _Chain, second: _Chain) -> TimeExpression | None:
        language = second.language
        form = self._forms[language.code]
        gap = form[first.end : second.start]
        if first.until or second.until:
            return None
        if not language.until.fullmatch(gap):
            before = language.between.search(form, max(0, first.start - 24), first.start)
            if not (before and language.weak_until.fullmatch(gap)):
                return None
        if language.moved.search(form, max(0, first.start - 60), first.start):
            return None
        setting = self._setting(first.start, second.end, first.language)
        try:
            span = resolve_range(first.pieces, second.pieces, setting)
        except (ValueError, OverflowError):
            return None
        return self._expression(first, second, span) if span else None

    def _expression(self, first: _Chain, last: _Chain, span: Span) -> TimeExpression:
        return TimeExpression(
            start_char=first.start,
            end_char=last.end,
            text=self._text[first.start : last.end],
            interval=Interval(start=span.start, end=span.end),
            precision=span.precision,
            language=first.language.code,
        )
