"""What simulated agents do. Each notes what it intends, calls, and tells the model the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

from perdure.domain.plans import ActionKind, Plan
from perdure.domain.records import State
from perdure.testing.simulator.acting import USERS, Actor
from perdure.testing.simulator.model import Fate
from perdure.testing.simulator.violation import require
from perdure.testing.simulator.words import SLOTS, tokens_in

Operation = Callable[[Actor], Awaitable[None]]


async def remember(actor: Actor) -> None:
    """Store something, now and then in a slot, for a short time, held or pinned."""
    chance = actor.chance
    is_slot = chance.random() < 0.3
    key = chance.choice(SLOTS) if is_slot else None
    since = actor.now - timedelta(days=chance.choice((0, 0, 0, 2, 30)))
    until = since + timedelta(days=3) if is_slot and chance.random() < 0.2 else None
    answer = await actor.memory.remember(
        actor.note(),
        key=key,
        kind=chance.choice(("long_term", "long_term", "short_term", "episodic")),
        importance=chance.choice((0.1, 0.5, 0.5, 0.95)),
        valid_from=since if is_slot else None,
        valid_to=until,
        expires_at=timedelta(days=5) if chance.random() < 0.1 else None,
        pinned=chance.random() < 0.05,
        held=chance.random() < 0.05,
        understand=chance.random() < 0.2,
    )
    actor.model.acknowledge(answer.memory)


async def remember_many(actor: Actor) -> None:
    """Store several that have to do with one another, all or none."""
    texts = actor.words.story(actor.chance, actor.user.number)
    actor.intent.says += texts
    items = [{"content": text, "kind": "episodic", "understand": False} for text in texts]
    for answer in await actor.memory.remember_many(items):
        actor.model.acknowledge(answer.memory)


async def observe(actor: Actor) -> None:
    """Take a message in; now and then the same one again."""
    sent = [item for item in actor.history.messages if item[0] == actor.user]
    if sent and actor.chance.random() < 0.2:
        _, message = actor.chance.choice(sent)
    else:
        message = {
            "id": f"m{len(actor.history.messages)}",
            "role": actor.chance.choice(("user", "user", "user", "assistant")),
            "content": actor.words.said(actor.chance, actor.user.number),
            "time": actor.now.isoformat(),
        }
        actor.history.messages.append((actor.user, message))
    actor.intent.says.append(str(message["content"]))
    # What people say may end, change or take back anything they said before.
    actor.intent.fates |= {
        item.memory.id: Fate.FORGOTTEN for item in actor.held() if item.memory.provenance
    }
    observed = await actor.of_user.observe([message])
    for memory in observed.memories:
        if memory.id not in actor.model.known or actor.model.known[memory.id].is_held:
            actor.model.acknowledge(memory)
    for decision in observed.decisions:
        for memory_id in decision.superseded:
            if memory_id in actor.model.known and decision.operation == "delete":
                actor.model.known[memory_id].fates.add(Fate.FORGOTTEN)


async def correct(actor: Actor) -> None:
    """Put new words in the place of a memory."""
    for item in actor.some(actor.held(State.ACTIVE, State.COMPRESSED)):
        item.is_touched = True
        answer = await actor.of_user.correct(
            item.memory.id, actor.note(), retroactive=actor.chance.random() < 0.3
        )
        actor.model.acknowledge(answer.memory)


async def update(actor: Actor) -> None:
    """Write a new version of a record: other words, another importance, the end of a hold."""
    for item in actor.some(actor.held()):
        words = None
        if actor.chance.random() < 0.5:
            words = actor.words.note(actor.chance, actor.user.number)
            actor.intent.rewords[item.memory.id] = words
            item.is_touched = True
        memory = await actor.of_user.update(
            item.memory.id,
            content=words,
            importance=actor.chance.choice((None, 0.2, 0.9)),
            held=actor.chance.choice((None, False, True)),
            metadata={"colour": actor.chance.choice(("red", "blue"))},
        )
        if words is not None:
            item.says(words)
        item.is_seen(memory)


async def forget(actor: Actor) -> None:
    """Forget a few memories."""
    asked = actor.may_lose(actor.some(actor.held(), 3), Fate.FORGOTTEN)
    if asked:
        done = await actor.of_user.forget(asked)
        _require_derived(actor, done.ids, asked, "forget")
        actor.model.loses(done.ids, Fate.FORGOTTEN)


async def restore(actor: Actor) -> None:
    """Bring back what was forgotten, superseded or archived."""
    lost = [item for item in actor.model.of(actor.user.walls) if item.fates == {Fate.FORGOTTEN}]
    away = actor.held(State.SUPERSEDED, State.ARCHIVED, State.COMPRESSED)
    for item in actor.some(lost + away):
        actor.intent.fates[item.memory.id] = Fate.HELD
        memory = await actor.of_user.restore(item.memory.id)
        require(
            memory.content in {item.words} | item.may_say,
            f"restore of {memory.id} gave other words than were acknowledged",
        )
        item.is_seen(memory)


async def archive(actor: Actor) -> None:
    """Put a few memories into the archive."""
    chosen = actor.some(actor.held(), 4)
    if chosen:
        await actor.of_user.archive([item.memory.id for item in chosen])


async def compress(actor: Actor) -> None:
    """Put summaries in the place of a few memories."""
    chosen = actor.some(actor.held(), 6)
    if chosen:
        await actor.of_user.compress([item.memory.id for item in chosen])


async def restore_archived(actor: Actor) -> None:
    """Bring back everything of the user that lies in the archive."""
    await actor.of_user.restore_archived()


async def erase(actor: Actor) -> None:
    """Erase a few memories, or everything of the user or of one agent."""
    whole = actor.chance.random()
    known = [item for item in actor.model.of(actor.user.walls) if not item.is_erased]
    if whole < 0.15:
        chosen, manager = known, actor.of_user
    elif whole < 0.3:
        chosen = [item for item in known if item.memory.scope.agent == actor.agent]
        manager = actor.memory
    else:
        chosen, manager = actor.some(known, 3), actor.of_user
    asked = actor.may_lose(chosen, Fate.ERASED)
    if not chosen:
        return
    certificate = await (manager.erase() if whole < 0.3 else manager.erase(asked))
    if whole >= 0.3:
        _require_derived(actor, certificate.ids, asked, "erase")
    actor.model.loses([*asked, *certificate.ids], Fate.ERASED)
    if whole < 0.15:
        actor.model.drop_turns(actor.user.number)
    actor.history.certificates.append((actor.user, certificate))


def _require_derived(actor: Actor, gone: tuple[str, ...], asked: list[str], call: str) -> None:
    """Nothing goes that was not asked for, unless it was drawn from what was."""
    allowed = set(asked) | actor.model.drawn_from(asked)
    for memory_id in gone:
        is_known = memory_id in actor.model.known
        require(
            not is_known or memory_id in allowed,
            f"{call} took {memory_id}, which nobody asked for and nothing of it was drawn from that",
        )


async def recall(actor: Actor) -> None:
    """Ask for something; nothing may come that is somebody else's or gone."""
    asker = actor.chance.choice(USERS)
    known = [item for item in actor.model if item.said]
    manager = actor.world.memory.scoped(tenant=asker.tenant, user=asker.name)
    if not known:
        return
    query = actor.chance.choice(known).words
    found = await manager.recall(query, include=actor.chance.choice(((), "superseded", "archived")))
    for hit in found:
        require(
            hit.memory.scope.walls == asker.walls,
            f"recall for {asker.walls} gave {hit.memory.id} of {hit.memory.scope.walls}",
        )
        _require_not_gone(actor, hit.memory.id, "recall")
    if found.hits and actor.chance.random() < 0.5:
        hit = found[0]
        if hit.memory.id in actor.model.known:
            await manager.feedback(hit.memory.id, helpful=actor.chance.choice((None, True, False)))


