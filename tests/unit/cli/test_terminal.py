"""What reaches a terminal, and what a command may be given."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import click
import pytest
from rich.cells import cell_len

from perdure import Attachment, Explanation, Hit, Source
from perdure.cli.exits import MEANING, Exit, exit_of
from perdure.cli.invocation import Invocation, without_password
from perdure.cli.plain import plain
from perdure.cli.tables import console, detail_table, hit_table, memory_table
from perdure.cli.terminal import printable
from perdure.cli.values import json_object, life
from perdure.domain.results import Citation, RecalledText
from perdure.errors import (
    Conflict,
    CorruptStore,
    EmbedderMismatch,
    InvalidInput,
    NotFound,
    PerdureError,
    PermissionDenied,
    Unavailable,
    UnsupportedFilter,
)
from perdure.testing import a_memory


def drawn(table: object) -> str:
    out = io.StringIO()
    console(out).print(table)
    return out.getvalue()


# --- harmless output -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "harmful",
    ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\x08\x08", "\r", "\u202eabc", "\u2066x", "\u2028"],
)
def test_a_memory_cannot_give_the_terminal_commands(harmful: str) -> None:
    shown = printable(f"before {harmful} after")
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert not any(char in shown for char in "\u202e\u2066\u2028")
    assert shown.startswith("before ")
    assert shown.endswith(" after")


@pytest.mark.parametrize("text", ["Grüße", "水壶在厨房。", "two\nlines", "👩‍👩‍👧", "שלום", ""])
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_a_memory_is_never_taken_for_markup() -> None:
    assert "[bold]not bold[/bold] :smile:" in drawn(
        memory_table([a_memory("[bold]not bold[/bold] :smile:")])
    )


# --- tables --------------------------------------------------------------------------------------


def test_columns_stand_below_one_another_in_chinese_too() -> None:
    memories = [
        a_memory("short", source=Source(speaker="Ilka")),
        a_memory("水壶在厨房的窗台上，旁边是茶叶罐。", source=Source(speaker="伊尔卡")),
    ]
    rows = [
        line
        for line in drawn(memory_table(memories)).splitlines()
        if "Memory" in line or ":" in line
    ]
    columns = {
        cell_len(row[: row.index(word)])
        for row in rows
        for word in ("Memory", "short", "水壶")
        if word in row
    }
    assert len(rows) == 3
    assert len(columns) == 1


def test_a_long_memory_is_cut_in_lists_and_whole_alone() -> None:
    memory = a_memory("word " * 200 + "end")
    assert "end" not in drawn(memory_table([memory])).split()
    assert "end" in drawn(detail_table(memory)).split()


def test_what_is_unusual_about_a_memory_is_said() -> None:
    memory = a_memory("kettle", key="kettle/place", pinned=True)
    explanation = Explanation(components={}, score=0.5, config_hash="h")
    hit = Hit(memory=memory, score=0.5, status="former", explanation=explanation)
    table = drawn(hit_table([hit]))
    for word in (memory.id, "slot kettle/place", "pinned", "former", "0.500"):
        assert word in table


# --- JSON ----------------------------------------------------------------------------------------


def test_a_result_becomes_json_with_the_names_it_has_in_python() -> None:
    memory = a_memory("kettle", metadata={"a": [1.0, None]}, attachments=(
        Attachment(media_type="image/png", digest="d", location="x"),
    ))  # fmt: skip
    document = plain(memory)
    assert document["content"] == "kettle"
    assert document["kind"] == "long_term"
    assert document["metadata"] == {"a": [1.0, None]}
    assert document["scope"] == {"tenant": "", "agent": "", "user": "ilka", "session": ""}
    assert document["attachments"][0]["caption"] == ""
    assert datetime.fromisoformat(document["occurred_at"]) == memory.occurred_at
    assert document["valid_to"] is None


def test_a_context_block_keeps_its_citations_in_json() -> None:
    text = RecalledText(
        "block", citations=(Citation(label="1", memory_id="m", score=0.5),), tokens=2
    )
    assert plain(text) == {
        "text": "block",
        "tokens": 2,
        "citations": [{"label": "1", "memory_id": "m", "score": 0.5}],
    }


# --- exit statuses -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidInput("x"), 2),
        (UnsupportedFilter("x"), 2),
        (NotFound("x"), 3),
        (Conflict("x"), 4),
        (Unavailable("x"), 5),
        (EmbedderMismatch("x"), 6),
        (CorruptStore("x"), 6),
        (PermissionDenied("x"), 7),
    ],
)
def test_every_error_has_its_exit_status(error: PerdureError, status: int) -> None:
    assert exit_of(error) == status


def test_every_kind_of_error_has_an_exit_status_of_its_own() -> None:
    direct = PerdureError.__subclasses__()
    statuses = {exit_of(kind("x")) for kind in direct}
    assert len(statuses) == len(direct)
    assert Exit.DEFECT not in statuses


def test_every_exit_status_is_explained() -> None:
    assert set(MEANING) == set(Exit)


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30d", timedelta(days=30)),
        ("90m", timedelta(minutes=90)),
        ("2w", timedelta(weeks=2)),
        ("2031-07-25", "2031-07-25"),
        ("30 days", "30 days"),
    ],
)
def test_a_life_is_a_span_or_left_to_the_engine(text: str, expected: object) -> None:
    assert life(text) == expected


@pytest.mark.parametrize("text", ["{", "[1]", "3", '"x"', "topic=chess"])
def test_metadata_must_be_a_json_object(text: str) -> None:
    with pytest.raises(click.BadParameter):
        json_object(text)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ilka:secret@db/x", "postgresql://ilka:***@db/x"),
        ("postgresql://db/x", "postgresql://db/x"),
        ("memory.db", "memory.db"),
    ],
)
def test_a_password_is_not_shown(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_the_scope_is_that_of_the_options() -> None:
    scope = Invocation(user="ilka", agent="tutor").scope
    assert (scope.tenant, scope.user, scope.agent, scope.session) == ("", "ilka", "tutor", "")


def test_moments_are_shown_in_utc_to_the_minute() -> None:
    memory = a_memory("kettle", occurred_at=datetime(2031, 7, 25, 2, 0, 59, tzinfo=UTC))
    assert "2031-07-25 02:00" in drawn(memory_table([memory]))
