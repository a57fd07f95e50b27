"""Found facts that are neither right nor wrong. Pure.

A label lists what a careful reader would keep; beside that a reader may well note that somebody
has a sister, or where the aunt lives with whom the user is staying. Such finds are left out of the
score.
"""

from __future__ import annotations

from perdure.domain.readings import USER
from perdure.evaluation.extraction.items import ExtractionItem, ListedFact
from perdure.evaluation.extraction.matching import (
    FoundFact,
    fold,
    is_same_object,
    is_same_predicate,
    is_same_subject,
)

_RELATIONS = frozenset(
    "spouse partner manager child parent sibling relative friend colleague housemate neighbour".split()
)
_INVERSES = {
    "spouse": {"spouse", "partner"},
    "partner": {"partner", "spouse"},
    "child": {"parent"},
    "parent": {"child"},
    "sibling": {"sibling"},
    "relative": {"relative"},
    "friend": {"friend"},
    "colleague": {"colleague"},
    "housemate": {"housemate"},
    "neighbour": {"neighbour"},
}
_BARE = frozenset(
    """
    sister brother sibling siblings twin mum mom mother dad father parent parents wife husband
    spouse partner girlfriend boyfriend fiance fiancee fiancé fiancée son daughter child children
    kid kids baby aunt uncle cousin niece nephew grandmother grandma gran grandfather grandad
    grandparents motherinlaw fatherinlaw sisterinlaw brotherinlaw inlaws boss manager supervisor
    friend friends mate colleague coworker colleagues flatmate roommate housemate housemates
    neighbour neighbor neighbours relative
    妈 妈妈 母亲 爸 爸爸 父亲 父母 爸妈 姐姐 姐 妹妹 妹 哥哥 哥 弟弟 弟 兄弟 姐妹 太太 妻子 老婆 媳妇
    丈夫 老公 先生 爱人 对象 女朋友 男朋友 女友 男友 未婚夫 未婚妻 儿子 女儿 孩子 闺女 宝宝 小孩
    奶奶 爷爷 外婆 外公 姥姥 姥爷 姑姑 姑妈 姨 阿姨 舅舅 叔叔 伯伯 表姐 表妹 表哥 表弟 堂哥 堂弟 堂姐
    堂妹 侄子 侄女 外甥 外甥女 岳父 岳母 婆婆 公公 老板 领导 上司 经理 主管 朋友 同事 室友 邻居 亲戚
    媽 媽媽 母親 父親 爸媽 姊姊 姊妹 妻 愛人 對象 兒子 女兒 孩子 寶寶 奶奶 爺爺 老闆 領導 鄰居 親戚
    """.split()
)
"""Words that say what somebody is to the speaker and not who: a relation without a name."""
_PLACES = frozenset({"lives_in", "located_in"})
_VISITS = frozenset({"lives_in", "located_in", "visited", "plans", "schedule", "works_at"})
_HAVING = frozenset({"owns", "uses", "has_pet", "pet_name", "works_on"})
_CHOOSING = frozenset({"prefers", "contact_preference"})
_TURNING_FROM = {
    ("avoids", "+"),
    ("dislikes", "+"),
    ("likes", "-"),
    ("prefers", "-"),
    ("contact_preference", "-"),
    ("instructs", "-"),
}


def is_neutral(found: FoundFact, item: ExtractionItem) -> bool:
    """Whether a fact that matches no listed one is not held against the finder."""
    return (
        _only_relates(found)
        or _is_indifferent(found)
        or _is_seen_from_the_other_side(found, item)
        or _follows_from_a_place(found, item)
        or _is_a_trap_of_another(found, item)
    )


def _only_relates(found: FoundFact) -> bool:
    """Such as “the user has a sister”."""
    object_ = fold(found.object).removeprefix("my").removeprefix("我的").removeprefix("我")
    names_place = found.object.casefold().startswith(f"{USER}.")
    return found.predicate in _RELATIONS and (names_place or object_ in _BARE)


def _is_indifferent(found: FoundFact) -> bool:
    """Such as “I don't mind which”."""
    return (found.predicate, found.polarity) == ("prefers", "-")


def _is_seen_from_the_other_side(found: FoundFact, item: ExtractionItem) -> bool:
    """Avoiding what something else is preferred to, or being the wife of one's husband."""
    return any(
        _turns_from_the_rest(found, listed, item) or _is_inverse(found, listed, item)
        for listed in item.wanted
    )


def _turns_from_the_rest(found: FoundFact, listed: ListedFact, item: ExtractionItem) -> bool:
    return (
        listed.predicate in _CHOOSING
        and (found.predicate, found.polarity) in _TURNING_FROM
        and is_same_subject(found.subject, listed.subject, item.speaker)
        and not is_same_object(found.object, listed.objects[0])
        and fold(found.object) in fold(item.message)
    )


def _is_inverse(found: FoundFact, listed: ListedFact, item: ExtractionItem) -> bool:
    return (
        found.predicate in _INVERSES.get(listed.predicate, ())
        and is_same_subject(found.object, listed.subject, item.speaker)
        and any(fold(found.subject) == fold(wording) for wording in listed.objects)
    )


def _follows_from_a_place(found: FoundFact, item: ExtractionItem) -> bool:
    """Such as “at my aunt's in Leeds”: where she lives; “in my garage”: where a thing stands."""
    if found.predicate not in _PLACES or is_same_subject(found.subject, USER, item.speaker):
        return False
    return any(_names_place(found, listed) or _names_thing(found, listed) for listed in item.wanted)


def _names_place(found: FoundFact, listed: ListedFact) -> bool:
    return (
        listed.predicate in _VISITS
        and fold(found.subject) != fold(listed.subject)
        and any(fold(found.object) in fold(wording) for wording in listed.objects)
    )


def _names_thing(found: FoundFact, listed: ListedFact) -> bool:
    return listed.predicate in _HAVING and any(
        is_same_object(found.subject, wording) for wording in listed.objects
    )


def _is_a_trap_of_another(found: FoundFact, item: ExtractionItem) -> bool:
    """What somebody else said of themselves may be true of them."""
    return any(
        not is_same_subject(found.subject, trap.subject, item.speaker)
        and is_same_predicate(
            found.predicate, trap.predicate, subject=trap.subject, strictness="lenient"
        )
        and any(is_same_object(found.object, wording) for wording in trap.objects)
        for trap in item.traps
    )
