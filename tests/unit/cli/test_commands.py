"""Every command through the program itself, in one process: what it prints and how it ends."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

import perdure
from perdure.cli.program import program, status_of
from perdure.testing import HashingEmbedder
from tests.services.embeddings_server import embeddings_server


@dataclass
class Shell:
    """Runs command lines on one store."""

    store: Path
    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch
    out: str = ""
    err: str = ""

    def __call__(self, *arguments: str, expect: int = 0, stdin: bytes = b"") -> Any:
        """What the command wrote to stdout: the JSON value with --json, else the text."""
        self.patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin)))
        status = status_of(["--store", str(self.store), "--embedder", "hashing", *arguments])
        self.out, self.err = self.capture.readouterr()
        assert status == expect, self.err
        return json.loads(self.out) if "--json" in arguments and self.out else self.out


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path / "memory.db", capsys, monkeypatch)


def remembered(run: Shell, *arguments: str) -> str:
    """Store something; its id."""
    memory_id = run("remember", "--json", *arguments)["memory"]["id"]
    assert isinstance(memory_id, str)
    return memory_id


def contents(run: Shell, *arguments: str) -> list[str]:
    return [item["content"] for item in run("list", "--json", "--all", *arguments)["items"]]


# --- remember ------------------------------------------------------------------------------------


def test_what_is_remembered_has_every_property_it_was_given(run: Shell) -> None:
    answer = run(
        "remember", "The kettle is in the kitchen.", "--json", "--user", "ilka", "--agent", "tutor",
        "--session", "s", "--tenant", "t", "--kind", "episodic", "--importance", "0.8", "--at", "2020-01-02",
        "--key", "kettle/place", "--valid-from", "2020-01-01", "--valid-to", "2020-06-01", "--expires",
        "2199-01-01", "--metadata", '{"room": "kitchen"}', "--pin", "--role", "user", "--speaker", "Ilka",
    )  # fmt: skip
    assert answer["outcome"] == "stored"
    memory = answer["memory"]
    assert memory["scope"] == {"tenant": "t", "agent": "tutor", "user": "ilka", "session": "s"}
    assert memory["source"] == {"role": "user", "speaker": "Ilka", "message_ids": []}
    assert memory["metadata"] == {"room": "kitchen"}
    assert (memory["kind"], memory["importance"], memory["pinned"]) == ("episodic", 0.8, True)
    assert (memory["key"], memory["occurred_at"]) == ("kettle/place", "2020-01-02T00:00:00+00:00")
    assert memory["valid_to"] == "2020-06-01T00:00:00+00:00"
    assert memory["expires_at"] == "2199-01-01T00:00:00+00:00"


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
def test_text_may_come_from_a_pipe(run: Shell, ending: bytes) -> None:
    run("remember", "-", stdin="水壶在厨房".encode() + ending)
    assert contents(run) == ["水壶在厨房"]


def test_bytes_that_are_no_text_are_refused(run: Shell) -> None:
    run("remember", "-", stdin=b"\xff\xfe", expect=2)
    assert "UTF-8" in run.err
    assert not run.store.exists()


def test_the_same_words_again_are_known(run: Shell) -> None:
    first = remembered(run, "The kettle is blue.")
    assert first in run("remember", "The kettle is blue.")
    assert "Known already" in run.out


def test_a_request_with_a_key_stores_once_and_clashes_with_another(run: Shell) -> None:
    remembered(run, "one", "--once", "k")
    assert run("remember", "one", "--once", "k", "--json")["repeated"]
    run("remember", "two", "--once", "k", expect=4)
    assert contents(run) == ["one"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["remember"],
        ["remember", ""],
        ["remember", "x", "--kind", "eternal"],
        ["remember", "x", "--importance", "7"],
        ["remember", "x", "--at", "last Friday"],
        ["remember", "x", "--metadata", "{"],
        ["remember", "x", "--expires", "soon"],
        ["remember", "-", "--user", "u" * 2000],
        ["recall", "x", "--limit", "0"],
        ["recall", "x", "--filter", '{"a": {"like": 1}}'],
        ["recall", "x", "--since", "2031-02-01", "--until", "2031-01-01"],
        ["forget"],
        ["forget", "x", "--all"],
        ["forget", "x", "--everything"],
        ["nonsense"],
        ["list", "--order", "size"],
        ["list", "--cursor", "made-up"],
        ["export", "-", "--json"],
        ["demo", "--json"],
    ],
)
def test_a_wrong_call_ends_with_2_and_says_why(run: Shell, arguments: list[str]) -> None:
    remembered(run, "The kettle is blue.")
    run(*arguments, expect=2)
    assert run.out == ""
    assert run.err.strip()
    assert "Traceback" not in run.err


# --- ask and look --------------------------------------------------------------------------------


def test_recall_gives_hits_with_explanations_that_add_up(run: Shell) -> None:
    remembered(run, "The kettle is in the kitchen.")
    found = run("recall", "where is the kettle?", "--json")
    [hit] = found["hits"]
    assert found["abstained"] is False
    assert hit["memory"]["content"] == "The kettle is in the kitchen."
    total = 0.0
    for value, weight in hit["explanation"]["components"].values():
        total += value * weight
    assert total == hit["score"] == hit["explanation"]["score"]


def test_nothing_relevant_ends_with_1(run: Shell) -> None:
    remembered(run, "The kettle is in the kitchen.")
    found = run("recall", "quarterly revenue", "--json", "--min-score", "0.5", expect=1)
    assert (found["hits"], found["abstained"]) == ([], True)
    run("recall", "quarterly revenue", "--min-score", "0.5", expect=1)
    assert run.out == ""
    assert run("context", "quarterly revenue", "--min-score", "0.5", expect=1) == ""


def test_an_explained_score_is_a_table_that_adds_up(run: Shell) -> None:
    remembered(run, "The kettle is in the kitchen.")
    text = run("recall", "where is the kettle?", "--explain")
    products = re.findall(
        r"^ (?:similarity|importance|recency|frequency).* (\d\.\d+) *$", text, re.M
    )
    [score] = re.findall(r"^ score +(\d\.\d+) *$", text, re.M)
    assert sum(map(float, products)) == pytest.approx(float(score), abs=3e-6)


def test_a_context_block_keeps_its_budget(run: Shell) -> None:
    for number in range(20):
        remembered(run, f"Kettle number {number} is in the kitchen.")
    block = run("context", "kettle in the kitchen", "--json", "--max-tokens", "90")
    assert 0 < block["tokens"] <= 90
    assert len(block["citations"]) >= 1
    assert "untrusted" in run("context", "kettle in the kitchen")


def test_a_look_into_the_past_finds_what_held_then(run: Shell) -> None:
    for place, since in (("kitchen", "2020-01-01"), ("cellar", "2020-06-01")):
        remembered(run, f"The kettle is in the {place}.", "--key", "kettle", "--valid-from", since)
    assert contents(run) == ["The kettle is in the cellar."]
    assert contents(run, "--as-of", "2020-03-01") == ["The kettle is in the kitchen."]
    assert contents(run, "--known-as-of", "2019-01-01") == []
    assert len(contents(run, "--include", "former", "--include", "superseded")) == 2


def test_a_listing_is_narrowed_and_ordered(run: Shell) -> None:
    for day, topic in ((1, "chess"), (2, "go"), (3, "chess")):
        remembered(
            run, f"day {day}", "--at", f"2020-01-0{day}", "--metadata", json.dumps({"topic": topic}),
            "--kind", "episodic" if day > 1 else "long_term",
        )  # fmt: skip
    assert contents(run, "--order", "occurred_at") == ["day 1", "day 2", "day 3"]
    assert contents(run, "--order=-occurred_at", "--filter", '{"topic": "chess"}') == [
        "day 3",
        "day 1",
    ]
    assert contents(run, "--kind", "long_term") == ["day 1"]
    assert contents(run, "--since", "2020-01-02", "--until", "2020-01-02") == ["day 2"]


def test_pages_follow_one_another(run: Shell) -> None:
    for number in range(5):
        remembered(run, f"no {number}")
    page = run("list", "--json", "--limit", "3")
    rest = run("list", "--json", "--limit", "3", "--cursor", page["next_cursor"])
    assert [item["content"] for item in page["items"] + rest["items"]] == [
        f"no {number}" for number in (4, 3, 2, 1, 0)
    ]
    assert rest["next_cursor"] is None
    run("list", "--limit", "3")
    assert page["next_cursor"] in run.err


def test_users_never_see_one_another(run: Shell) -> None:
    remembered(run, "Ilka's kettle is blue.", "--user", "ilka")
    remembered(run, "Bren's kettle is red.", "--user", "bren")
    remembered(run, "A kettle of nobody.")
    assert contents(run, "--user", "ilka") == ["Ilka's kettle is blue."]
    assert contents(run) == ["A kettle of nobody."]
    hits = run("recall", "kettle", "--user", "bren", "--json")["hits"]
    assert [hit["memory"]["content"] for hit in hits] == ["Bren's kettle is red."]


def test_shared_options_may_stand_on_either_side_and_the_later_counts(run: Shell) -> None:
    run("--user", "bren", "remember", "mine", "--user", "ilka")
    assert contents(run, "--user", "ilka") == ["mine"]


def test_a_memory_is_shown_with_its_history(run: Shell) -> None:
    old = remembered(run, "The kettle is blue.")
    new = run("correct", old, "The kettle is red.", "--json", "--reason", "painted")["memory"]["id"]
    shown = run("show", new, "--json")
    assert shown["memory"]["content"] == "The kettle is red."
    assert shown["memory"]["supersedes"] == [old]
    assert [(step["operation"], step["memory"]["id"]) for step in shown["history"]] == [
        ("created", old),
        ("created", new),
        ("superseded", old),
    ]
    text = run("show", new)
    for word in ("The kettle is blue.", "The kettle is red.", "painted", old, new):
        assert word in text


# --- change --------------------------------------------------------------------------------------


def test_a_correction_finds_its_target_by_words(run: Shell) -> None:
    old = remembered(run, "The kettle is blue.")
    assert old in run("correct", "what colour is the kettle", "-", stdin=b"It is red.\n")
    assert contents(run) == ["It is red."]


def test_forgetting_and_restoring(run: Shell) -> None:
    one, two = remembered(run, "one"), remembered(run, "two")
    assert run("forget", one, "--json") == {"ids": [one]}
    assert contents(run) == ["two"]
    shown = run("show", one, "--json")
    assert shown["memory"] is None
    assert shown["history"][-1]["operation"] == "forgotten"
    run("show", one)
    assert f"perdure restore {one}" in run.err
    assert run("restore", one, "--json")["content"] == "one"
    assert sorted(contents(run)) == ["one", "two"]
    run("forget", two, "no-such-id", expect=3)
    assert sorted(contents(run)) == ["one", "two"]


def test_forgetting_everything_where_nobody_can_be_asked_needs_yes(run: Shell) -> None:
    for user in ("ilka", "bren"):
        remembered(run, f"{user} 1", "--user", user)
    run("forget", "--all", "--user", "ilka", expect=2)
    assert contents(run, "--user", "ilka") == ["ilka 1"]
    assert len(run("forget", "--all", "--user", "ilka", "--yes", "--json")["ids"]) == 1
    assert contents(run, "--user", "ilka") == []
    assert contents(run, "--user", "bren") == ["bren 1"]
    run("forget", "--all", "--yes", expect=2)
    assert len(run("forget", "--all", "--everything", "--yes", "--json")["ids"]) == 1


def test_forgetting_can_be_narrowed(run: Shell) -> None:
    remembered(run, "old", "--user", "ilka", "--at", "2010-01-01")
    remembered(run, "new", "--user", "ilka", "--at", "2020-01-01")
    run("forget", "--all", "--user", "ilka", "--until", "2015-01-01", "--yes")
    assert contents(run, "--user", "ilka") == ["new"]


@pytest.mark.parametrize(("answer", "left"), [(b"n\n", 1), (b"y\n", 0)])
@pytest.mark.parametrize("everything", [False, True])
def test_on_a_terminal_it_asks_before_it_forgets(
    run: Shell, monkeypatch: pytest.MonkeyPatch, answer: bytes, left: int, everything: bool
) -> None:
    memory_id = remembered(run, "The kettle is blue.", "--user", "ilka")
    monkeypatch.setattr("perdure.cli.commands.writing.people_answer", lambda: True)
    what = ["--all"] if everything else [memory_id]
    run("forget", *what, "--user", "ilka", stdin=answer, expect=left)
    assert ("user ilka" if everything else "The kettle is blue.") in run.err
    assert len(contents(run, "--user", "ilka")) == left


def test_what_expired_can_be_forgotten_at_a_terminal_too(
    run: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_id = remembered(run, "The bridge is closed.", "--expires", "2020-01-01")
    monkeypatch.setattr("perdure.cli.commands.writing.people_answer", lambda: True)
    run("forget", memory_id, stdin=b"y\n")
    assert "The bridge is closed." in run.err
    run("forget", memory_id, stdin=b"y\n")
    run("forget", "nope", stdin=b"y\n", expect=3)


# --- move ----------------------------------------------------------------------------------------


def test_an_export_comes_back_whole(run: Shell, tmp_path: Path) -> None:
    remembered(run, "kept", "--user", "ilka")
    gone = remembered(run, "secret", "--user", "ilka")
    run("forget", gone, "--user", "ilka")
    assert run("export", "out.jsonl", "--user", "ilka", "--json") == {
        "path": "out.jsonl",
        "memories": 1,
        "tombstones": 1,
    }
    assert "secret" not in Path("out.jsonl").read_text(encoding="utf-8")
    run.store = tmp_path / "second.db"
    report = run("import", "out.jsonl", "--json")
    assert (report["format"], report["added"], report["problems"]) == ("perdure", 2, [])
    assert contents(run, "--user", "ilka") == ["kept"]
    assert run("import", "out.jsonl", "--json")["added"] == 0


def test_an_export_can_be_piped(run: Shell, tmp_path: Path) -> None:
    remembered(run, "水壶", "--user", "ilka")
    run("export", "out.jsonl", "--user", "ilka")
    exported = Path("out.jsonl").read_bytes()
    run.store = tmp_path / "second.db"
    assert run("import", "-", "--json", stdin=exported)["added"] == 1
    assert contents(run, "--user", "ilka") == ["水壶"]


def test_a_file_is_replaced_on_a_terminal_only_when_told(
    run: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered(run, "kept", "--user", "ilka")
    Path("out.jsonl").write_text("precious")
    monkeypatch.setattr("perdure.cli.commands.moving.people_answer", lambda: True)
    run("export", "out.jsonl", "--user", "ilka", stdin=b"n\n", expect=1)
    assert Path("out.jsonl").read_text() == "precious"
    run("export", "out.jsonl", "--user", "ilka", "--yes")
    assert Path("out.jsonl").read_text() != "precious"


def test_a_transcript_with_damage_ends_with_1_and_names_the_place(run: Shell) -> None:
    Path("chat.jsonl").write_text('{"role": "user", "content": "hello"}\n{oops\n')
    report = run("import", "chat.jsonl", "--user", "ilka", "--json", expect=1)
    assert (report["added"], report["conversations"]) == (1, 1)
    assert report["problems"][0]["place"] == "line 2"
    run("import", "chat.jsonl", "--user", "ilka", expect=1)
    assert "line 2:" in run.err
    assert "known already" in run.out
    run("import", "chat.jsonl", "--user", "bren", "--strict", expect=2)
    assert contents(run, "--user", "bren") == []


def test_a_transcript_goes_to_the_named_session(run: Shell) -> None:
    Path("chat.jsonl").write_text('{"role": "user", "content": "hello"}\n')
    run("import", "chat.jsonl", "--user", "ilka", "--session", "old chats")
    items = run("list", "--json", "--user", "ilka")["items"]
    assert [item["scope"]["session"] for item in items] == ["old chats"]


def test_a_backup_is_a_store(run: Shell, tmp_path: Path) -> None:
    remembered(run, "kept", "--user", "ilka")
    made = run("backup", "copy.db", "--json")
    assert made == {"path": "copy.db", "bytes": Path("copy.db").stat().st_size}
    run("backup", "copy.db", expect=2)
    run.store = tmp_path / "copy.db"
    assert contents(run, "--user", "ilka") == ["kept"]


# --- look after ----------------------------------------------------------------------------------


def test_stats_count(run: Shell) -> None:
    remembered(run, "one", "--user", "ilka")
    remembered(run, "two", "--user", "bren")
    run("recall", "one", "--user", "ilka")
    numbers = run("stats", "--json", "--user", "ilka")
    assert (numbers["memories"], numbers["recalled"]) == ({"active": 1}, 1)
    assert run("stats", "--json", "--everything")["memories"] == {"active": 2}
    assert "hashing" in run("stats")


def test_a_sound_store_passes_its_check(run: Shell) -> None:
    remembered(run, "one")
    assert run("verify", "--json") == {"ok": True, "problems": []}
    assert "in order" in run("verify")


def test_a_store_moves_to_another_model(run: Shell) -> None:
    remembered(run, "The kettle is blue.")
    run("recall", "kettle", "--embedder", "hashing:64", expect=6)
    assert "perdure reembed" in run.err
    done = run("reembed", "--embedder", "hashing:64", "--json")
    assert done == {
        "model": HashingEmbedder(64).model.identity,
        "embedded": 1,
        "remaining": 0,
    }
    assert run("recall", "kettle", "--embedder", "hashing:64", "--json")["hits"]
    run("recall", "kettle", expect=6)
    run("reembed", "--embedder", "off", expect=6)


def test_a_store_moves_to_a_service_named_by_the_environment(run: Shell) -> None:
    remembered(run, "The kettle is blue.")
    with embeddings_server(1536) as service:
        run.patch.setenv("OPENAI_BASE_URL", service.url)
        run.patch.setenv("OPENAI_API_KEY", "secret")
        there = ["--embedder", "openai:text-embedding-3-small"]
        assert run("reembed", "--json", *there)["embedded"] == 1
        [hit] = run("recall", "the blue kettle", "--json", *there)["hits"]
        assert "vector" in hit["explanation"]["arms"]
        assert service.requests[0].headers["authorization"] == "Bearer secret"
    run("recall", "the blue kettle", *there)
    assert "out of reach" in run.err


def test_the_doctor_finds_a_healthy_store_healthy(run: Shell) -> None:
    remembered(run, "one")
    found = run("doctor", "--json")
    assert found["ok"] is True
    assert {check["name"]: check["status"] for check in found["checks"]} == dict.fromkeys(
        ["interpreter", "packages", "sqlite", "embedder", "folder", "store", "contents", "vectors",
         "model"], "ok",
    )  # fmt: skip
    assert "All is well." in run("doctor")


def test_the_doctor_makes_no_store(run: Shell) -> None:
    found = run("doctor", "--json")
    assert found["checks"][-1]["status"] == "skipped"
    assert not run.store.exists()


def test_the_doctor_names_the_illness_and_the_remedy(run: Shell, tmp_path: Path) -> None:
    remembered(run, "one")
    mismatch = run("doctor", "--json", "--embedder", "hashing:64", expect=1)
    [model] = [check for check in mismatch["checks"] if check["status"] == "failed"]
    assert "perdure reembed" in model["remedy"]
    run.store = tmp_path / "no folder" / "memory.db"
    assert "make it" in run("doctor", expect=1)
    run.store = tmp_path / "damaged.db"
    run.store.write_bytes(b"not a database at all, but long enough to be looked at" * 20)
    assert "CorruptStore" in run("doctor", expect=1)
    assert run("doctor", "--json", "--embedder", "nobody's", expect=1)["ok"] is False


def test_waiting_vectors_are_pointed_out(run: Shell) -> None:
    with perdure.open(run.store, embedder="off") as memory:
        memory.remember("one")
    found = run("doctor", "--json")
    assert {check["name"] for check in found["checks"] if check["status"] == "warning"} == {
        "vectors"
    }


# --- the program ---------------------------------------------------------------------------------


READING = [
    ["list"], ["recall", "x"], ["context", "x"], ["show", "x"], ["forget", "x"], ["restore", "x"],
    ["correct", "x", "y"], ["stats"], ["verify"], ["reembed"], ["export", "x"], ["backup", "x"],
    ["consolidate"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", READING)
def test_a_misspelt_path_makes_no_store(run: Shell, arguments: list[str]) -> None:
    run(*arguments, expect=3)
    assert not run.store.exists()
    assert "memory.db" in run.err


@pytest.mark.parametrize("command", ["show", "forget", "restore"])
def test_an_unknown_id_ends_with_3(run: Shell, command: str) -> None:
    remembered(run, "one")
    run(command, "nope", expect=3)


def test_an_error_is_json_for_programs(run: Shell) -> None:
    run("list", "--json", expect=3)
    assert json.loads(run.err)["error"] == "NotFound"
    run("list", "--json", "--nonsense", expect=2)
    assert json.loads(run.err)["error"] == "InvalidInput"


def test_commands_that_embed_nothing_load_no_embedder(run: Shell) -> None:
    memory_id = remembered(run, "one")

    def plain(*arguments: str) -> int:
        return status_of(["--store", str(run.store), *arguments])

    run.patch.setattr("perdure.bootstrap.embedder_of", refuse_unless_off)
    for arguments in (
        ["list"], ["show", memory_id], ["stats"], ["verify"], ["export", "x", "--everything"],
        ["backup", "y"], ["forget", memory_id],
    ):  # fmt: skip
        assert plain(*arguments) == 0, arguments


def refuse_unless_off(given: object, settings: object) -> None:
    assert given == "off", "an embedder was asked for"


@pytest.mark.parametrize("name", sorted(program.commands))
def test_every_command_explains_itself(run: Shell, name: str) -> None:
    text = run(name, "--help")
    assert "Shared options:" in text
    assert "--user" in text
    if name != "demo":
        assert "JSON:" in text


SHAPES: dict[str, Callable[[Shell], Any]] = {
    "remember": lambda run: run("remember", "The kettle is blue.", "--json"),
    "recall": lambda run: run("recall", "kettle", "--json"),
    "context": lambda run: run("context", "kettle", "--json"),
    "list": lambda run: run("list", "--json"),
    "stats": lambda run: run("stats", "--json"),
    "consolidate": lambda run: run("consolidate", "--json"),
    "verify": lambda run: run("verify", "--json"),
    "reembed": lambda run: run("reembed", "--json"),
    "doctor": lambda run: run("doctor", "--json"),
    "export": lambda run: run("export", "a.jsonl", "--json"),
    "import": lambda run: run("import", "a.jsonl", "--json"),
    "backup": lambda run: run("backup", "b.db", "--json"),
    "show": lambda run: run("show", remembered(run, "shown"), "--json"),
    "correct": lambda run: run("correct", remembered(run, "wrong"), "right", "--json"),
    "forget": lambda run: run("forget", remembered(run, "gone"), "--json"),
    "maintain": lambda run: run("maintain", "--json"),
    "hold": lambda run: run("hold", remembered(run, "evidence"), "--json"),
}


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_the_help_tells_the_shape_of_the_json(run: Shell, name: str) -> None:
    remembered(run, "The kettle is green.")
    run("export", "a.jsonl", "--everything")
    document = SHAPES[name](run)
    told = re.sub(r"\s+", " ", run(name, "--help").partition("JSON: ")[2])
    outermost = re.sub(r"\[[^\]]*\]", "", told)
    while "{" in outermost[1:]:
        outermost = outermost[0] + re.sub(r"\{[^{}]*\}", "", outermost[1:])
    assert set(re.findall(r'"(\w+)"', outermost)) == set(document)


def test_every_command_stands_under_a_heading() -> None:
    gathered = [name for names in program.topics.values() for name in names]
    assert sorted(gathered) == sorted(program.commands)


# --- consolidate ---------------------------------------------------------------------------------


def test_what_is_new_is_put_in_order(run: Shell) -> None:
    for text in (
        "The boat has a leak near the keel.",
        "We found the leak in the boat near the keel.",
        "Another leak near the keel of the boat.",
    ):
        remembered(run, text, "--kind", "episodic")
    planned = run("consolidate", "--dry-run", "--json")
    assert not planned["applied"]
    assert "would be done" in run("consolidate", "--dry-run")
    assert contents(run, "--kind", "semantic") == []
    told = run("consolidate")
    assert "summary" in told
    made = run("list", "--kind", "semantic", "--json")["items"]
    assert len([item for item in made if "summary" in item["metadata"]]) == 1
    assert "Nothing is to be done." in run("consolidate", "--everything")
    run("consolidate", "--limit", "0", expect=2)


# --- observe -------------------------------------------------------------------------------------


def test_a_conversation_is_taken_in_and_its_decisions_are_told(run: Shell) -> None:
    lines = (
        '{"role": "user", "content": "I live in Turku."}\n{"role": "assistant", "content": "OK"}\n'
    )
    told = run("observe", "--user", "ilka", stdin=lines.encode())
    assert "create" in told
    assert "I live in Turku." in told
    assert "none" in told
    assert "Turku" in run("list", "--user", "ilka")


def test_a_dry_run_of_a_conversation_stores_nothing(run: Shell) -> None:
    remembered(run, "The kettle is blue.")
    line = b'{"role": "user", "content": "I live in Turku."}'
    observed = run("observe", "--json", "--dry-run", stdin=line)
    assert observed["decisions"][0]["operation"] == "create"
    assert "Turku" not in run("list")


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"role": "wizard", "content": "x"}'])
def test_a_line_that_is_no_message_is_refused(run: Shell, line: bytes) -> None:
    run("observe", stdin=line, expect=2)


# --- maintain, hold ------------------------------------------------------------------------------


def test_maintain_tells_first_and_does_it_once(run: Shell) -> None:
    expired = remembered(run, "A note.", "--expires", "2001-01-01")
    remembered(run, "Another note.")
    planned = run("maintain", "--dry-run", "--json")
    assert [item["memory_id"] for item in planned["actions"]] == [expired]
    assert "would be done" in run("maintain", "--dry-run")
    done = run("maintain", "--json")
    assert (done["actions"], done["applied"]) == (planned["actions"], True)
    assert "Nothing is to be done." in run("maintain")


def test_maintaining_everything_spans_the_users(run: Shell) -> None:
    remembered(run, "A note.", "--user", "bo", "--expires", "2001-01-01")
    assert run("maintain", "--json")["actions"] == []
    assert len(run("maintain", "--everything", "--limit", "1", "--json")["actions"]) == 1
    run("maintain", "--everything", "--user", "bo", expect=7)
    run("maintain", "--limit", "0", expect=2)


def test_a_hold_is_put_on_shown_and_released(run: Shell) -> None:
    note = remembered(run, "A note.", "--expires", "2001-01-01")
    assert run("hold", note, "--json")["memories"][0]["held"]
    assert "held" in run("list", "--include", "expired")
    assert run("maintain", "--json")["actions"] == []
    assert run("hold", note, "--release") == "1 released.\n"
    assert len(run("maintain", "--json")["actions"]) == 1
    assert run("show", remembered(run, "Evidence.", "--hold"), "--json")["memory"]["held"]
    run("hold", "01983fd0-0000-7000-8000-00000000dead", expect=3)
