"""What must always hold, whatever happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import pairwise

from perdure.domain.batches import place_of
from perdure.domain.codec import encode
from perdure.domain.journal import canonical
from perdure.domain.records import Memory, State
from perdure.domain.replay import replay
from perdure.domain.scope import Scope
from perdure.errors import NotFound
from perdure.testing.simulator.acting import USERS, Actor, User
from perdure.testing.simulator.model import Fate, Known, Model
from perdure.testing.simulator.violation import Violation, require
from perdure.testing.simulator.words import tokens_in, wall_of

LEASES_RUN_OUT = timedelta(minutes=15)
"""Who died with a lease keeps others from the work until then."""
ORPHANS_MAY_STAY = timedelta(days=2)
"""`verify` removes batches that nothing points to when they are older than a day."""


async def check_user(actor: Actor, user: User) -> None:
    """What a user must see, and nothing else."""
    seen = {memory.id: memory for memory in await actor.sight(user)}
    for memory in seen.values():
        _require_own(memory, user)
        _require_wanted(actor.model, memory)
    for item in actor.model.of(user.walls):
        if (found := seen.get(item.memory.id)) is not None:
            _require_words(item, found)
            item.is_seen(found)
        elif Fate.HELD in item.fates and not item.is_held:
            item.is_missing()
        elif item.is_held:
            require(
                actor.model.may_be_gone(item),
                f"memory {item.memory.id} was acknowledged, and is lost",
            )
            item.fates = {Fate.FORGOTTEN}
    _require_one_at_a_time(seen.values())


def _require_own(memory: Memory, user: User) -> None:
    require(
        memory.scope.walls == user.walls,
        f"{user.walls} was shown {memory.id} of {memory.scope.walls}",
    )
    for token in tokens_in(memory.content):
        require(wall_of(token) == user.number, f"memory {memory.id} of {user.walls} tells {token}")


def _require_wanted(model: Model, memory: Memory) -> None:
    known = model.known.get(memory.id)
    if known is None:
        require(model.may_appear(memory), f"memory {memory.id} was stored by nobody")
        model.acknowledge(memory)
        return
    require(
        Fate.HELD in known.fates,
        f"memory {memory.id} is back although it was {'/'.join(sorted(known.fates))} on request",
    )


def _require_words(known: Known, memory: Memory) -> None:
    allowed = {known.words} | known.may_say
    match memory.state:
        case State.COMPRESSED:
            require(memory.archive is not None, f"the words of {memory.id} are nowhere")
        case State.ARCHIVED if not memory.content:
            require(memory.archive is not None, f"the words of {memory.id} are nowhere")
        case _:
            # What is drawn from others is worded anew when they change.
            require(
                memory.content in allowed or bool(memory.provenance),
                f"memory {memory.id} has other words than were acknowledged",
            )
            if memory.provenance:
                known.says(memory.content)


def _require_one_at_a_time(memories: Iterable[Memory]) -> None:
    slots: dict[tuple[Scope, str], list[Memory]] = defaultdict(list)
    for memory in memories:
        if memory.key is not None and memory.retired_at is None:
            slots[memory.scope, memory.key].append(memory)
    for (_, key), members in slots.items():
        members.sort(key=lambda item: (item.valid_from, item.id))
        for one, other in pairwise(members):
            ends = one.valid_to
            is_empty = other.valid_to is not None and other.valid_to <= other.valid_from
            require(
                is_empty or (ends is not None and ends <= other.valid_from),
                f"slot {key!r} has two values at one moment: {one.id} and {other.id}",
            )


async def check_archive(actor: Actor) -> None:
    """Every place that a memory names holds its whole words."""
    store, archive = actor.world.store, actor.world.archive
    for batch in await store.archived_batches():
        members = await store.archived_in(batch)
        away = [item for item in members if item.state is State.COMPRESSED or item.is_stub]
        if not away:
            continue
        try:
            rows = await archive.read(batch)
        except NotFound as error:
            raise Violation(f"memory {away[0].id} lies in a batch that is not there") from error
        for memory in away:
            whole = rows.get(place_of(str(memory.archive)).row)
            require(
                whole is not None and whole.memory.id == memory.id,
                f"memory {memory.id} is not where it says in the archive",
            )
            known = actor.model.known.get(memory.id)
            if whole is not None and known is not None:
                require(
                    whole.memory.content in {known.words} | known.may_say,
                    f"the archive has other words of {memory.id} than were acknowledged",
                )


async def check_sound(actor: Actor) -> None:
    """`verify` finds nothing that it cannot mend, and then nothing at all."""
    memory = actor.world.memory
    actor.world.clock.advance(LEASES_RUN_OUT)
    first = await memory.verify()
    require(first.ok, f"verify: {_told(first.problems)}")
    for problem in first.problems:
        require(
            problem.place == "archive" or "erase" in problem.problem,
            f"verify had to mend what no failure may break: {_told([problem])}",
        )
    second = await memory.verify(repair=False)
    require(not second.problems, f"verify after mending: {_told(second.problems)}")


def _told(problems: Sequence[object]) -> str:
    return "; ".join(map(str, problems[:3]))


async def check_journal(actor: Actor, user: User) -> None:
    """The journal tells the same as the store."""
    manager = actor.world.memory.scoped(tenant=user.tenant, user=user.name)
    rebuilt = replay(await manager.changes())
    for memory in await actor.sight(user):
        require(memory.id in rebuilt, f"the journal does not know {memory.id}")
        require(
            _believed(rebuilt[memory.id]) == _believed(memory),
            f"the journal tells otherwise of {memory.id} than the store",
        )


def _believed(memory: Memory) -> str:
    """Without recalls: those that are not written yet show in a listing."""
    document = encode(memory)
    document.pop("accessed_count", None)
    document.pop("last_accessed_at", None)
    return canonical(document)


async def check_erased(actor: Actor) -> None:
    """No listing and no journal holds what was erased, and certificates still hold."""
    gone = actor.model.erased_tokens()
    for user, certificate in actor.history.certificates:
        manager = actor.world.memory.scoped(tenant=user.tenant, user=user.name)
        wrong = await manager.verify(certificate, repair=False)
        require(not wrong.problems, f"a certificate does not hold: {_told(wrong.problems)}")
    if not gone:
        return
    for user in USERS:
        manager = actor.world.memory.scoped(tenant=user.tenant, user=user.name)
        texts = [canonical(dict(entry.change)) for entry in await manager.changes()]
        texts += [canonical(encode(memory)) for memory in await actor.sight(user)]
        for text in texts:
            _require_gone(text, gone, f"the journal or a listing of {user.walls}")


async def check_erased_from_archive(actor: Actor) -> None:
    """No batch holds what was erased, once `verify` removed what interruptions left over."""
    gone = actor.model.erased_tokens()
    archive = actor.world.archive
    for batch in await archive.batches():
        for whole in (await archive.read(batch)).values():
            _require_gone(canonical(encode(whole.memory)), gone, f"batch {batch}")


def _require_gone(text: str, gone: set[str], place: str) -> None:
    left = tokens_in(text) & gone
    require(not left, f"{place} still holds the erased {', '.join(sorted(left))}")


async def check_no_orphans(actor: Actor) -> None:
    """After `verify` the archive holds nothing that the store does not need."""
    actor.world.clock.advance(ORPHANS_MAY_STAY)
    await check_sound(actor)
    needed = await actor.world.store.archived_batches()
    left = set(await actor.world.archive.batches()) - needed.keys()
    require(not left, f"nothing points to batch {', '.join(sorted(left))}, and it stays")


async def check_restorable(actor: Actor) -> None:
    """Everything that was put away comes back with its words."""
    for user in USERS:
        manager = actor.world.memory.scoped(tenant=user.tenant, user=user.name)
        if actor.model.of(user.walls):
            await manager.restore_archived()
    for user in USERS:
        await check_user(actor, user)
        for memory in await actor.sight(user):
            require(
                memory.state is not State.COMPRESSED and not memory.is_stub,
                f"memory {memory.id} did not come back from the archive",
            )


def check_files(actor: Actor) -> None:
    """No byte of what was erased is left in the store's closed files."""
    gone = actor.model.erased_tokens()
    files = [
        path for path in actor.world.stage.folder.rglob("*")
        if path.is_file() and not path.name.startswith("export-")
    ]  # fmt: skip
    for path in files:
        data = path.read_bytes().lower()
        for token in gone:
            require(token.encode() not in data, f"the file {path.name} still holds {token}")


async def check_everything(actor: Actor) -> None:
    """All of it."""
    for user in USERS:
        await check_user(actor, user)
        await check_journal(actor, user)
    actor.model.pending.clear()
    await check_archive(actor)
    await check_sound(actor)
    await check_erased(actor)
