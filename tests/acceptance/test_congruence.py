"""The same calls give the same answers on every store, in either form, also after reopening."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest

from perdure import PerdureError, Scope, Settings
from tests.acceptance.home import Home

HOMES = ["memory-sync", "memory-async", "sqlite-sync", "sqlite-async", "postgres-sync"]
STEPS = 70
WORDS = "kiln loom mast oar quay rope sail tide 船 绳 帆 桨 not 3 7".split()
SETTINGS = Settings(short_term_size=3)


class About(float):
    """A score, equal to another within what the order of additions can do."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other):
        return abs(self - other) < 1e-4


class Story:
    """A random sequence of calls, the same for the same seed, and what came of each."""

    def __init__(self, memory, clock, seed):
        self.memory, self.clock, self.chance = memory, clock, Random(seed)
        self.ids: list[str] = []  # in the order of their making, to tell them apart across stores
        self.told: list[object] = []

    def name(self, memory_id):
        """An id as a number that is the same in every store."""
        if memory_id is None:
            return None
        if memory_id not in self.ids:
            self.ids.append(memory_id)
        return self.ids.index(memory_id)

    def plain(self, memory):
        return (
            self.name(memory.id), memory.content, memory.kind, memory.state, memory.version,
            round(memory.importance, 9), dict(memory.metadata), memory.valid_from, memory.valid_to,
            memory.recorded_at, memory.retired_at, memory.expires_at, memory.key, memory.scope,
            self.name(memory.superseded_by), [self.name(item) for item in memory.supersedes],
            memory.used_count,
        )  # fmt: skip

    def attempt(self, call):
        try:
            return call()
        except PerdureError as error:
            return type(error).__name__

    def step(self):
        chance = self.chance
        self.clock.advance(timedelta(minutes=chance.randint(0, 300)))
        scope = Scope(user=chance.choice(["ilka", "oto"]), session=chance.choice(["", "s1"]))
        act = chance.choice(
            ["remember"] * 5 + ["slot"] * 3 + ["many", "short", "correct", "correct", "update",
             "update", "forget", "restore", "feedback", "recall", "recall", "brief", "forget_all"]
        )  # fmt: skip
        words = " ".join(chance.choices(WORDS, k=chance.randint(2, 6)))
        target = chance.choice(self.ids) if self.ids else "01983fd0-0000-7000-8000-00000000dead"
        self.told.append((act, self.attempt(lambda: self.do(act, scope, words, target))))

    def do(self, act, scope, words, target):
        memory, chance = self.memory, self.chance
        match act:
            case "remember":
                given = memory.remember(
                    words, scope=scope, importance=chance.choice([0.1, 0.5, 0.9]),
                    metadata={"n": chance.choice([1, 1.5, "1", True, None])},
                )  # fmt: skip
            case "slot":
                begins = self.clock.now() - timedelta(hours=chance.randint(0, 400))
                ends = chance.choice([None, None, begins + timedelta(hours=chance.randint(1, 90))])
                key = chance.choice(["a", "b"])
                given = memory.remember(
                    words, scope=scope, key=key, valid_from=begins, valid_to=ends
                )
            case "many":
                return [
                    (item.outcome, self.plain(item.memory))
                    for item in memory.remember_many(
                        [{"content": f"{words} {n % 2}", "scope": scope} for n in range(3)]
                    )
                ]
            case "short":
                given = memory.remember(words, scope=scope, kind="short_term")
            case "brief":
                expires = timedelta(hours=chance.randint(0, 20))
                given = memory.remember(words, scope=scope, expires_at=expires)
            case "correct":
                begins = chance.choice([None, None, self.clock.now() - timedelta(hours=5)])
                given = memory.correct(
                    target, words, scope=scope, valid_from=begins,
                    retroactive=chance.random() < 0.2,
                )  # fmt: skip
            case "update":
                return self.plain(memory.update(target, content=words, scope=scope))
            case "forget":
                return [self.name(item) for item in memory.forget(target, scope=scope).ids]
            case "restore":
                return self.plain(memory.restore(target, scope=scope))
            case "feedback":
                helpful = chance.choice([True, False, None])
                return [
                    self.plain(item)
                    for item in memory.feedback(target, helpful=helpful, scope=scope)
                ]
            case "recall":
                return self.found(words, scope)
            case "forget_all":
                gone = memory.forget_all(scope=scope, filters={"n": chance.choice([1, "1", True])})
                return sorted(self.name(item) for item in gone.ids)
        return given.outcome, self.plain(given.memory), [self.name(i) for i in given.superseded]

    def found(self, words, scope, **asked):
        return [
            (self.name(hit.memory.id), hit.status, About(hit.score))
            for hit in self.memory.recall(words, scope=scope, limit=6, **asked)
        ]

    def everything(self):
        """All that can be read at the end, from several points in time."""
        read = []
        moments = [None, *(self.clock.now() - timedelta(days=days) for days in (1, 3, 6))]
        for scope in (Scope(user="ilka"), Scope(user="oto"), Scope(user="ilka", session="s1")):
            for as_of in moments:
                for known in moments:
                    asked = {"as_of": as_of, "known_as_of": known, "scope": scope}
                    page = self.memory.list(limit=500, **asked)
                    read.append([self.plain(item) for item in page])
                    read.append(self.memory.count(**asked))
                    read.append(self.found("kiln 船 tide", **asked))
            shown = self.memory.list(
                limit=500, scope=scope, include=("superseded", "former", "expired")
            )
            read.append(sorted(map(repr, map(self.plain, shown))))
            read.append(dict(self.memory.stats(scope=scope).memories))
        for memory_id in list(self.ids):
            for user in ("ilka", "oto"):
                steps = self.attempt(
                    lambda: [
                        (step.operation, step.at, step.reason, self.plain(step.memory)[:5])
                        for step in self.memory.history(memory_id, scope=Scope(user=user))  # noqa: B023
                    ]
                )
                read.append(steps)
        return read


