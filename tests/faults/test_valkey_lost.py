"""Losing the server of working memory loses unfinished tasks, and never a memory."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

import perdure
from perdure.testing import HashingEmbedder
from tests.services.valkey import ValkeyServer, ask

TIMEOUT_S = 1.0
SLACK_S = 2.0


@pytest.fixture
def memory(own_valkey: ValkeyServer, tmp_path):
    settings = perdure.Settings(working=own_valkey.url, working_timeout_s=TIMEOUT_S)
    with perdure.open(tmp_path / "m.db", embedder=HashingEmbedder(), settings=settings) as opened:
        yield opened.scoped(user="ilka")


def test_a_killed_server_is_unavailable_and_comes_back(memory, own_valkey):
    task = memory.working("trip")
    task.begin("Travel to Graz", steps=["Find a train"])
    snapshot = task.snapshot()
    kept = memory.working("other")
    kept.begin("Finished in time")
    episodes = kept.finish(summary="Well").episodes

    own_valkey.kill()
    for call in (
        task.get,
        task.finish,
        task.discard,
        memory.working_tasks,
        lambda: task.set_goal("x"),
        lambda: task.restore(snapshot),
        lambda: memory.working("new").begin("x"),
    ):
        begun = time.monotonic()
        with pytest.raises(perdure.Unavailable, match="out of reach") as caught:
            call()
        assert time.monotonic() - begun < TIMEOUT_S + SLACK_S
        assert str(own_valkey.port) in str(caught.value)
    memory.remember("The server is down")
    assert {item.id for item in memory.list()} >= {item.id for item in episodes}

    own_valkey.start()
    with pytest.raises(perdure.NotFound):
        task.get()
    assert task.restore(snapshot).steps[0].title == "Find a train"
    assert task.finish().episodes
    assert memory.count() == 3


def test_a_server_that_does_not_answer_is_given_up_in_time(memory, own_valkey):
    task = memory.working("trip")
    task.begin("Travel to Graz")
    own_valkey.freeze()
    begun = time.monotonic()
    with pytest.raises(perdure.Unavailable, match="did not answer in time"):
        task.set_goal("Travel to Linz")
    assert time.monotonic() - begun < TIMEOUT_S + SLACK_S
    own_valkey.thaw()
    assert task.set_goal("Travel to Wels").goal == "Travel to Wels"


def test_a_memory_opens_without_the_server(own_valkey, tmp_path):
    own_valkey.kill()
    settings = perdure.Settings(working=own_valkey.url, working_timeout_s=TIMEOUT_S)
    with perdure.open(tmp_path / "m.db", embedder=HashingEmbedder(), settings=settings) as memory:
        memory.remember("Written without it")
        with pytest.raises(perdure.Unavailable):
            memory.working("trip").begin("x")
        own_valkey.start()
        assert memory.working("trip").begin("x").version == 1


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://localhost", "begins with one of"),
        ("localhost:6379", "begins with one of"),
        ("redis://", "begins with one of"),
        ("redis://localhost:port", "no port"),
    ],
)
def test_a_bad_address_is_told(tmp_path, url, message):
    settings = perdure.Settings(working=url)
    with pytest.raises(perdure.Misconfigured, match=message):
        perdure.open(tmp_path / "m.db", embedder="off", settings=settings)
    assert not (tmp_path / "m.db").exists()


def test_a_wrong_password_is_told_and_not_shown(own_valkey, tmp_path):
    url = own_valkey.url.replace("redis://", "redis://nobody:hunter2@")
    settings = perdure.Settings(working=url)
    assert "hunter2" not in repr(settings)
    with (
        perdure.open(tmp_path / "m.db", embedder="off", settings=settings) as memory,
        pytest.raises(perdure.Misconfigured, match="refuses the user or the password") as told,
    ):
        memory.working("trip").begin("x")
    assert "hunter2" not in str(told.value)


def test_a_full_server_is_told(memory, own_valkey):
    memory.working("trip").begin("x")
    ask(own_valkey.port, "CONFIG SET maxmemory 1")
    with pytest.raises(perdure.Unavailable, match="maxmemory"):
        memory.working("other").begin("x")
    assert memory.working("trip").get().goal == "x"


def test_a_cluster_is_named_as_one(valkey_cluster_url, tmp_path):
    settings = perdure.Settings(working=valkey_cluster_url)
    with perdure.open(tmp_path / "m.db", embedder="off", settings=settings) as memory:
        task = memory.working("trip")
        task.discard()
        task.begin("x")
        assert [item.name for item in memory.working_tasks()] == ["trip"]
        assert task.discard()


def test_the_server_sweeps_what_expired(memory, own_valkey):
    memory.working("soon").begin("x", expires_at=timedelta(milliseconds=300))
    memory.working("later").begin("x", expires_at=timedelta(hours=1))
    deadline = time.monotonic() + 10
    while ask(own_valkey.port, "DBSIZE") != ":2" and time.monotonic() < deadline:
        memory.working("later").get()
    assert ask(own_valkey.port, "DBSIZE") == ":2"  # the later task, and the index
    assert [task.name for task in memory.working_tasks()] == ["later"]
