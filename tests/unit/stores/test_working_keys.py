"""Names of keys on Redis: which lie together, and that none looks like another."""

import re
import sys
from itertools import product

import pytest

import perdure
from perdure.domain.scope import Scope
from perdure.domain.working import TaskKey
from perdure.errors import Misconfigured
from perdure.working_stores.redis.address import parse_address
from perdure.working_stores.redis.keys import index_key, member_of, task_key

TAG = re.compile(r"\{([0-9a-f]+)\}")
PARTS = ["", "a", "b", "ab", "{a}", "a:b", ":"]


def tag(key):
    """What a cluster hashes: the text between the first brace and the next closing one."""
    found = TAG.search(key)
    assert found
    assert key.count("{") == key.count("}") == 1
    return found[1]


def test_the_keys_of_one_user_share_a_slot_and_those_of_others_do_not():
    tags = set()
    for tenant, user in product(PARTS, PARTS):
        scopes = [Scope(tenant=tenant, user=user, agent=agent) for agent in PARTS]
        keys = {index_key(scope) for scope in scopes}
        keys |= {task_key(scope, member_of(TaskKey(scope=scope, name="x"))) for scope in scopes}
        assert len({tag(key) for key in keys}) == 1
        assert len(keys) == 1 + len(PARTS)
        tags |= {tag(key) for key in keys}
    assert len(tags) == len(PARTS) ** 2


def test_no_two_tasks_share_a_key():
    keys = set()
    for tenant, agent, user, session, name in product(["", "a", "a:b"], repeat=5):
        scope = Scope(tenant=tenant, agent=agent, user=user, session=session)
        keys.add(task_key(scope, member_of(TaskKey(scope=scope, name=name))))
    assert len(keys) == 3**5


def test_an_address_shows_no_secret():
    address = parse_address("valkeys://ilka:s3cret@cache.example:7000/2?socket_timeout=1")
    assert address.url == "rediss://ilka:s3cret@cache.example:7000/2?socket_timeout=1"
    assert address.place == "valkeys://cache.example:7000/2"
    assert "s3cret" not in repr(address)
    assert parse_address("redis+cluster://a:1").is_cluster


@pytest.mark.parametrize("url", ["s3cret", "http://s3cret", "redis://x:s3cret", "redis://"])
def test_a_bad_address_is_refused(url):
    with pytest.raises(Misconfigured):
        parse_address(url)


def test_a_missing_driver_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "redis", None)
    settings = perdure.Settings(working="redis://localhost")
    with pytest.raises(Misconfigured, match=r"perdure\[redis\]"):
        perdure.open(tmp_path / "m.db", embedder="off", settings=settings)
    assert not (tmp_path / "m.db").exists()
