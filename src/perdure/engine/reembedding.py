"""Making up for missing vectors, and moving a store to another model while reads go on."""

from __future__ import annotations

from datetime import timedelta

from perdure.domain.results import Reembedded
from perdure.domain.text import shown
from perdure.engine.core import Core
from perdure.errors import Conflict, InvalidInput, Misconfigured, Unavailable
from perdure.ports.embedder import Embedder

BATCH = 64
LEASE = "reembed"
LEASE_TIME = timedelta(minutes=5)
BACKLOG_PER_WRITE = 32


async def make_up_backlog(core: Core) -> int:
    """Embed some of what was stored while the embedder was out of reach; how many."""
    identity = core.embedding.identity
    if identity is None:
        return 0
    try:
        embedded, waiting = await _embed_some(core, identity, BACKLOG_PER_WRITE)
    except Unavailable:
        return 0
    core.embedding.backlog = waiting
    return embedded


async def _embed_some(
    core: Core, identity: str, limit: int, *, tokens: str | None = None
) -> tuple[int, bool]:
    """(how many got a vector, whether more may be waiting)."""
    waiting = await core.store.lacking_vectors(identity, tokens=tokens, limit=limit)
    if not waiting:
        return 0, False
    made = await core.embedding.vectors_or_fail(
        [item.searchable_text for item in waiting],
        speakers=[item.source.speaker for item in waiting],
    )
    stored = await core.store.put_vectors(
        {item.id: (item.version, vectors) for item, vectors in zip(waiting, made, strict=True)}
    )
    return stored, len(waiting) == limit


async def reembed(core: Core, embedder: Embedder | None) -> Reembedded:
    """Give every memory a vector by the embedder (None: the present one).

    Adopting another model takes the old vectors out of use at once; until a memory has its new
    vector it is found by its words. Can be interrupted at any point and called again. Raises
    `Conflict` while another process is doing it, and `Unavailable` when the embedder
    cannot be reached: what was done stays done.
    """
    if embedder is not None and not isinstance(embedder, Embedder):
        raise InvalidInput(
            f"reembed takes an embedder itself, not {shown(embedder)}; "
            "`perdure reembed --embedder` takes a name"
        )
    target = core.embedding.embedder if embedder is None else core.adapt_embedder(embedder)
    if target is None:
        raise Misconfigured("there is no embedder to re-embed with; pass embedder=…")
    owner = core.new_id(core.now())
    if not await core.store.lease(LEASE, owner=owner, now=core.now(), duration=LEASE_TIME):
        raise Conflict("another process is re-embedding this store; let it finish, then look again")
    try:
        await _adopt(core, target)
        return await _embed_everything(core, owner)
    finally:
        await core.store.release(LEASE, owner=owner)


async def _adopt(core: Core, target: Embedder) -> None:
    stored = await core.store.embedding_model()
    identity = target.model.identity
    if stored != identity and not await core.store.adopt_model(identity, replacing=stored):
        raise Conflict("another process has just changed the store's embedding model; look again")
    core.embedding.exchange(target)


async def _embed_everything(core: Core, owner: str) -> Reembedded:
    identity = core.embedding.identity
    assert identity is not None
    tokens = core.embedding.token_model
    embedded = 0
    while True:
        done, more = await _embed_some(core, identity, BATCH, tokens=tokens)
        embedded += done
        if not more and not done:
            break
        if not done:
            # Everything in the batch changed meanwhile; the next read sees the new versions.
            continue
        await core.store.lease(LEASE, owner=owner, now=core.now(), duration=LEASE_TIME)
    core.embedding.backlog = False
    remaining = len(await core.store.lacking_vectors(identity, tokens=tokens, limit=BATCH))
    return Reembedded(model=identity, embedded=embedded, remaining=remaining)
