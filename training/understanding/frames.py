"""Plain statements made from frames: the commonest facts in their plainest words.

The written training text is as varied as talk; these examples see to it that the plain ways of
saying every predicate are known too, of everybody, affirmed and denied, asked and supposed.
All is drawn from one seed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from perdure.understanding.predicates import is_single_valued

HERE = Path(__file__).resolve().parent
Item = dict[str, Any]
Fact = dict[str, Any]

_SLOT = re.compile(r"\[([^\]]+)\]")
_FILLER = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    predicate: str
    second: str | None
    polarity: str
    modality: str
    mine: str
    theirs: str | None
    subject: str = "user"


@dataclass(slots=True, kw_only=True)
class Frames:
    """One language's frames and words."""

    language: str
    words: dict[str, list[str]] = field(default_factory=dict)
    roles: list[tuple[str, str]] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    frames_of: dict[tuple[str, str, str], list[Frame]] = field(default_factory=dict)


def load(language: str) -> Frames:
    found = Frames(language=language)
    head: tuple[str, str | None, str, str] = ("", None, "+", "asserted")
    for line in (HERE / "frames" / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            _add_words(found, line)
        elif match := re.fullmatch(r"([a-z_]+(?::\w+)?) ([+-])(\S+)?(?: (\w+))?", line):
            predicate, polarity, second, modality = match.groups()
            head = (predicate, second, polarity, modality or "asserted")
        else:
            found.frames.append(_frame(line, head))
    for frame in found.frames:
        key = (frame.predicate, frame.polarity, frame.modality)
        found.frames_of.setdefault(key, []).append(frame)
    return found


def _add_words(found: Frames, line: str) -> None:
    name, _, rest = line[1:].partition(":")
    if name == "role":
        pairs = [pair.split("=") for pair in rest.split()]
        found.roles = [(word, role) for word, role in pairs]
    elif ";" in rest:
        found.words[name] = [word.strip() for word in rest.split(";") if word.strip()]
    else:
        found.words[name] = rest.split()


def _frame(line: str, head: tuple[str, str | None, str, str]) -> Frame:
    predicate, second, polarity, modality = head
    line, _, subject = line.partition(" => ")
    mine, _, theirs = line.partition(" // ")
    return Frame(
        predicate=predicate,
        second=second,
        polarity=polarity,
        modality="asserted" if modality == "system" else modality,
        mine=mine.strip(),
        theirs=theirs.strip() or None,
        subject=subject.strip() or "user",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Whom a statement is about: how they are named, by what subject, and what that tells."""

    words: str
    subject: str
    facts: tuple[Fact, ...] = ()


class Maker:
    """Draws statements and messages of one language."""

    def __init__(self, frames: Frames, chance: Random) -> None:
        self.f = frames
        self.c = chance
        self.is_chinese = frames.language == "zh"

    # --- words ---

    def word(self, name: str) -> str:
        if name.endswith("2"):
            name = name[:-1]
        if "+" in name:
            parts = [self.word(part) for part in name.split("+")]
            return ("" if self.is_chinese else " ").join(parts)
        return self.c.choice(self.f.words[name])

    def fact(self, subject: str, predicate: str, value: str, polarity: str, modality: str) -> Fact:
        return {
            "subject": subject,
            "predicate": predicate,
            "object": value,
            "polarity": polarity,
            "modality": modality,
        }

    def somebody(self) -> Who:
        """Somebody of the speaker's, by role, by name, or by both."""
        word, role = self.c.choice(self.f.roles)
        name = self.word("name")
        mine = f"我{word}" if self.is_chinese else f"my {word}"
        kind = self.c.random()
        if kind < 0.4:
            return Who(words=mine, subject=f"user.{role}")
        if kind < 0.75:
            words = f"{mine}{name}" if self.is_chinese else f"{mine} {name}"
            return Who(
                words=words,
                subject=name,
                facts=(self.fact("user", role, name, "+", "asserted"),),
            )
        return Who(words=name, subject=name)

    def pet(self) -> Who:
        kind, name = self.word("pet"), self.word("petname")
        if self.c.random() < 0.5:
            return Who(words=name, subject=name)
        mine = f"我家{kind}{name}" if self.is_chinese else f"our {kind} {name}"
        told = (
            self.fact("user", "has_pet", kind, "+", "asserted"),
            self.fact("user", "pet_name", name, "+", "asserted"),
        )
        return Who(words=mine, subject=name, facts=told)

    # --- statements ---

    def any_frame(self, modality: str | None = None) -> Frame:
        keys = [key for key in self.f.frames_of if modality is None or key[2] == modality]
        weights = [
            len(self.f.frames_of[key]) ** 0.5
            * (0.4 if key[2] in ("hypothetical", "question") else 1)
            for key in keys
        ]
        return self.c.choice(self.f.frames_of[self.c.choices(keys, weights)[0]])

    def statement(self, frame: Frame, who: Who | None = None, value: str | None = None) -> Item:
        """The words and facts of one frame, about the speaker unless `who` is given."""
        text = frame.theirs if who is not None and frame.theirs else frame.mine
        subject, told = frame.subject, list[Fact]()
        for mark, name in (("{O}", "object"), ("{Y}", "system"), ("{D}", "doc")):
            if mark in text:
                thing = self.word(name)
                text = text.replace(mark, thing)
                subject = re.sub(r"^(?:the|my|our) ", "", thing)
        if "{P}" in text:
            who = who if who and who.subject[0].isupper() else self.pet()
            text = text.replace("{P}", who.words)
            subject, told = who.subject, list(who.facts)
        if "{N}" in text:
            who = who or self.somebody()
            text = text.replace("{N}", who.words)
            subject, told = who.subject, list(who.facts)
        facts = []
        for slot in _SLOT.findall(text):
            filling = value if value is not None and not facts else self.word(slot)
            predicate = frame.predicate
            if frame.second and slot == "petname":
                predicate = frame.second
            text = text.replace(f"[{slot}]", filling, 1)
            bare = filling.strip("《》")
            facts.append(self.fact(subject, predicate, bare, frame.polarity, frame.modality))
        text = _FILLER.sub(lambda match: self.word(match[1]), text)
        return {"text": _article(text) if not self.is_chinese else text, "facts": [*told, *facts]}

    def chained(self, count: int) -> Item:
        """Several statements about one and the same, with the subject said once or by pronoun."""
        who = self.somebody() if self.c.random() < 0.5 else None
        start = (
            ("{N}" if self.is_chinese else "{N} ") if who else ("我" if self.is_chinese else "I ")
        )
        text, facts = "", list[Fact]()
        for place in range(count):
            for _ in range(30):
                frame = self.any_frame("asserted")
                form = frame.theirs if who else frame.mine
                if form and frame.subject == "user" and self._can_follow(form, start):
                    break
            else:
                break
            item = self.statement(frame, who)
            said = item["text"]
            if place:
                said = self._continued(said, who)
                item["facts"] = [f for f in item["facts"] if f not in facts]
            text += said
            facts += item["facts"]
        return {"text": text, "facts": facts}

    def _can_follow(self, form: str, start: str) -> bool:
        return form.startswith(start) and form[len(start) : len(start) + 1] not in "的们家"

    def _continued(self, said: str, who: Who | None) -> str:
        c = self.c
        if self.is_chinese:
            rest = said.removeprefix(who.words if who else "我")
            if who:
                return c.choice(
                    ["，" + rest, "，也" + rest, "，他" + rest, "。她" + rest, "，还" + rest]
                )
            return c.choice(
                ["，" + rest, "，我" + rest, "。我" + rest, "，而且" + rest, "，平时" + rest]
            )
        rest = said.removeprefix(who.words if who else "I").lstrip()
        if who:
            pronoun = c.choice(["she", "he"])
            return c.choice(
                [
                    f" and {rest}",
                    f", and {pronoun} {rest}",
                    f". {pronoun.title()} {rest}",
                    f" but {rest}",
                ]
            )
        return c.choice([f" and {rest}", f", and I {rest}", f". I {rest}", f" but I {rest}"])

    # --- messages ---

    def messages(self, count: int) -> Iterator[Item]:
        kinds = [
            (self._plain, 0.40),
            (self._linked, 0.17),
            (self._together, 0.13),
            (self._trap, 0.10),
            (self._quoted, 0.05),
            (self._changed, 0.09),
            (self._more, 0.03),
            (self._known, 0.03),
        ]
        made = 0
        while made < count:
            make = self.c.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
            item = make()
            if item and all(fact["object"] in item["text"] for fact in item["facts"]):
                made += 1
                yield item

    def _who(self, frame: Frame) -> Who | None:
        return self.somebody() if frame.theirs and self.c.random() < 0.45 else None

    def _plain(self) -> Item:
        frame = self.any_frame("asserted")
        if self.c.random() < 0.12:
            frame = self.any_frame("temporary")
        item = self.statement(frame, self._who(frame))
        return self._dressed(item)

    def _linked(self) -> Item:
        return self._dressed(self.chained(self.c.choice([2, 2, 3])))

    def _together(self) -> Item:
        parts = [self._asserted() for _ in range(self.c.choice([2, 2, 3]))]
        if self.is_chinese:
            text = parts[0]["text"]
            for part in parts[1:]:
                text += self.c.choice(["，", "。", "，另外", "，还有，", "；"]) + part["text"]
        else:
            text = parts[0]["text"]
            for part in parts[1:]:
                said = part["text"]
                joint = self.c.choice([". ", ". ", ", and ", ", but ", "; ", ". Also, "])
                text += joint + (_titled(said) if joint == ". " else said)
        facts = [fact for part in parts for fact in part["facts"]]
        return self._dressed({"text": text, "facts": facts})

    def _asserted(self) -> Item:
        frame = self.any_frame("asserted")
        return self.statement(frame, self._who(frame))

    def _trap(self) -> Item:
        frame = self.any_frame(self.c.choice(["hypothetical", "question"]))
        item = self.statement(frame, self.somebody() if "{N}" in frame.mine else None)
        for fact in item["facts"]:
            if fact["object"] not in item["text"]:
                return {}
        if self.c.random() < 0.3:
            other = self._asserted()
            joint = "。" if self.is_chinese else ". "
            text = (
                other["text"] + joint + (item["text"] if self.is_chinese else _titled(item["text"]))
            )
            return self._ended(
                {"text": text, "facts": other["facts"] + item["facts"], "intent": "create"}
            )
        return self._ended({**item, "intent": "none"})

    def _quoted(self) -> Item:
        frame = self.any_frame("asserted")
        item = self.statement(frame)
        for fact in item["facts"]:
            fact["modality"] = "quoted"
        marks = self.c.choice([("“", "”"), ('"', '"')])
        inside = item["text"] if self.is_chinese else _titled(item["text"])
        said = marks[0] + inside + self.c.choice(["", "。" if self.is_chinese else "."]) + marks[1]
        text = self.c.choice(_QUOTING[self.f.language]).replace("{Q}", said)
        return {"text": text, "facts": item["facts"], "intent": "none"}

    def _changed(self) -> Item:
        """A new value after an old one, both said by the speaker."""
        frame = self.any_frame("asserted")
        if not is_single_valued(frame.predicate) or frame.polarity == "-" or "{" in frame.mine:
            return {}
        old = self.statement(frame)
        new_frame = self.c.choice(self.f.frames_of[(frame.predicate, "+", "asserted")])
        if "{" in new_frame.mine:
            return {}
        new = self.statement(new_frame)
        if new["facts"][-1]["object"] == old["facts"][-1]["object"]:
            return {}
        context = [{"role": "user", "content": self._sentence(old["text"])}]
        if self.c.random() < 0.5:
            context.append(
                {"role": "assistant", "content": self.c.choice(_ACKNOWLEDGED[self.f.language])}
            )
        text = self._change(new["text"], old["facts"][-1]["object"])
        return self._ended(
            {"text": text, "facts": new["facts"], "intent": "update", "context": context}
        )

    def _more(self) -> Item:
        frame = self.any_frame("asserted")
        if is_single_valued(frame.predicate) or frame.polarity == "-" or frame.second:
            return {}
        old, new = self.statement(frame), self.statement(frame)
        if old["facts"][-1]["object"] == new["facts"][-1]["object"]:
            return {}
        context = [{"role": "user", "content": self._sentence(old["text"])}]
        return self._ended({**new, "intent": "create", "context": context})

    def _known(self) -> Item:
        item = self._asserted()
        context = [{"role": "user", "content": self._sentence(item["text"])}]
        text = self.c.choice(_KNOWN[self.f.language]).replace("{X}", item["text"])
        return self._ended(
            {"text": text, "facts": item["facts"], "intent": "none", "context": context}
        )

    def _dressed(self, item: Item) -> Item:
        text = item["text"]
        intent = _intent(item, self.f.language)
        kind = self.c.random()
        if kind < 0.2:
            text = self.c.choice(_OPENINGS[self.f.language]).replace("{X}", text)
        elif kind < 0.3:
            before = self.c.choice(_TASKS[self.f.language])
            text = before + (text if self.is_chinese else _titled(text))
        elif kind < 0.36:
            after = self.c.choice(_TASKS[self.f.language]).strip()
            text = text + ("。" if self.is_chinese else ". ") + after
        return self._ended({"text": text, "facts": item["facts"], "intent": intent})

    def _ended(self, item: Item) -> Item:
        text = self._sentence(item["text"])
        if not self.is_chinese and self.c.random() < 0.08:
            text = text.lower()
            facts = [
                {**f, "object": f["object"].lower(), "subject": f["subject"].lower()}
                for f in item["facts"]
            ]
            return {**item, "text": text, "facts": facts}
        return {**item, "text": text}

    def _sentence(self, text: str) -> str:
        if text[-1] in "?？!！.。":
            return text if self.is_chinese else _titled(text)
        if self.is_chinese:
            return text + self.c.choice(["。", "。", "", "！", "~"])
        return _titled(text) + self.c.choice([".", ".", ".", "", "!"])

    # --- pairs ---

    def pairs(self, count: int) -> Iterator[Item]:
        kinds = [
            (self._other_value, 0.24),
            (self._one_more, 0.12),
            (self._same, 0.12),
            (self._somebody_elses, 0.14),
            (self._no_longer, 0.09),
            (self._only_asked, 0.09),
            (self._other_kind, 0.12),
            (self._forgotten, 0.08),
        ]
        made = 0
        while made < count:
            make = self.c.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
            pair = make()
            if pair:
                made += 1
                old, new, relation = pair
                yield {
                    "old": self._sentence(old),
                    "new": self._sentence(new),
                    "relation": relation,
                    "kind": "frames",
                }

    def _change(self, said: str, old: str) -> str:
        if self.c.random() < 0.2:
            said = self.c.choice(_REPLACING[self.f.language]).replace("{X}", said)
            return said.replace("{OLD}", old)
        return self.c.choice(_CHANGING[self.f.language]).replace("{X}", said)

    def _mine(self, key: tuple[str, str, str] | None = None) -> Frame | None:
        frame = self.c.choice(self.f.frames_of[key]) if key else self.any_frame("asserted")
        is_usable = frame.polarity == "+" or key is not None
        return frame if is_usable and "{" not in frame.mine and frame.second is None else None

    def _other_value(self) -> tuple[str, str, str] | None:
        frame = self._mine()
        if frame is None or not is_single_valued(frame.predicate):
            return None
        other = self._mine((frame.predicate, "+", "asserted"))
        if other is None:
            return None
        old, new = self.statement(frame), self.statement(other)
        if old["facts"][-1]["object"] == new["facts"][-1]["object"]:
            return None
        said = new["text"]
        if self.c.random() < 0.5:
            said = self._change(said, old["facts"][-1]["object"])
        return old["text"], said, "supersedes"

    def _one_more(self) -> tuple[str, str, str] | None:
        frame = self._mine()
        if frame is None or is_single_valued(frame.predicate):
            return None
        other = self._mine((frame.predicate, "+", "asserted"))
        if other is None:
            return None
        old, new = self.statement(frame), self.statement(other)
        if old["facts"][-1]["object"] == new["facts"][-1]["object"]:
            return None
        said = new["text"]
        if self.c.random() < 0.4:
            said = self.c.choice(_MORE[self.f.language]).replace("{X}", said)
        return old["text"], said, "adds"

    def _same(self) -> tuple[str, str, str] | None:
        frame = self._mine()
        if frame is None:
            return None
        other = self._mine((frame.predicate, "+", "asserted"))
        if other is None or _SLOT.findall(frame.mine) != _SLOT.findall(other.mine):
            return None
        old = self.statement(frame)
        new = self.statement(other, value=old["facts"][-1]["object"])
        said = new["text"]
        if old["text"] == said or self.c.random() < 0.3:
            said = self.c.choice(_KNOWN[self.f.language]).replace("{X}", said)
        return old["text"], said, "restates"

    def _somebody_elses(self) -> tuple[str, str, str] | None:
        frame = self._mine()
        if frame is None:
            return None
        other = self.c.choice(self.f.frames_of[(frame.predicate, "+", "asserted")])
        if other.theirs is None or "{N}" not in other.theirs:
            return None
        return (
            self.statement(frame)["text"],
            self.statement(other, self.somebody())["text"],
            "unrelated",
        )

    def _no_longer(self) -> tuple[str, str, str] | None:
        frame = self._mine()
        if frame is None or (frame.predicate, "-", "asserted") not in self.f.frames_of:
            return None
        ended = self._mine((frame.predicate, "-", "asserted"))
        if ended is None:
            return None
        if _SLOT.findall(frame.mine) != _SLOT.findall(ended.mine):
            return None
        old = self.statement(frame)
        return (
            old["text"],
            self.statement(ended, value=old["facts"][-1]["object"])["text"],
            "supersedes",
        )

    def _only_asked(self) -> tuple[str, str, str] | None:
        trap = self.any_frame(self.c.choice(["hypothetical", "question"]))
        frame = self._mine((trap.predicate, "+", "asserted"))
        if frame is None:
            return None
        return self.statement(frame)["text"], self.statement(trap)["text"], "unrelated"

    def _other_kind(self) -> tuple[str, str, str] | None:
        frame, other = self._mine(), self._mine()
        if frame is None or other is None:
            return None
        related = {
            "likes",
            "dislikes",
            "prefers",
            "avoids",
            "diet",
            "allergic_to",
            "hobby",
            "skill",
        }
        if frame.predicate == other.predicate or {frame.predicate, other.predicate} <= related:
            return None
        if {frame.predicate, other.predicate} & {"located_in", "plans", "goal", "works_on"}:
            return None
        return self.statement(frame)["text"], self.statement(other)["text"], "unrelated"

    def _forgotten(self) -> tuple[str, str, str] | None:
        frame = self._mine()
        if frame is None or frame.predicate == "instructs":
            return None
        item = self.statement(frame)
        if self.c.random() < 0.75:
            request = self.c.choice(_FORGET[self.f.language])
            request = request.replace("{X}", item["text"]).replace(
                "{V}", item["facts"][-1]["object"]
            )
            return item["text"], request, "retracts"
        other = self._mine()
        if other is None or other.predicate == frame.predicate:
            return None
        request = self.c.choice(_FORGET[self.f.language])
        told = self.statement(other)
        request = request.replace("{X}", told["text"]).replace("{V}", told["facts"][-1]["object"])
        return item["text"], request, "unrelated"


_ENDED = {
    "en": re.compile(
        r"no longer|any ?more|used to|\bleft\b|\bquit\b|stopped|g[ai]ven? up|\bsold\b|moved (?:away|out)|"
        r"laid off|came off|\bagain\b|cancelled|away$|after all|cut out"
    ),
    "zh": re.compile("了|以前|原来|离职|离开|退出|卖|又|早就|已经"),
}
_UNCLEAR = {
    "en": re.compile(
        r"\bmoved|switched|just started|promoted|hired|gone (?:off|\w+$)|come round|sick of|changed"
    ),
    "zh": re.compile("搬|换成|改用|跳槽|刚入职|升|迷上|爱上|腻|去了"),
}


def _intent(item: Item, language: str) -> str | None:
    """An ended thing is an update; whether "I moved" is one depends on what was known: None."""
    ended = any(fact["polarity"] == "-" for fact in item["facts"])
    if ended and _ENDED[language].search(item["text"]):
        return "update"
    return None if _UNCLEAR[language].search(item["text"]) else "create"


def _titled(text: str) -> str:
    return text[:1].upper() + text[1:]


def _article(text: str) -> str:
    return re.sub(r"\b(a) (?=[aeiouAEIO])", "an ", text)


_ACKNOWLEDGED = {
    "en": ["Noted.", "Got it.", "Thanks, I'll remember that.", "Okay!", "Lovely."],
    "zh": ["好的。", "记住了。", "明白。", "收到！", "好的，我记下了。"],
}
_CHANGING = {
    "en": [
        "{X}",
        "{X} now",
        "{X} these days",
        "actually, {X}",
        "correction: {X}",
        "no, {X}",
        "sorry, I was wrong: {X}",
        "things have changed, {X}",
        "update: {X}",
        "as of this week {X}",
    ],
    "zh": [
        "{X}",
        "现在{X}",
        "其实{X}",
        "更正一下，{X}",
        "不对，{X}",
        "我说错了，{X}",
        "情况变了，{X}",
        "更新一下：{X}",
        "最近变了，{X}",
    ],
}
_REPLACING = {
    "en": ["{X}, not {OLD}", "{X} instead of {OLD}", "no, not {OLD}: {X}", "{X} rather than {OLD}"],
    "zh": ["{X}，不是{OLD}", "不是{OLD}，{X}", "{X}，而不是{OLD}", "不再是{OLD}了，{X}"],
}
_MORE = {
    "en": ["{X} too", "{X} as well", "also, {X}", "besides that, {X}", "on top of that, {X}"],
    "zh": ["另外{X}", "还有，{X}", "除此之外{X}", "同时{X}", "对了，{X}"],
}
_KNOWN = {
    "en": [
        "as I said, {X}",
        "like I told you, {X}",
        "in case you forgot, {X}",
        "again: {X}",
        "still the same: {X}",
        "once more, {X}",
    ],
    "zh": [
        "我说过了，{X}",
        "再说一遍，{X}",
        "提醒你一下，{X}",
        "跟你讲过的，{X}",
        "还是老样子，{X}",
        "你忘了吗，{X}",
    ],
}
_FORGET = {
    "en": [
        "forget that {X}",
        "please delete what I said about {V}",
        "forget what I told you about {V}",
        "remove {V} from your memory",
        "don't remember that {X}",
        "I was joking when I said {X}, take it out",
        "erase everything about {V}",
        "wipe the note that {X}",
    ],
    "zh": [
        "忘掉{X}这件事",
        "把{V}那条删掉",
        "关于{V}的记录请删除",
        "别记着{V}的事了",
        "{V}的事你忘了吧",
        "我说{X}是开玩笑的，删了吧",
        "把我说的{V}从记忆里去掉",
        "不要再保存{V}的信息",
    ],
}
_QUOTING = {
    "en": [
        "Translate {Q} into German.",
        "How do you say {Q} in French?",
        "Proofread this: {Q}",
        "He said {Q} and laughed.",
        "In the novel the captain says {Q}",
        "Make this sound more formal: {Q}",
        "My letter starts with {Q}. Is that too stiff?",
        "She wrote {Q} on the card.",
        "Here's a line from the play: {Q} Who says it?",
        "Fix the grammar in {Q} please",
    ],
    "zh": [
        "把{Q}翻译成德语",
        "{Q}用法语怎么说？",
        "帮我校对：{Q}",
        "他说{Q}，大家都笑了",
        "小说里船长说：{Q}",
        "把{Q}改得正式一点",
        "我的信开头是{Q}，会不会太生硬？",
        "她在卡片上写着{Q}",
        "剧本里有句台词：{Q}，谁说的？",
        "{Q}这句话有语病吗",
    ],
}
_OPENINGS = {
    "en": [
        "by the way, {X}",
        "just so you know, {X}",
        "remember that {X}",
        "for the record: {X}",
        "oh, and {X}",
        "please note that {X}",
        "{X}, please remember that",
        "{X}, so keep that in mind",
        "thanks! Also, {X}",
        "hi, {X}",
        "don't forget that {X}",
        "you should know that {X}",
        "quick intro: {X}",
        "btw {X}",
    ],
    "zh": [
        "对了，{X}",
        "跟你说一下，{X}",
        "记住，{X}",
        "顺便说一句，{X}",
        "哦，{X}",
        "备注一下：{X}",
        "{X}，记一下",
        "{X}，别忘了",
        "谢谢！另外，{X}",
        "你好，{X}",
        "麻烦记住{X}",
        "告诉你，{X}",
        "简单介绍下：{X}",
        "btw，{X}",
    ],
}
_TASKS = {
    "en": [
        "Can you help me plan a weekend? ",
        "What should I cook tonight? ",
        "I need a gift idea. ",
        "Write a short bio for me. ",
        "Thanks for the list! ",
        "Which train is faster? ",
        "It's pouring outside. ",
        "Suggest a good book. ",
        "That was a long day. ",
        "Draft a reply to the landlord. ",
        "How far is it to the coast? ",
        "I think the first version reads better. ",
    ],
    "zh": [
        "帮我安排一下周末吧。",
        "今晚做什么菜好？",
        "想挑个礼物。",
        "帮我写个简介。",
        "谢谢你的清单！",
        "哪趟车快？",
        "外面下大雨呢。",
        "推荐本好书。",
        "今天真长。",
        "帮我给房东回个信。",
        "到海边多远？",
        "我觉得第一版更顺。",
    ],
}


def made(kind: str, language: str, count: int, seed: int) -> list[Item]:
    """`count` made items of one kind, "messages" or "pairs"."""
    maker = Maker(load(language), Random(f"{seed} {kind} {language}"))
    return list(maker.messages(count) if kind == "messages" else maker.pairs(count))
