"""Where configuration becomes objects: the only place that reads the environment."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import entry_points
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

from perdure.client import AsyncMemoryManager
from perdure.config import Settings
from perdure.domain import analysis
from perdure.domain.budget import estimate_tokens
from perdure.domain.journal import canonical
from perdure.domain.scope import Scope
from perdure.engine.access import AccessLog
from perdure.engine.core import Core
from perdure.engine.embedding import Embedding, require_same_model
from perdure.engine.gate import Gate
from perdure.engine.ids import IdFactory
from perdure.engine.short_term import ShortTermBuffers
from perdure.engine.upkeep import flush_accesses
from perdure.errors import InvalidInput, Misconfigured
from perdure.portal import DirectPortal, LoopedEmbedder, LoopPortal, Portal
from perdure.ports.blocking import is_blocking
from perdure.ports.clock import Clock
from perdure.ports.embedder import Embedder
from perdure.ports.store import Store
from perdure.threads import ThreadedEmbedder, threaded_store

STORE_GROUP = "perdure.stores"
URL_VARIABLE = "PERDURE_URL"
EMBEDDER_VARIABLE = "PERDURE_EMBEDDER"
WORKERS = 16

OpenStore = Callable[[], Awaitable[Store]]


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment, aware UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What a manager is made of, before it is decided how it runs."""

    store: Store
    embedder: Embedder | None
    clock: Clock
    settings: Settings
    warming: Thread | None


def default_url() -> str:
    """`PERDURE_URL`, or a file in the user's data folder."""
    named = os.environ.get(URL_VARIABLE)
    if named:
        return named
    import platformdirs

    folder = Path(platformdirs.user_data_dir("perdure", appauthor=False, ensure_exists=True))
    return str(folder / "memory.db")


def sqlite_file(url: str | Path) -> Path | None:
    """The file a URL names: a bare path or `sqlite:///path`; None for every other store."""
    text = str(url)
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() == "sqlite":
        return Path(_sqlite_path(text, rest))
    if separator and not (len(scheme) == 1 and scheme.isalpha()):
        return None
    if not text:
        raise InvalidInput("the path of the store is empty")
    return Path(text)


async def open_store(url: str | Path, settings: Settings) -> Store:
    """The store a URL names: `memory://`, a path or `sqlite:///path`, `postgresql://…`, or a
    scheme that an installed package offers in the entry point group `perdure.stores`."""
    file = sqlite_file(url)
    if file is not None:
        return _open_sqlite(file, settings)
    text = str(url)
    scheme = text.partition("://")[0]
    match scheme.lower():
        case "memory":
            from perdure.stores.memory import MemoryStore

            return MemoryStore()
        case "postgresql" | "postgres":
            from perdure.stores.postgres import open_postgres

            opened: Store = await open_postgres(text)
            return opened
        case _:
            return await _third_party(scheme, text)


def _sqlite_path(url: str, rest: str) -> str:
    """The path of `sqlite:///relative.db` or `sqlite:////absolute.db`."""
    if not rest.startswith("/") or len(rest) < 2:
        raise InvalidInput(
            f"{url!r} names no file; write sqlite:///file.db, sqlite:////folder/file.db or a path"
        )
    return unquote(urlsplit(url).path[1:])


def _open_sqlite(path: Path, settings: Settings) -> Store:
    from perdure.stores.sqlite import SqliteOptions, SqliteStore

    options = SqliteOptions(
        path=path,
        durability=settings.durability,
        vector_format=settings.vector_format,
        index_bytes=settings.index_bytes,
    )
    opened: Store = SqliteStore.open(options)
    return opened


async def _third_party(scheme: str, url: str) -> Store:
    for point in entry_points(group=STORE_GROUP):
        if point.name == scheme:
            made: Store = await point.load()(url)
            return made
    installed = sorted(point.name for point in entry_points(group=STORE_GROUP))
    known = ", ".join(["memory", "sqlite", "postgresql", *installed])
    raise Misconfigured(f"no store understands {scheme}:// URLs; installed are {known}")


def embedder_of(given: Embedder | str | None, settings: Settings) -> Embedder | None:
    """The embedder that `open` uses for what it is given; None takes `PERDURE_EMBEDDER`."""
    from perdure.embedders.caching import CachingEmbedder
    from perdure.embedders.registry import resolve_embedder

    chosen = resolve_embedder(given if given is not None else os.environ.get(EMBEDDER_VARIABLE))
    if chosen is None or settings.embedding_cache == 0 or isinstance(chosen, CachingEmbedder):
        return chosen
    return CachingEmbedder(chosen, capacity=settings.embedding_cache)


def _warm(embedder: Embedder | None) -> Thread | None:
    """Load a model in the background, so that the first answer need not wait for it."""
    warm_up = getattr(embedder, "warm_up", None)
    if warm_up is None:
        return None
    thread = Thread(target=warm_up, name="perdure-warm-up", daemon=True)
    thread.start()
    return thread


