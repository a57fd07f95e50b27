"""A year of an agent's life, with the upkeep of every night."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from perdure import Settings

DAY = timedelta(days=1)
QUOTA = 400
HOT = ("active", "compressed", "superseded")


def test_a_year_stays_within_the_quota_and_loses_nothing(file_home):
    dice = Random(20310310)
    memory = file_home.open(settings=Settings(quota=QUOTA))
    agent = memory.scoped(user="ilka", agent="tutor")
    kept, used = {}, None
    for day in range(365):
        items = [
            {"content": f"Note {day}/{place}", "importance": dice.random() * 0.7,
             "kind": dice.choice(("episodic", "long_term")), "understand": False}
            for place in range(3)
        ]  # fmt: skip
        for outcome in agent.remember_many(items):
            kept[outcome.memory.id] = outcome.memory.content
            used = used or outcome.memory.id
        if day % 10 == 0:
            agent.feedback(used)
        if day % 5 == 0:
            planned = agent.maintain(dry_run=True)
            assert agent.maintain().actions == planned.actions
            assert not agent.maintain()
        states = agent.stats().memories
        assert sum(states.get(name, 0) for name in HOT) <= QUOTA + 5 * 3
        file_home.clock.advance(DAY)
    agent.maintain()
    assert agent.count() <= QUOTA
    assert agent.get(used).state == "active"
    assert agent.get(used).strength.interval_days > 30
    gone = [memory_id for memory_id in kept if agent.get(memory_id).state == "archived"]
    assert len(gone) == len(kept) - agent.count()
    for memory_id in dice.sample(gone, 20):
        assert agent.restore(memory_id).content == kept[memory_id]
    assert memory.verify().problems == ()
