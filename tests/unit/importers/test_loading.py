"""From a transcript to memories: each message once, whatever happens in between."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import perdure
from perdure import InvalidInput, Kind, MemoryManager, Settings
from perdure.importers import LeftOut, Progress, TranscriptReport, import_transcript
from perdure.importers.loading import BATCH, CHANGED
from tests.unit.importers.transcripts import (
    chatgpt_conversation,
    chatgpt_node,
    claude_conversation,
    claude_message,
    lines,
    message,
    written,
)


@pytest.fixture
def memory() -> Iterator[MemoryManager]:
    with perdure.open("memory://", embedder="off") as manager:
        yield manager.scoped(user="ilka")


def contents(memory: MemoryManager) -> list[str]:
    return [item.content for item in memory.list(limit=1000)]


def counts(report: TranscriptReport) -> tuple[int, int, int, int, int]:
    """stored, known, withheld, passed over, problems"""
    return (
        report.stored,
        report.known,
        report.withheld,
        report.passed_over,
        len(report.problems),
    )


def test_a_message_becomes_an_episode_with_its_origin(
    memory: MemoryManager, tmp_path: Path
) -> None:
    conversation = chatgpt_conversation(chatgpt_node("n-1", None, "哪种陶土？"), current="n-1")
    report = import_transcript(memory, written(tmp_path, "x.json", [conversation]))
    assert (report.format, report.conversations) == ("chatgpt", 1)
    assert counts(report) == (1, 0, 0, 0, 0)
    [item] = memory.list()
    assert item.content == "哪种陶土？"
    assert item.kind is Kind.EPISODIC
    assert item.scope == perdure.Scope(user="ilka", session="c-1")
    assert item.occurred_at == datetime(2030, 3, 17, 17, 46, 40, tzinfo=UTC)
    assert (item.source.role, item.source.message_ids) == ("user", ("n-1",))
    assert dict(item.metadata) == {"conversation": "c-1", "message_id": "n-1"}


def test_reading_a_file_again_changes_nothing(memory: MemoryManager, tmp_path: Path) -> None:
    path = lines(tmp_path, "x.jsonl", *(message(f"no {n}", id=n) for n in range(BATCH + 30)))
    assert counts(import_transcript(memory, path)) == (BATCH + 30, 0, 0, 0, 0)
    before = memory.changes()
    assert counts(import_transcript(memory, path)) == (0, BATCH + 30, 0, 0, 0)
    assert memory.changes() == before


def test_a_longer_file_adds_only_what_is_new(memory: MemoryManager, tmp_path: Path) -> None:
    rows = [message(f"no {n}") for n in range(5)]
    import_transcript(memory, lines(tmp_path, "x.jsonl", *rows[:3]))
    assert counts(import_transcript(memory, lines(tmp_path, "x.jsonl", *rows))) == (2, 3, 0, 0, 0)


def test_what_was_forgotten_is_not_imported_again(memory: MemoryManager, tmp_path: Path) -> None:
    for name, rows in {
        "with.jsonl": [message("secret", id="1"), message("open", id="2")],
        "without.jsonl": [message("another secret"), message("also open")],
    }.items():
        path = lines(tmp_path, name, *rows)
        import_transcript(memory, path)
        memory.forget([item.id for item in memory.list() if "secret" in item.content])
        assert counts(import_transcript(memory, path)) == (0, 1, 1, 0, 0)
    assert contents(memory) == ["open", "also open"]


def test_damaged_entries_are_reported_and_the_others_imported(
    memory: MemoryManager, tmp_path: Path
) -> None:
    path = lines(
        tmp_path, "x.jsonl", message("one"), "{oops", {"role": "user"}, {"role": "system", "content": "x"},
        message("two"),
    )  # fmt: skip
    report = import_transcript(memory, path)
    assert counts(report) == (2, 0, 0, 1, 2)
    assert [problem.place for problem in report.problems] == ["line 2", "line 3"]
    assert contents(memory) == ["one", "two"]


def test_a_problem_never_quotes_the_words(memory: MemoryManager, tmp_path: Path) -> None:
    path = lines(
        tmp_path, "x.jsonl", '{"role": "user", "content": "my secret', message("my secret", time="x"),
        message("fine"),
    )  # fmt: skip
    report = import_transcript(memory, path)
    assert len(report.problems) == 2
    assert "secret" not in str(report.problems)


def test_strict_stores_nothing_when_an_entry_is_damaged(
    memory: MemoryManager, tmp_path: Path
) -> None:
    path = lines(tmp_path, "x.jsonl", message("one"), "{oops")
    with pytest.raises(InvalidInput, match="line 2"):
        import_transcript(memory, path, strict=True)
    assert memory.count() == 0


def test_a_message_the_store_refuses_does_not_hold_up_its_batch(tmp_path: Path) -> None:
    settings = Settings(max_content_chars=20)
    path = lines(
        tmp_path, "x.jsonl", *(message(f"no {n}") for n in range(5)), message("z" * 21), message("end")
    )  # fmt: skip
    with perdure.open("memory://", embedder="off", settings=settings) as memory:
        report = import_transcript(memory, path)
        assert counts(report) == (6, 0, 0, 0, 1)
        assert report.problems[0].place == "line 6"
        assert "21 characters" in report.problems[0].problem


def test_a_message_that_changed_is_reported_and_stays_as_it_was(
    memory: MemoryManager, tmp_path: Path
) -> None:
    import_transcript(memory, lines(tmp_path, "x.jsonl", message("before", id="1")))
    path = lines(tmp_path, "x.jsonl", message("after", id="1"), message("new", id="2"))
    report = import_transcript(memory, path)
    assert counts(report) == (1, 0, 0, 0, 1)
    assert report.problems == (LeftOut("line 1", CHANGED),)
    assert contents(memory) == ["before", "new"]


def test_the_same_words_at_other_times_are_other_messages(
    memory: MemoryManager, tmp_path: Path
) -> None:
    rows = [message("yes", time=f"2030-01-0{day}") for day in (1, 2, 2)]
    path = lines(tmp_path, "x.jsonl", *rows)
    assert import_transcript(memory, path).stored == 2
    assert import_transcript(memory, path).stored == 0


def test_a_conversation_is_a_session_unless_one_is_bound(
    memory: MemoryManager, tmp_path: Path
) -> None:
    path = written(
        tmp_path, "x.json", [claude_conversation(claude_message("1", "hello"), uuid="u-7")]
    )
    import_transcript(memory, path)
    import_transcript(memory.scoped(session="old chats"), path)
    assert [item.scope.session for item in memory.list()] == ["u-7", "old chats"]


def test_each_agent_gets_its_own_copy(memory: MemoryManager, tmp_path: Path) -> None:
    path = lines(tmp_path, "x.jsonl", message("hello", id="1"))
    for agent in ("tutor", "coach"):
        assert counts(import_transcript(memory.scoped(agent=agent), path)) == (1, 0, 0, 0, 0)


def test_users_do_not_share_keys(tmp_path: Path) -> None:
    path = lines(tmp_path, "x.jsonl", message("hello", id="1"))
    with perdure.open("memory://", embedder="off") as memory:
        for user in ("ilka", "bren"):
            assert import_transcript(memory.scoped(user=user), path).stored == 1


def test_every_file_of_an_archive_is_read(memory: MemoryManager, tmp_path: Path) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(3):
            conversation = claude_conversation(
                claude_message(f"m{number}", f"no {number}"), uuid=f"u{number}"
            )
            part = written(tmp_path, "part.json", [conversation, 7])
            file.write(part, f"conversations-00{number}.json")
    report = import_transcript(memory, archive)
    assert counts(report) == (3, 0, 0, 0, 3)
    assert report.problems[1].place == "conversations-001.json, entry 2"


def test_a_damaged_archive_is_refused(memory: MemoryManager, tmp_path: Path) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        file.writestr("conversations.json", '[{"role": "user", "content": "hello"}]')
    archive.write_bytes(archive.read_bytes().replace(b"hello", b"jello"))
    with pytest.raises(InvalidInput, match="damaged"):
        import_transcript(memory, archive)


def test_a_format_can_be_forced(memory: MemoryManager, tmp_path: Path) -> None:
    path = written(tmp_path, "x.json", [claude_conversation(claude_message("1", "hello"))])
    report = import_transcript(memory, path, format="chatgpt")
    assert counts(report) == (0, 0, 0, 0, 1)


def test_an_unknown_format_is_refused(memory: MemoryManager, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="whatsapp"):
        import_transcript(memory, lines(tmp_path, "x.jsonl", message("x")), format="whatsapp")


def test_an_export_of_ours_is_not_a_transcript(memory: MemoryManager, tmp_path: Path) -> None:
    memory.remember("hello")
    path = tmp_path / "out.jsonl"
    memory.export(path)
    with pytest.raises(InvalidInput, match="import_"):
        import_transcript(memory, path)


def test_progress_ends_at_the_whole(memory: MemoryManager, tmp_path: Path) -> None:
    path = lines(tmp_path, "x.jsonl", *(message(f"no {n}") for n in range(2 * BATCH + 1)))
    seen: list[Progress] = []
    import_transcript(memory, path, watch=seen.append)
    assert [step.turns for step in seen] == [BATCH, 2 * BATCH, 2 * BATCH + 1]
    assert all(step.total_bytes == path.stat().st_size for step in seen)
    assert seen[-1].read_bytes == seen[-1].total_bytes


def test_a_conversation_id_no_store_can_keep_is_reported(
    memory: MemoryManager, tmp_path: Path
) -> None:
    path = lines(
        tmp_path, "x.jsonl", message("one", conversation="c" * 2000), message("two", conversation="c")
    )  # fmt: skip
    assert counts(import_transcript(memory, path)) == (1, 0, 0, 0, 1)