@pytest.fixture
def homes(request, tmp_path, acceptance_loop):
    made = []
    for number, name in enumerate(HOMES):
        store, _, form = name.partition("-")
        path = tmp_path / f"{number}.db" if store == "sqlite" else None
        url = str(path) if path else "memory://"
        if store == "postgres":
            base = request.getfixturevalue("postgres_url")
            url = f"{base}?schema=congruence_{request.node.callspec.params['seed']}"
        made.append(Home(store=store, form=form, url=url, path=path, loop=lambda: acceptance_loop))
    yield made
    for home in made:
        home.close_all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_random_story_is_the_same_everywhere(homes, seed):
    stories = []
    for home in homes:
        story = Story(home.open(settings=SETTINGS), home.clock, seed)
        for _ in range(STEPS):
            story.step()
        stories.append(story)
    first = stories[0]
    assert {act for act, _ in first.told} >= {"remember", "slot", "correct", "forget", "restore"}
    for home, story in zip(homes[1:], stories[1:], strict=True):
        for number, (mine, theirs) in enumerate(zip(first.told, story.told, strict=True)):
            assert theirs == mine, (home.url, number)
    expected = first.everything()
    for home, story in zip(homes[1:], stories[1:], strict=True):
        assert story.everything() == expected, home.url
        if home.outlives_closing:
            story.memory.close()
            story.memory = home.open(settings=SETTINGS)
            again = story.everything()
            assert without_recalls(again) == without_recalls(expected), home.url
            assert story.memory.verify(repair=False).problems == ()


def without_recalls(read):
    """What was read, without scores: recalls count, so reading twice moves them a little."""
    return [item for item in read if not (isinstance(item, list) and is_recall(item))]


def is_recall(item):
    return all(isinstance(part, tuple) and len(part) == 3 for part in item)
