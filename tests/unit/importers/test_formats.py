"""Each format: what becomes a turn, what is passed over, what is left out, and how it is told."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perdure import InvalidInput
from perdure.importers import chatgpt, claude, format_of, locomo, messages
from perdure.importers.turns import Entry, Finding, LeftOut, PassedOver, Turn
from tests.unit.importers.transcripts import (
    chatgpt_conversation,
    chatgpt_node,
    claude_conversation,
    claude_message,
    lines,
    locomo_sample,
    message,
    written,
)


def read(module: Any, value: Any) -> list[Finding]:
    return list(module.reader("file")(Entry("entry 1", value)))


def words(findings: list[Finding]) -> list[str]:
    return [finding.words for finding in findings if isinstance(finding, Turn)]


def kinds(findings: list[Finding]) -> list[type]:
    return [type(finding) for finding in findings]


# --- plain messages ------------------------------------------------------------------------------


def test_a_message_keeps_its_role_name_time_and_id() -> None:
    [turn] = read(
        messages,
        message("Hello", name="Ilka", id="m-1", time="2030-03-17T17:46:40Z", conversation="c-9"),
    )
    assert turn == Turn(
        place="entry 1",
        conversation="c-9",
        message_id="m-1",
        role="user",
        speaker="Ilka",
        words="Hello",
        at=datetime(2030, 3, 17, 17, 46, 40, tzinfo=UTC),
    )


def test_without_a_conversation_the_file_is_one() -> None:
    [turn] = read(messages, message("Hello"))
    assert isinstance(turn, Turn)
    assert (turn.conversation, turn.message_id, turn.at) == ("file", None, None)


@pytest.mark.parametrize(
    "time", ["2030-03-17T17:46:40Z", "2030-03-18T01:46:40+08:00", 1_900_000_000, 1_900_000_000_000]
)
def test_times_are_iso_text_or_seconds_or_milliseconds(time: object) -> None:
    [turn] = read(messages, message("Hello", time=time))
    assert isinstance(turn, Turn)
    assert turn.at == datetime(2030, 3, 17, 17, 46, 40, tzinfo=UTC)


@pytest.mark.parametrize("time", ["last Friday", "上周五", [], True, 1e300])
def test_an_unreadable_time_is_not_taken_for_none(time: object) -> None:
    assert kinds(read(messages, message("Hello", time=time))) == [LeftOut]


def test_text_parts_count_and_pictures_do_not() -> None:
    parts = [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "output_text", "text": "here"},
    ]
    assert words(read(messages, message(parts))) == ["Look\nhere"]


@pytest.mark.parametrize("role", ["system", "developer", "tool", "function"])
def test_what_sets_a_conversation_up_is_passed_over(role: str) -> None:
    assert kinds(read(messages, {"role": role, "content": "Be brief."})) == [PassedOver]


@pytest.mark.parametrize("content", [None, "", " \n\t", []])
def test_a_message_without_words_is_passed_over(content: object) -> None:
    assert kinds(read(messages, message(content))) == [PassedOver]


@pytest.mark.parametrize(
    "value", [None, 3, "text", [], {"content": "x"}, {"role": "user"}, {"role": 3, "content": "x"}]
)
def test_what_is_no_message_is_left_out(value: object) -> None:
    assert kinds(read(messages, value)) == [LeftOut]


def test_messages_in_one_entry_are_one_conversation() -> None:
    found = read(messages, {"id": "t-1", "messages": [message("one"), 7, message("two")]})
    assert kinds(found) == [Turn, LeftOut, Turn]
    assert {turn.conversation for turn in found if isinstance(turn, Turn)} == {"t-1"}
    assert [finding.place for finding in found] == [
        f"entry 1, message {number}" for number in (1, 2, 3)
    ]


# --- ChatGPT -------------------------------------------------------------------------------------


def test_only_the_path_to_the_current_node_is_read() -> None:
    conversation = chatgpt_conversation(
        chatgpt_node("root", None),
        chatgpt_node("q1", "root", "Which clay?"),
        chatgpt_node("a1", "q1", "Any clay.", role="assistant", minute=1),
        chatgpt_node("a2", "q1", "Stoneware.", role="assistant", minute=2),
        chatgpt_node("q2", "a1", "Edited away", minute=3),
        current="a2",
    )
    found = read(chatgpt, conversation)
    assert words(found) == ["Which clay?", "Stoneware."]
    assert [turn.role for turn in found if isinstance(turn, Turn)] == ["user", "assistant"]


def test_without_a_current_node_the_newest_leaf_is_the_end() -> None:
    nodes = (
        chatgpt_node("q1", None, "Which clay?"),
        chatgpt_node("a1", "q1", "Newer answer", role="assistant", minute=9),
        chatgpt_node("a2", "q1", "Older answer", role="assistant", minute=2),
    )
    for current in (None, "gone"):
        found = read(chatgpt, chatgpt_conversation(*nodes, current=current))
        assert words(found) == ["Which clay?", "Newer answer"]


@pytest.mark.parametrize(
    "fields",
    [
        {"author": {"role": "system"}},
        {"author": {"role": "tool", "name": "browser"}},
        {"metadata": {"is_visually_hidden_from_conversation": True}},
        {"recipient": "python"},
        {"content": {"content_type": "thoughts", "thoughts": []}},
        {"content": {"content_type": "code", "text": "1 + 1"}},
        {"content": {"content_type": "text", "parts": [""]}},
        {"content": {"content_type": "user_editable_context", "user_profile": "x"}},
    ],
)
def test_hidden_and_technical_messages_are_passed_over(fields: dict[str, Any]) -> None:
    conversation = chatgpt_conversation(
        chatgpt_node("root", None, "said", **fields), current="root"
    )
    assert kinds(read(chatgpt, conversation)) == [PassedOver]


def test_of_the_parts_texts_and_speech_count() -> None:
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f"},
        {"content_type": "audio_transcription", "text": "spoken"},
        "written",
    ]
    content = {"content_type": "multimodal_text", "parts": parts}
    conversation = chatgpt_conversation(chatgpt_node("n", None, "x", content=content), current="n")
    assert words(read(chatgpt, conversation)) == ["spoken\nwritten"]


def test_a_message_without_time_takes_that_of_its_conversation() -> None:
    conversation = chatgpt_conversation(chatgpt_node("n", None, "x", minute=None), current="n")
    [turn] = read(chatgpt, conversation)
    assert isinstance(turn, Turn)
    assert turn.at == datetime(2030, 3, 17, 17, 46, 40, tzinfo=UTC)


def test_a_circle_of_parents_ends() -> None:
    conversation = chatgpt_conversation(
        chatgpt_node("a", "b", "one"), chatgpt_node("b", "a", "two"), current="a"
    )
    assert sorted(words(read(chatgpt, conversation))) == ["one", "two"]


@pytest.mark.parametrize(
    "node",
    [
        {"parent": None, "message": "x"},
        {"parent": None, "message": {"author": None, "content": {}}},
        chatgpt_node("n", None, "x", content=None),
        chatgpt_node("n", None, "x", content={"content_type": "text", "parts": None}),
        chatgpt_node("n", None, "x", create_time="yesterday"),
    ],
)
def test_a_malformed_message_is_left_out_with_its_place(node: dict[str, Any]) -> None:
    conversation = {"id": "c", "mapping": {"n": node}, "current_node": "n"}
    [left_out] = read(chatgpt, conversation)
    assert isinstance(left_out, LeftOut)
    assert left_out.place == "entry 1, message n"


@pytest.mark.parametrize("value", [None, [], {"title": "x"}, {"mapping": []}])
def test_what_is_no_chatgpt_conversation_is_left_out(value: object) -> None:
    assert kinds(read(chatgpt, value)) == [LeftOut]


# --- Claude --------------------------------------------------------------------------------------


def test_claude_senders_become_roles() -> None:
    found = read(
        claude,
        claude_conversation(
            claude_message("1", "Which clay?"),
            claude_message("2", "Stoneware.", sender="assistant", minute=1),
        ),
    )
    assert [(turn.role, turn.words) for turn in found if isinstance(turn, Turn)] == [
        ("user", "Which clay?"),
        ("assistant", "Stoneware."),
    ]


def test_text_blocks_count_and_thinking_and_tools_do_not() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "text", "text": "Stoneware."},
        {"type": "tool_result", "content": []},
    ]
    found = read(claude, claude_conversation(claude_message("1", "placeholder", content=blocks)))
    assert words(found) == ["Stoneware."]


def test_a_message_of_tools_alone_is_passed_over_whatever_its_text_says() -> None:
    blocks = [{"type": "tool_use", "name": "search", "input": {}}]
    found = read(claude, claude_conversation(claude_message("1", "unsupported", content=blocks)))
    assert kinds(found) == [PassedOver]


def test_an_old_export_has_only_the_text() -> None:
    old = {"uuid": "1", "sender": "human", "text": "Which clay?", "created_at": None}
    assert words(read(claude, claude_conversation(old))) == ["Which clay?"]


def test_a_pasted_text_is_the_words_of_a_message_without_others() -> None:
    pasted = [{"file_name": "", "extracted_content": "a long recipe"}]
    found = read(
        claude,
        claude_conversation(
            claude_message("1", "", attachments=pasted),
            claude_message("2", "Read this", attachments=pasted),
        ),
    )
    assert words(found) == ["a long recipe", "Read this"]


def test_an_abandoned_branch_is_not_read() -> None:
    root = "00000000-0000-4000-8000-000000000000"
    conversation = claude_conversation(
        claude_message("1", "Which clay?", parent_message_uuid=root),
        claude_message("2", "Old", sender="assistant", minute=1, parent_message_uuid="1"),
        claude_message("3", "New", sender="assistant", minute=2, parent_message_uuid="1"),
    )
    assert words(read(claude, conversation)) == ["Which clay?", "New"]
    conversation["current_leaf_message_uuid"] = "2"
    assert words(read(claude, conversation)) == ["Which clay?", "Old"]


def test_messages_without_links_are_read_in_their_order() -> None:
    conversation = claude_conversation(*(claude_message(str(n), f"no {n}") for n in range(4)))
    assert words(read(claude, conversation)) == [f"no {n}" for n in range(4)]


@pytest.mark.parametrize(
    "broken", [7, {"uuid": "1"}, claude_message("1", "x", created_at="soon"), {"sender": None}]
)
def test_a_malformed_claude_message_is_left_out(broken: Any) -> None:
    found = read(claude, claude_conversation(claude_message("0", "fine"), broken))
    assert kinds(found) == [Turn, LeftOut]
    assert found[1].place == "entry 1, message 2"


def test_what_cannot_be_placed_in_the_tree_is_reported() -> None:
    conversation = claude_conversation(
        claude_message("1", "Which clay?"),
        claude_message("2", "Stoneware.", parent_message_uuid="1"),
        None,  # type: ignore[arg-type]
    )
    assert kinds(read(claude, conversation)) == [Turn, Turn, LeftOut]


# --- LoCoMo --------------------------------------------------------------------------------------


def test_sessions_come_in_the_order_of_their_numbers_at_their_times() -> None:
    sample = locomo_sample(
        session_10=[{"speaker": "Bren", "dia_id": "D10:1", "text": "ten"}],
        session_10_date_time="12:05 am on 1 January, 2031",
        session_2=[{"speaker": "Ilka", "dia_id": "D2:1", "text": "two"}],
        session_2_date_time="1:56 pm on 8 May, 2030",
    )
    first, second = read(locomo, sample)
    assert isinstance(first, Turn)
    assert isinstance(second, Turn)
    assert (first.words, first.conversation, first.message_id) == (
        "two",
        "conv-7/session_2",
        "D2:1",
    )
    assert (first.speaker, first.role) == ("Ilka", None)
    assert first.at == datetime(2030, 5, 8, 13, 56, tzinfo=UTC)
    assert second.at == datetime(2031, 1, 1, 0, 5, tzinfo=UTC)


def test_a_caption_is_an_attachment_and_the_words_where_there_are_no_others() -> None:
    picture = {"speaker": "Ilka", "blip_caption": "a blue pot", "img_url": ["https://x.test/1"]}
    sample = locomo_sample(session_1=[picture, {**picture, "text": "Look!"}])
    alone, beside = read(locomo, sample)
    assert isinstance(alone, Turn)
    assert isinstance(beside, Turn)
    assert (alone.words, beside.words) == ("a blue pot", "Look!")
    assert beside.attachments[0].caption == "a blue pot"
    assert beside.attachments[0].location == "https://x.test/1"


@pytest.mark.parametrize(
    "when",
    ["13:00 pm on 8 May, 2030", "1:56 pm on 31 June, 2030", "1:56 pm on 8 Floreal, 2030", "once"],
)
def test_a_session_with_an_unreadable_time_is_left_out_and_the_others_stay(when: str) -> None:
    turn = {"speaker": "Ilka", "text": "hello"}
    sample = locomo_sample(session_1=[turn], session_1_date_time=when, session_2=[turn])
    found = read(locomo, sample)
    assert kinds(found) == [LeftOut, Turn]
    assert found[0].place == "entry 1, session_1"


@pytest.mark.parametrize("turn", [7, {"text": "x"}, {"speaker": "Ilka", "text": 7}])
def test_a_malformed_turn_is_left_out(turn: Any) -> None:
    assert kinds(read(locomo, locomo_sample(session_1=[turn]))) == [LeftOut]


# --- telling them apart --------------------------------------------------------------------------


def files(folder: Path) -> Iterator[tuple[Path, str]]:
    conversation = chatgpt_conversation(chatgpt_node("n", None, "x"), current="n")
    yield written(folder, "a.json", [conversation]), "chatgpt"
    yield written(folder, "b.json", conversation), "chatgpt"
    yield written(folder, "c.json", [claude_conversation(claude_message("1", "x"))]), "claude"
    yield written(folder, "d.json", {"conversations": [claude_conversation()]}), "claude"
    yield written(folder, "e.json", [locomo_sample(session_1=[])]), "locomo"
    yield written(folder, "f.json", locomo_sample(session_1=[])), "locomo"
    yield lines(folder, "g.jsonl", message("x"), message("y")), "messages"
    yield written(folder, "h.json", [message("x")]), "messages"
    yield written(folder, "i.json", {"messages": [message("x")]}), "messages"
    yield lines(folder, "j.jsonl", "{broken", message("x")), "messages"
    yield lines(folder, "k.jsonl", "", '{"perdure": "export", "format": 1}'), "perdure"
    yield written(folder, "l.json", [None, 3, message("x")]), "messages"


def test_every_format_is_told_from_the_file(tmp_path: Path) -> None:
    expected = list(files(tmp_path))
    assert [(path.name, format_of(path)) for path, _ in expected] == [
        (path.name, format_name) for path, format_name in expected
    ]


@pytest.mark.parametrize("text", ["", "   \n", "hello", "<html>", "[]", '{"a": 1}', "[1, 2]"])
def test_what_is_in_no_known_format_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"x\.json"):
        format_of(path)


def test_a_byte_order_mark_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'\xef\xbb\xbf[{"role": "user", "content": "x"}]')
    assert format_of(path) == "messages"


def test_an_export_may_be_an_archive_or_a_folder_in_several_files(tmp_path: Path) -> None:
    one = written(tmp_path, "conversations-000.json", [claude_conversation()])
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(one, "data/conversations-000.json")
        file.writestr("data/users.json", "[]")
    assert format_of(archive) == "claude"
    assert format_of(tmp_path) == "claude"


def test_an_archive_without_conversations_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("users.json", "[]")
    with pytest.raises(InvalidInput, match="no conversations"):
        format_of(archive)
