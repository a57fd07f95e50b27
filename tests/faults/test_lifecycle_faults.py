"""Every call that upkeep makes to the store, the archive and its files fails once: nothing is lost,
nothing is doubled, and running it again goes on to the end."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest

from perdure.errors import Unavailable
from perdure.ports.blocking import run_now
from perdure.testing.faults import Crash, How
from perdure.testing.simulator import in_memory, invariants, on_sqlite
from perdure.testing.simulator.acting import USERS, Actor, History
from perdure.testing.simulator.model import Fate, Intent, Model
from perdure.testing.simulator.words import Words, tokens_in
from perdure.testing.simulator.world import World

STAGES = {"memory": in_memory, "sqlite": on_sqlite}
MOST_CALLS = 200
LONG = (
    "The report {token} was read on Monday. Anna asked for the figures of the third quarter. "
    "The supplier in Turku had changed its prices in May. Nobody knew whether the contract covers "
    "that. Bo will ask the lawyer before the end of the week. The next meeting is on the 14th."
)
TOLD = (
    "I adopted a cat named Miso {token}.", "Miso the cat {token} likes tuna.",
    "I live in Oslo, {token}.", LONG, LONG,
)  # fmt: skip


class Life:
    """A user with a few memories, and what was acknowledged of them."""

    def __init__(self, stage):
        self.world = World(stage, 0)
        self.actor = Actor(self.world, Model(), Words(), History(), Random(1))
        self.actor.user = USERS[0]
        self.chosen = []

    @property
    def memory(self):
        return self.actor.of_user

    @property
    def ids(self):
        return [item.memory.id for item in self.actor.held() if not item.memory.provenance]

    async def begin(self, away):
        await self.world.open()
        await self.tell(TOLD)
        self.chosen = self.ids[::2]
        self.world.clock.advance(timedelta(hours=1))
        if away:
            await self.memory.archive(self.ids[:2])
            await self.memory.compress(self.ids[3:])
        self.world.clock.advance(timedelta(hours=1))
        await invariants.check_user(self.actor, self.actor.user)

    async def tell(self, texts):
        items = [
            {"content": text.format(token=self.actor.words.token(0)), "kind": "episodic",
             "understand": False}
            for text in texts
        ]  # fmt: skip
        for answer in await self.memory.remember_many(items):
            self.actor.model.acknowledge(answer.memory)

    async def state(self):
        """What a reader sees, by words rather than ids: the same after every way to get there."""
        seen = await self.actor.sight(self.actor.user)
        words = {item.memory.id: item.words for item in self.actor.model}
        return sorted(
            (item.kind, item.state, item.content, words.get(item.id, "") if item.archive else "")
            for item in seen
        )


async def consolidate(life):
    await life.memory.consolidate()


async def archive(life):
    await life.memory.archive(life.ids[:3])


async def compress(life):
    await life.memory.compress(life.ids)


async def restore(life):
    await life.memory.restore_archived()


async def erase(life):
    chosen = life.chosen
    life.actor.intent = Intent(fates=dict.fromkeys(chosen, Fate.ERASED))
    certificate = await life.memory.erase(chosen)
    life.actor.model.loses(chosen, Fate.ERASED)
    life.actor.history.certificates.append((life.actor.user, certificate))


WORK = {
    consolidate: False, archive: False, compress: False, restore: True, erase: True,
}  # fmt: skip
"""Each with whether it begins with memories in the archive."""


async def undisturbed(staging, work):
    async with staging() as stage:
        life = Life(stage)
        await life.begin(WORK[work])
        await work(life)
        await finished(life)
        state = await life.state()
        await life.world.close()
        return state


async def finished(life):
    """Everything holds, `verify` has nothing left to mend, and no file is left over."""
    with life.world.faults.suspended():
        await invariants.check_everything(life.actor)
        await invariants.check_no_orphans(life.actor)


async def disturbed(staging, work, nth, how):
    """The state in the end when a call failed on the way; and which call, None for none."""
    async with staging() as stage:
        life = Life(stage)
        faults = life.world.faults
        await life.begin(WORK[work])
        faults.arm(nth, how)
        try:
            await work(life)
            failed = faults.failed
        except Unavailable:
            failed = faults.failed
            assert failed is not None, "unavailable although nothing failed"
        except Crash:
            failed = faults.failed
            faults.disarm()
            await life.world.lose()
        faults.disarm()
        # Who died with a lease, or could not give it back, keeps it until it runs out.
        life.world.clock.advance(timedelta(minutes=30))
        life.actor.model.is_uncertain(life.actor.intent)
        await invariants.check_user(life.actor, life.actor.user)
        await work(life)
        await finished(life)
        state = await life.state()
        await life.world.close()
        return state, failed


@pytest.mark.parametrize("how", list(How))
@pytest.mark.parametrize("work", list(WORK), ids=lambda work: work.__name__)
@pytest.mark.parametrize("store", ["memory", pytest.param("sqlite", marks=pytest.mark.slow)])
def test_a_failure_anywhere_loses_and_doubles_nothing(store, work, how):
    staging = STAGES[store]
    wanted = run_now(undisturbed(staging, work))
    places = []
    for nth in range(1, MOST_CALLS):
        state, failed = run_now(disturbed(staging, work, nth, how))
        assert state == wanted, f"call {nth} ({failed}) failed"
        if failed is None:
            break
        places.append(failed)
    else:
        pytest.fail(f"more than {MOST_CALLS} calls")
    assert len(places) > 3
    if work is not consolidate:
        assert any(place.startswith("file.") for place in places)


def test_tokens_tell_the_memories_of_the_loop_apart():
    words = Words()
    texts = [text.format(token=words.token(0)) for text in TOLD]
    assert len(set().union(*map(tokens_in, texts))) == len(TOLD)
