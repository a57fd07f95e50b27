"""Finishing a task, cut off at any point and asked again, leaves each episode once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest

import perdure
from perdure.domain.scope import Scope
from perdure.engine import working, working_finishing
from perdure.errors import Conflict, NotFound, Unavailable
from perdure.testing import FakeClock, HashingEmbedder

KEY = working.key_for(Scope(user="ilka"), "trip")
STEPS = [
    {"id": "1", "title": "Find a train", "state": "failed", "reason": "Strike"},
    {"id": "2", "title": "Book a room", "state": "done", "importance": 0.9},
]


class CutOff:
    """Passes calls on, and fails one of them: before it takes effect, or after."""

    def __init__(self, inner, *, nth, after):
        self._inner, self._left, self._after = inner, nth, after
        self.is_spent = False

    def __getattr__(self, name):
        call = getattr(self._inner, name)

        async def passed_on(*args, **more):
            self._left -= 1
            if self._left == 0 and not self._after:
                self.is_spent = True
                raise Unavailable("cut off before")
            result = await call(*args, **more)
            if self._left == 0:
                self.is_spent = True
                raise Unavailable("cut off after")
            return result

        return passed_on


async def begun(core):
    tree = working.fresh_tree("Travel to Graz", None, STEPS)
    return await working.begin(core, KEY, tree, until=None, resume=False, now=core.now())


async def finish(core, outcome="failed", summary="Stayed at home"):
    return await working_finishing.finish(
        core, KEY, outcome=outcome, summary=summary, expected=None, now=core.now(), actor=None
    )


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("part", ["working", "store"])
async def test_cut_off_at_any_call_it_is_completed_by_asking_again(part, after):
    for nth in count(1):
        clock = FakeClock()
        async with await perdure.open_async(
            "memory://", embedder=HashingEmbedder(), clock=clock
        ) as memory:
            core = memory._core
            await begun(core)
            cut = CutOff(getattr(core, part), nth=nth, after=after)
            failing = replace(core, **{part: cut})
            try:
                await finish(failing)
            except Unavailable:
                clock.advance(timedelta(minutes=1))
            if not cut.is_spent:
                assert nth == {"working": 4, "store": 2}[part]  # it made all calls but one
                return
            finished = await finish(core)
            stored = (await memory.scoped(user="ilka").list()).items
            assert [item.metadata["path"] for item in finished.episodes] == [
                "/goal", "/steps/1", "/steps/2",
            ]  # fmt: skip
            assert {item.id for item in finished.episodes} == {item.id for item in stored}


async def test_between_the_halves_the_task_takes_no_edits():
    async with await perdure.open_async("memory://", embedder=HashingEmbedder()) as memory:
        core = memory._core
        await begun(core)
        cut = CutOff(core.store, nth=1, after=False)
        with pytest.raises(Unavailable):
            await finish(replace(core, store=cut))
        task = memory.scoped(user="ilka").working("trip")
        with pytest.raises(Conflict, match="being finished"):
            await task.set_goal("x")
        with pytest.raises(Conflict, match="finished before as failed"):
            await finish(core, outcome="done")
        assert (await task.get()).outcome == "failed"
        assert not (await finish(core)).repeated


async def test_what_is_stored_survives_the_loss_of_the_task():
    async with await perdure.open_async("memory://", embedder=HashingEmbedder()) as memory:
        core = memory._core
        await begun(core)
        cut = CutOff(core.working, nth=3, after=False)  # read, closed, and then not emptied
        with pytest.raises(Unavailable):
            await finish(replace(core, working=cut))
        await core.working.delete(KEY, expected=None, now=core.now())
        with pytest.raises(NotFound):
            await finish(core)
        assert await memory.scoped(user="ilka").count() == 3


async def test_what_was_forgotten_in_between_is_not_stored_again():
    async with await perdure.open_async("memory://", embedder=HashingEmbedder()) as memory:
        core = memory._core
        ilka = memory.scoped(user="ilka")
        await begun(core)
        with pytest.raises(Unavailable):
            await finish(replace(core, working=CutOff(core.working, nth=3, after=False)))
        (outcome, *_) = (await ilka.list()).items
        await ilka.forget(outcome.id)
        finished = await finish(core)
        assert outcome.id in [item.id for item in finished.episodes]
        assert await ilka.count() == 2
