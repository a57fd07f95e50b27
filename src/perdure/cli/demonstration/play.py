"""What the demonstration does, scene by scene. Every answer is computed while you watch."""

from __future__ import annotations

from datetime import datetime
from importlib.resources import as_file, files
from pathlib import Path

import perdure
from perdure.cli.demonstration.stage import Stage, says
from perdure.cli.tables import explanation_table
from perdure.importers import import_transcript
from perdure.ports.embedder import Embedder
from perdure.sync import MemoryManager

CONVERSATION = "conversation.jsonl"
HERS = {"memory.role": "user"}
NOTES = "long_term"


def play(path: Path, embedder: Embedder | str | None) -> list[str]:
    """Run the demonstration on a new file; the claims that did not come true."""
    stage = Stage()
    with perdure.open(path, embedder=embedder) as memory:
        mei = memory.scoped(user="mei", agent="assistant")
        _store(stage, mei, path)
        _ask_both_languages(stage, mei)
        _correct(stage, mei)
        _late_news(stage, mei)
    with perdure.open(path, embedder=embedder) as memory:
        mei = memory.scoped(user="mei", agent="assistant")
        _after_a_restart(stage, mei)
        _abstain(stage, mei)
        _keep_apart(stage, mei, memory.scoped(user="bren", agent="assistant"))
        _forget_and_restore(stage, mei)
        _context_for_a_prompt(stage, mei)
        _explain(stage, mei)
        stage.scene("Check the file · 检查文件")
        stage.claim("every row, index and link and the journal are in order", memory.verify().ok)
    return stage.failed


def _store(stage: Stage, mei: MemoryManager, path: Path) -> None:
    stage.scene(
        "Remember a conversation · 记住一段对话",
        "Mei, who draws picture books, talks with her assistant from September 2024 to February "
        "2025, in English and Chinese. (The conversation is invented; it ships with the package.) "
        f"All of it goes into one file, {path.name}. No server, no key, no download.",
    )
    with as_file(files(__package__) / CONVERSATION) as transcript:
        first = import_transcript(mei, transcript)
        stage.say(f"stored: {first.stored} messages of {first.conversations} conversations")
        second = import_transcript(mei, transcript)
    stage.say(f"the same file again: {second.stored} new, {second.known} known already")
    stage.claim("importing twice stores once", first.stored == 40 and second.stored == 0)


def _ask_both_languages(stage: Stage, mei: MemoryManager) -> None:
    stage.scene(
        "Ask in either language · 用哪种语言问都行",
        "The score comes first, then when it was said, then the words.",
    )
    for question, words, remark in (
        ("Who does not eat meat?", "Tomás", "English, found in English"),
        ("我的猫叫什么名字？", "墨墨", "Chinese, found in Chinese"),
        ("Which food am I allergic to?", "花生", "asked in English, told in Chinese"),
        ("母亲爱喝什么茶？", "jasmine", "asked in Chinese, told in English"),
        ("我的自行车怎么了？", "stolen", "asked in Chinese, told in English"),
    ):
        found = stage.ask(mei, question, filters=HERS)
        stage.claim(remark, says(found, words))


def _correct(stage: Stage, mei: MemoryManager) -> None:
    stage.scene(
        "Correct a note · 更正",
        "Besides what was said, the assistant keeps notes of what is true. Mei moved in January; "
        "the note is corrected, and the old one is not lost.",
    )
    note = mei.remember(
        "Mei lives in Lisbon, in Rua do Sol.", occurred_at="2024-09-14", valid_from="2021-05-01"
    ).memory
    stage.ask(mei, "Where does Mei live?", kinds=NOTES)
    corrected = mei.correct(note, "Mei lives in Porto, in Rua das Flores.", valid_from="2025-01-12")
    stage.say(f"\n   corrected: {corrected.outcome}")
    now = stage.ask(mei, "Where does Mei live?", kinds=NOTES, limit=5)
    stage.claim("only the present answer", says(now, "Porto") and len(now) == 1)
    then = stage.ask(mei, "Where does Mei live?", kinds=NOTES, as_of="2024-12-24")
    stage.claim("what was true at Christmas 2024", says(then, "Lisbon"))
    both = stage.ask(
        mei, "Where does Mei live?", kinds=NOTES, include=["superseded", "former"], limit=5
    )
    old = next((hit.memory for hit in both if "Lisbon" in hit.memory.content), None)
    points = old is not None and old.superseded_by == corrected.memory.id
    stage.claim("the old note points to its successor", points)