def _require_not_gone(actor: Actor, memory_id: str, call: str) -> None:
    known = actor.model.known.get(memory_id)
    require(
        known is None or Fate.HELD in known.fates,
        f"{call} gave {memory_id}, which was taken away on request",
    )


async def find(actor: Actor) -> None:
    """What was remembered is found by its own token."""
    plain = [
        item
        for item in actor.held(State.ACTIVE)
        if tokens_in(item.words)
        and item.memory.confidence == 1.0
        and item.memory.valid_to is None
        and item.memory.valid_from <= actor.now
        and item.memory.retired_at is None
        and item.memory.expires_at is None
        and not item.may_say
    ]
    for item in actor.some(plain):
        found = await actor.of_user.recall(" ".join(sorted(tokens_in(item.words))), limit=50)
        is_there = any(hit.memory.id == item.memory.id for hit in found)
        if not is_there:
            memory = await actor.of_user.get(item.memory.id)
            require(
                memory.state is not State.ACTIVE or memory.content != item.words,
                f"recall does not find {item.memory.id} by its own token",
            )


async def consolidate(actor: Actor) -> None:
    """Draw facts and summaries from what came in."""
    actor.intent.fates |= {
        item.memory.id: Fate.FORGOTTEN for item in actor.held() if item.memory.provenance
    }
    whole = actor.chance.random() < 0.3
    await (actor.of_tenant if whole else actor.of_user).consolidate(everything=whole)


