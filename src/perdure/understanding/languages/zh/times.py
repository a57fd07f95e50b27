"""How Chinese names times."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from perdure.understanding.languages.zh import clocks, dates, distances, periods
from perdure.understanding.languages.zh.tense import direction
from perdure.understanding.times.language import Rule, TimeLanguage


@lru_cache(maxsize=1)
def _to_simplified() -> dict[int, int]:
    # Built on the first text that needs it: the table is long.
    from perdure.domain.han_fold import SIMPLIFIED, TRADITIONAL

    table = str.maketrans(TRADITIONAL, SIMPLIFIED)
    table |= str.maketrans("０１２３４５６７８９：／．－～", "0123456789:/.-~")
    table |= str.maketrans("週號裡裏\u3000\u00a0", "周号里里  ")
    return table


def _normalise(text: str) -> str:
    return text if text.isascii() else text.translate(_to_simplified())


def _rules() -> dict[str, list[Rule]]:
    by_head: dict[str, list[Rule]] = defaultdict(list)
    for module in (dates, periods, clocks, distances):
        for heads, rule in module.RULES:
            for head in heads:
                by_head[head].append(rule)
    return dict(by_head)


_BY_HEAD = _rules()
_LETTERS = "".join(sorted(_BY_HEAD))

CHINESE_TIMES = TimeLanguage(
    code="zh",
    normalise=_normalise,
    head=re.compile(
        rf"(?<![\d.])(?<!\d[-/:,])[0-9](?=[^\n]{{0,12}}[^\x00-\x7f])|[{re.escape(re.sub('[0-9]', '', _LETTERS))}]"
    ),
    rules=_BY_HEAD,
    wildcard=(),
    joint=re.compile(r"\s*[)）]?\s*(?:的|[，,]?在|，|,|\(|（)?\s*"),
    until=re.compile(r"\s*(?:到|至|直到|[-–—~]{1,2})\s*"),
    weak_until=re.compile(r"\s*(?:和|与|跟|及)\s*"),
    between=re.compile(r"(?:在|介于|从)\s*$"),
    moved=re.compile(r"(?:改|推迟|延期|挪|调整)[^。！？；]{0,8}$"),
    since_before=re.compile(r"自从?\s*$"),
    since_after=re.compile(r"\s*(?:以来|至今|到现在|到今天)"),
    onward_before=re.compile(r"(?:从|自从?|打从?)\s*$"),
    onward_after=re.compile(r"\s*(?:起|开始)(?!来|床|飞|身|诉|码|点)"),
    direction=direction,
)