def _late_news(stage: Stage, mei: MemoryManager) -> None:
    stage.scene(
        "A slot, and news that arrives late · 迟到的消息",
        "A slot has one value at a time, in the order of events. The deadline is told three "
        "times; the last to arrive is about the past, so it fills the past.",
    )
    for text, since in (
        ("The drawings are due on 31 March.", "2024-09-14"),
        ("The drawings are due on 30 April.", "2025-02-01"),
        ("The drawings are due on 15 April.", "2024-12-10"),
    ):
        outcome = mei.remember(
            text, key="book/deadline", occurred_at=since, valid_from=since
        ).outcome
        stage.say(f"{text} since {since}: {outcome}")
    for moment, day in (("2024-10-15", "31 March"), ("2024-12-24", "15 April"), (None, "30 April")):
        how = {} if moment is None else {"as_of": moment}
        found = stage.ask(mei, "When are the drawings due?", kinds=NOTES, **how)
        stage.claim("the value of that time" if moment else "the present value", says(found, day))


def _after_a_restart(stage: Stage, mei: MemoryManager) -> None:
    stage.scene("Restart · 重启", "The file was closed and opened again.")
    found = stage.ask(mei, "Where does Mei live?", kinds=NOTES, limit=5)
    stage.claim("the correction is still there", says(found, "Porto") and len(found) == 1)


def _abstain(stage: Stage, mei: MemoryManager) -> None:
    stage.scene("Say when nothing is known · 不知道就说不知道")
    for question in ("What is the capital gains tax rate in Denmark?", "我的银行密码是什么？"):
        found = stage.ask(mei, question, filters=HERS, limit=3)
        stage.claim("no answer rather than a wrong one", found.abstained)


def _keep_apart(stage: Stage, mei: MemoryManager, bren: MemoryManager) -> None:
    stage.scene("Two users, one file · 两个用户，互不可见")
    bren.remember("我的猫叫饼干，是橘色的。", kind="episodic", source={"role": "user"})
    question = "我的猫叫什么名字？"
    stage.say("Mei asks:")
    hers = stage.ask(mei, question, filters=HERS, limit=5)
    stage.say("Bren asks:")
    his = stage.ask(bren, question, filters=HERS, limit=5)
    stage.claim(
        "each sees only their own cat",
        says(hers, "墨墨")
        and not any("饼干" in hit.memory.content for hit in hers)
        and [hit.memory.content for hit in his] == ["我的猫叫饼干，是橘色的。"],
    )


def _forget_and_restore(stage: Stage, mei: MemoryManager) -> None:
    stage.scene("Forget, and think better of it · 忘记与恢复")
    question = "appointment with Dr. Almeida"
    found = stage.ask(mei, question, filters=HERS)
    if not found:
        stage.claim("there is something to forget", False)
        return
    memory = found[0].memory
    mei.forget(memory, reason="Mei asked for it")
    stage.say("\n   forgotten on request")
    after = stage.ask(mei, question, filters=HERS, limit=5)
    stage.claim("it is in no answer", all(hit.memory.id != memory.id for hit in after))
    mei.restore(memory)
    stage.say("\n   restored")
    back = stage.ask(mei, question, filters=HERS)
    stage.claim("it is back, word for word", says(back, memory.content))
    stage.say("its history:")
    for step in mei.history(memory):
        reason = f" ({step.reason})" if step.reason else ""
        stage.say(f"  {_minute(step.at)}  {step.operation}{reason}")


def _minute(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _context_for_a_prompt(stage: Stage, mei: MemoryManager) -> None:
    stage.scene(
        "A block for a prompt · 放进提示词",
        "At most 160 tokens, with citations, marked as data that is not to be obeyed.",
    )
    text = mei.recall_context(
        "cooking dinner for guests: who must not eat what?", max_tokens=160, filters=HERS
    )
    stage.block(text)
    stage.claim(f"{text.tokens} tokens, {len(text.citations)} memories", 0 < text.tokens <= 160)


def _explain(stage: Stage, mei: MemoryManager) -> None:
    stage.scene("Why this score? · 分数从哪里来")
    found = stage.ask(mei, "Who does not eat meat?", filters=HERS)
    if not found:
        stage.claim("there is a score to explain", False)
        return
    hit = found[0]
    stage.table(explanation_table(hit))
    stage.claim(
        "values times weights add up to the score, to the last bit",
        hit.explanation.recomputed() == hit.score,
    )