async def maintain(actor: Actor) -> None:
    """Upkeep of a user or of the whole tenant."""
    await _upkeep(actor, is_eviction=False)


async def evict(actor: Actor) -> None:
    """Make room."""
    await _upkeep(actor, is_eviction=True)


async def _upkeep(actor: Actor, *, is_eviction: bool) -> None:
    whole = actor.chance.random() < 0.5
    manager = actor.of_tenant if whole else actor.of_user
    call = manager.evict if is_eviction else manager.maintain
    planned = await call(dry_run=True, everything=whole)
    for action in planned.actions:
        if action.action is ActionKind.EXPIRE and action.memory_id in actor.model.known:
            actor.intent.fates[action.memory_id] = Fate.FORGOTTEN
    done: Plan = await call(everything=whole)
    for action in done.actions:
        known = actor.model.known.get(action.memory_id)
        if known is not None and action.action is ActionKind.EXPIRE:
            require(
                known.memory.expires_at is not None and known.memory.expires_at <= actor.now,
                f"{action.memory_id} was expired before its time",
            )
            known.becomes(Fate.FORGOTTEN)


async def export(actor: Actor) -> None:
    """Write everything of the user to a file."""
    if not actor.model.of(actor.user.walls):
        return
    path = actor.world.stage.folder / f"export-{len(actor.history.exports)}.jsonl"
    await actor.of_user.export(path)
    gone = [item for item in actor.model.of(actor.user.walls) if Fate.FORGOTTEN in item.fates]
    actor.history.exports.append((actor.user, path, {item.memory.id for item in gone}))


async def import_(actor: Actor) -> None:
    """Read an earlier export: what was forgotten or erased since stays so."""
    mine = [item for item in actor.history.exports if item[0] == actor.user]
    if not mine:
        return
    _, path, were_gone = actor.chance.choice(mine)
    replaces = actor.chance.random() < 0.3
    if replaces:
        for item in actor.model.of(actor.user.walls):
            item.may_say |= item.said
            item.is_touched = True
            if item.memory.id in were_gone and item.is_held:
                item.fates.add(Fate.FORGOTTEN)  # the file says so, and it replaces
    await actor.of_user.import_(path, "replace" if replaces else "skip")


async def converse(actor: Actor) -> None:
    """Turns of a conversation: what is flushed is stored."""
    context = actor.memory.context(actor.session)
    turns = [actor.words.note(actor.chance, actor.user.number) for _ in range(3)]
    actor.model.turns += turns
    actor.intent.fates |= {
        item.memory.id: Fate.FORGOTTEN for item in actor.held() if item.memory.provenance
    }
    for turn in turns:
        await context.append("user", turn)
    await context.window(max_tokens=200)
    await context.end()
    wanted = set().union(*map(tokens_in, turns))
    for memory in await actor.sight(actor.user):
        if tokens_in(memory.content) & wanted:
            wanted -= tokens_in(memory.content)
            actor.model.acknowledge(memory)
    require(not wanted, f"turns that were flushed are not stored: {sorted(wanted)}")


async def work(actor: Actor) -> None:
    """A task's working memory: seen by its user alone."""
    task = actor.memory.working("errand")
    await task.begin("an errand", resume=True)
    token = actor.words.token(actor.user.number)
    await task.set("/results/found", token)
    require(await task.read("/results/found") == token, "a task lost what was set")
    for other in USERS:
        if other != actor.user:
            elsewhere = actor.world.memory.scoped(
                tenant=other.tenant, user=other.name, agent=actor.agent
            )
            for found in await elsewhere.working_tasks():
                require(
                    found.key.scope.walls == other.walls,
                    f"a task of {found.key.scope.walls} showed to {other.walls}",
                )
    await task.discard()


async def wait(actor: Actor) -> None:
    """Time passes; now and then a clock is set back a little."""
    hours = actor.chance.choice((1, 6, 30, 30, 100, 300, -0.2, -2))
    actor.world.clock.advance(timedelta(hours=hours))


async def restart(actor: Actor) -> None:
    """Close in order, and open again."""
    await actor.world.reopen()


async def die(actor: Actor) -> None:
    """End without a farewell, and open again."""
    await actor.world.lose()


OPERATIONS: dict[Operation, int] = {
    remember: 18, remember_many: 6, observe: 10, correct: 5, update: 6, forget: 5, restore: 8,
    archive: 6, compress: 4, restore_archived: 3, erase: 7, recall: 6, find: 4, consolidate: 8,
    maintain: 5, evict: 2, export: 4, import_: 6, converse: 3, work: 1, wait: 8, restart: 3, die: 2,
}  # fmt: skip
"""Everything agents do, and how often."""