async def _parts(
    url: str | Path | None,
    embedder: Embedder | str | None,
    language_model: object,
    clock: Clock | None,
    settings: Settings | None,
) -> _Parts:
    if language_model is not None:
        raise Misconfigured(
            "this version takes no language model: it needs none, and would not use it"
        )
    chosen = settings if settings is not None else Settings()
    if not isinstance(chosen, Settings):
        raise InvalidInput(f"settings must be perdure.Settings, not {type(chosen).__name__}")
    model = embedder_of(embedder, chosen)
    store = await open_store(default_url() if url is None else url, chosen)
    try:
        if model is not None:
            require_same_model(await store.embedding_model(), model)
    except BaseException:
        await store.close()
        raise
    return _Parts(
        store=store,
        embedder=model,
        clock=clock if clock is not None else SystemClock(),
        settings=chosen,
        warming=_warm(model),
    )


class _Adapter:
    """Makes an embedder that comes later run the way its manager runs: on a loop, or without."""

    def __init__(self, *, on_loop: bool, pool: ThreadPoolExecutor | None) -> None:
        self._on_loop = on_loop
        self._pool = pool
        self._looped: list[LoopedEmbedder] = []

    def __call__(self, embedder: Embedder) -> Embedder:
        if is_blocking(embedder):
            return ThreadedEmbedder(embedder, self._pool) if self._on_loop else embedder
        if self._on_loop:
            return embedder
        self._looped.append(LoopedEmbedder(embedder))
        return self._looped[-1]

    def close(self) -> None:
        for embedder in self._looped:
            embedder.close()


def _assemble(
    parts: _Parts,
    store: Store,
    embedder: Embedder | None,
    pool: ThreadPoolExecutor | None,
    *,
    on_loop: bool = True,
) -> AsyncMemoryManager:
    embedding = Embedding(embedder, store)

    hashes: dict[str | None, str] = {}

    def hash_config() -> str:
        # Asked for at every call, and different only after a change of the embedding model.
        model = embedding.identity
        if model not in hashes:
            document = {
                **parts.settings.as_document(),
                "model": model,
                "analysis": analysis.VERSION,
            }
            digest = blake2b(canonical(document).encode("utf-8"), digest_size=8)
            hashes[model] = digest.hexdigest()
        return hashes[model]

    adapter = _Adapter(on_loop=on_loop, pool=pool)
    core = Core(
        store=store,
        embedding=embedding,
        clock=parts.clock,
        ids=IdFactory(os.urandom),
        settings=parts.settings,
        count_tokens=estimate_tokens,
        accesses=AccessLog(),
        short_term=ShortTermBuffers(store, parts.settings.short_term_size),
        hash_config=hash_config,
        adapt_embedder=adapter,
    )
    closed = False

    async def close() -> None:
        nonlocal closed
        if closed:
            return
        closed = True
        try:
            await flush_accesses(core)
        finally:
            await store.close()
            await _close_embedder(parts.embedder)
            adapter.close()
            if parts.warming is not None:
                parts.warming.join()
            if pool is not None:
                pool.shutdown(wait=True)

    return AsyncMemoryManager(core, Gate(), close, Scope())


async def _close_embedder(embedder: Embedder | None) -> None:
    aclose = getattr(embedder, "aclose", None)
    if aclose is not None:
        await aclose()


async def open_async(
    url: str | Path | None = None,
    *,
    embedder: Embedder | str | None = None,
    language_model: object = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
) -> AsyncMemoryManager:
    """Open a memory for asynchronous use; see `perdure.open`."""
    parts = await _parts(url, embedder, language_model, clock, settings)
    blocking_store = is_blocking(parts.store)
    blocking_embedder = parts.embedder is not None and is_blocking(parts.embedder)
    pool = (
        ThreadPoolExecutor(WORKERS, thread_name_prefix="perdure")
        if blocking_store or blocking_embedder
        else None
    )
    store, model = parts.store, parts.embedder
    if pool is not None and blocking_store:
        store = threaded_store(store, pool)
    if pool is not None and model is not None and blocking_embedder:
        model = ThreadedEmbedder(model, pool)
    return _assemble(parts, store, model, pool)


def open_blocking(
    url: str | Path | None,
    *,
    embedder: Embedder | str | None,
    language_model: object,
    clock: Clock | None,
    settings: Settings | None,
) -> tuple[AsyncMemoryManager, Portal]:
    """What the blocking client is made of; see `perdure.open`.

    Without an event loop where every part computes in the calling thread: a call then costs no
    switch of threads.
    """
    name_or_url = default_url() if url is None else url
    portal: Portal = DirectPortal() if _is_embedded(name_or_url) else LoopPortal()
    try:
        parts = portal.call(lambda: _parts(name_or_url, embedder, language_model, clock, settings))
    except BaseException:
        portal.close()
        raise
    needs_loop = not is_blocking(parts.store) or (
        parts.embedder is not None and not is_blocking(parts.embedder)
    )
    if not needs_loop:
        return _assemble(parts, parts.store, parts.embedder, None, on_loop=False), portal
    return _on_a_loop(parts, portal)


def _is_embedded(url: str | Path) -> bool:
    scheme, separator, _ = str(url).partition("://")
    return not separator or scheme.lower() in ("memory", "sqlite") or len(scheme) == 1


def _on_a_loop(parts: _Parts, portal: Portal) -> tuple[AsyncMemoryManager, Portal]:
    """Parts of which at least one needs an event loop, on one."""
    loop = portal if isinstance(portal, LoopPortal) else LoopPortal()
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="perdure")
    store = threaded_store(parts.store, pool) if is_blocking(parts.store) else parts.store
    model = parts.embedder
    if model is not None and is_blocking(model):
        model = ThreadedEmbedder(model, pool)
    return _assemble(parts, store, model, pool), loop
