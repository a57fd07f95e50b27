"""Names in a language model's answer, as the rules write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from perdure.domain.analysis import ENGLISH_STOP_WORDS, lexemes, query_lexemes
from perdure.domain.proposals import is_same_name, name_form
from perdure.domain.readings import USER
from perdure.domain.text import fold

_USER_NAMES = frozenset(
    "user|i|me|myself|speaker|我|本人|用户|用戶|使用者|说话人|說話人".split("|")
)
_ASSISTANT_NAMES = frozenset(
    "assistant|ai|ai assistant|bot|chatbot|you|助手|助理|你|您|机器人|機器人".split("|")
)
_POSSESSIVE = re.compile(r"(?:user|the user|my)(?:['’]s)?[ .]+(\S.*)", re.IGNORECASE)
_FAVOURITE = re.compile(r"favou?rite[_: ]+(.+)")
_SPACES = re.compile(r"[\s-]+")


def subject_of(named: str, speaker_names: Iterable[str]) -> str | None:
    """Whom a fact is about; None for the assistant, about whom nothing is kept."""
    form = name_form(named)
    if form in _USER_NAMES or any(is_same_name(named, name) for name in speaker_names):
        return USER
    if form in _ASSISTANT_NAMES:
        return None
    owned = _POSSESSIVE.fullmatch(named.strip())
    if owned:
        return f"{USER}.{_SPACES.sub('_', owned.group(1).strip().lower())}"
    return named.strip()


_REGISTERED = {
    "employer": "works_at", "works_for": "works_at", "employed_by": "works_at",
    "job": "job_title", "occupation": "job_title", "profession": "job_title", "role": "job_title",
    "resides_in": "lives_in", "resides_at": "lives_in", "residence": "lives_in",
    "lives_at": "lives_in", "home_city": "lives_in", "living_in": "lives_in",
    "born": "born_on", "birthday": "born_on", "date_of_birth": "born_on", "birthplace": "born_in",
    "married_to": "spouse", "husband": "spouse", "wife": "spouse",
    "loves": "likes", "enjoys": "likes", "hates": "dislikes", "allergy": "allergic_to",
    "has_allergy": "allergic_to", "has_allergy_to": "allergic_to", "owns_pet": "has_pet",
    "pet": "has_pet", "speaks_language": "speaks", "alias": "also_called",
    "also_known_as": "also_called", "is_called": "name", "named": "name", "location": "located_in",
}  # fmt: skip
"""Other names of registered predicates, under which they would have a slot of their own."""


def predicate_of(named: str) -> str:
    """A predicate in the form of the registry's."""
    form = _SPACES.sub("_", fold(named).strip(" .:"))
    favourite = _FAVOURITE.fullmatch(form)
    if favourite:
        return f"favourite:{favourite.group(1).strip('_')}"
    return _REGISTERED.get(form, form)


def in_words(subject: str, predicate: str, value: str, message: str) -> str:
    """A fact that nobody put into words, as near to the language of the message as may be."""
    if _main_script(message) == "latin":
        verb = predicate.replace(":", " ").replace("_", " ")
        return f"{'The user' if subject == USER else subject} {verb} {value}"
    return value if subject == USER else f"{subject}: {value}"


_SCRIPTS = (
    ("han", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f]")),
    ("kana", re.compile(r"[\u3040-\u30ff]")),
    ("hangul", re.compile(r"[\u1100-\u11ff\uac00-\ud7af]")),
    ("arabic", re.compile(r"[\u0600-\u06ff\u0750-\u077f]")),
    ("hebrew", re.compile(r"[\u0590-\u05ff]")),
    ("cyrillic", re.compile(r"[\u0400-\u04ff]")),
    ("greek", re.compile(r"[\u0370-\u03ff]")),
    ("devanagari", re.compile(r"[\u0900-\u097f]")),
    ("thai", re.compile(r"[\u0e00-\u0e7f]")),
    ("latin", re.compile(r"[a-z\u00c0-\u024f]", re.IGNORECASE)),
)
_LETTERS_PER_WORD = 3
"""One Chinese character says about as much as so many Latin letters."""


@lru_cache(maxsize=256)
def _scripts(text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _SCRIPTS if pattern.search(text))


def is_in_language_of(statement: str, message: str) -> bool:
    """Whether a statement is in the language of the message, as far as can be told.

    Models translate into English when they translate. Between scripts that shows in the letters;
    within the Latin script by English function words where the message has none, when the words
    are not the message's either.
    """
    spoken = _main_script(message)
    if spoken is None:
        return True
    if spoken not in _scripts(statement):
        return False
    if spoken != "latin" or _is_english(message) or not _is_english(statement):
        return True
    own = query_lexemes(statement)
    return 2 * len(set(own) & set(lexemes(message))) >= len(own)


_FOREIGN = frozenset(
    "a all am an as at be do he her i in is me more no on or over so was will".split()
)
"""English function words that are words of other languages as well."""
_ENGLISH = ENGLISH_STOP_WORDS - _FOREIGN
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def _is_english(text: str) -> bool:
    return any(word in _ENGLISH for word in _LETTERS.findall(text.lower().replace("’", "'")))


def _main_script(text: str) -> str | None:
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS}
    counts["latin"] //= _LETTERS_PER_WORD
    most = max(counts.values())
    if not most:
        return None
    return next(name for name, count in counts.items() if count == most)
