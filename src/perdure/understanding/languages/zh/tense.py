"""Which way a Chinese clause looks in time, from its particles and helping verbs."""

from __future__ import annotations

import re

from perdure.understanding.times.interval import Direction

_FUTURE = re.compile(
    r"(?<![乐晚宴聚大舞机社开协委盛庙集展商工体峰班晨])会(?!议|员|计|场|所|长|儿|上)|(?<!只|重|主|首|需|不)要(?!求|是|点|不是|么)|将(?!军|近)|打算|准备|计划|想(?!起|到|过)|得(?=[去在把给要先])|"
    r"应该|必须|需要|记得|提醒|能(?!力|源|够?不)|可以|截止|到期|之前(?:要|得|交)|预计|预定|安排|约了|订了|"
    r"快要|即将|等到|希望|争取|别忘|截稿|交稿|提交|为止|开始放假|有空|(?:改|挪|推迟|提前|延|延期|顺延)(?:到|成|在|至)|去不去|好不好|怎么样|吧"
)
_PAST = re.compile(
    r"(?<![为除罢极得不约订定])了(?!解|如|不起)|过(?!年|节|来|去|敏|程|几|[一二两三四五六七八九十]|生日)|刚(?!好)|曾|已经|早就|当时|那时|"
    r"以前(?!要)|原来|终于|没(?!问题|关系|空|事|有空)|来着|才(?=到|睡|醒|知道|发现|起床|下班|吃上)|的(?:字|家|婚|名|假|会|车|饭|课|学|业|班|票|门|烟|酒|证)?[。！？!?\s]*$|出生|生于|毕业"
)
_AHEAD_OF_LE = re.compile(r"(?:要|将|快|该|会)[^，。,.!！?？；;]*了")
_EDGE = re.compile(r"[，。！？；,!?;\n]|\.\s")
_SENTENCE_EDGE = re.compile(r"[。！？；!?;\n]|\.\s")


def direction(text: str, start: int, end: int) -> Direction:
    """The direction that the clause shows, or else its sentence."""
    for edge in (_EDGE, _SENTENCE_EDGE):
        begin = max(0, start - 60)
        for found in edge.finditer(text, begin, start):
            begin = found.end()
        after = edge.search(text, end, end + 60)
        stop = after.start() if after else min(len(text), end + 60)
        looks = _of_clause(text[begin:start] + "　" * (end - start) + text[end:stop])
        if looks is not Direction.UNKNOWN:
            return looks
    return Direction.UNKNOWN


def _of_clause(clause: str) -> Direction:
    if _AHEAD_OF_LE.search(clause):
        return Direction.FUTURE
    past, future = _PAST.search(clause), _FUTURE.search(clause)
    if past and not (future and future.start() < past.start()):
        return Direction.PAST
    return Direction.FUTURE if future else Direction.UNKNOWN
