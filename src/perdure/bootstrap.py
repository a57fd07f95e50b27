"""Where configuration becomes objects: the only place that reads the environment."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

from perdure.client import AsyncMemoryManager
from perdure.config import Settings
from perdure.domain import analysis
from perdure.domain.journal import canonical
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.engine.access import AccessLog
from perdure.engine.archive_access import ArchiveLater
from perdure.engine.contexts import Contexts
from perdure.engine.core import Core
from perdure.engine.embedding import Embedding, require_same_model
from perdure.engine.gate import Gate
from perdure.engine.ids import IdFactory
from perdure.engine.maintenance_log import MaintenanceLog
from perdure.engine.short_term import ShortTermBuffers
from perdure.engine.understanding import OfflineUnderstanding
from perdure.engine.upkeep import flush_accesses
from perdure.errors import InvalidInput, Misconfigured, PerdureError
from perdure.files import usable_path
from perdure.ports.archive import Archive
from perdure.ports.blocking import is_blocking
from perdure.ports.clock import Clock, Entropy
from perdure.ports.embedder import Embedder
from perdure.ports.language_model import LanguageModel
from perdure.ports.store import Store
from perdure.ports.token_counter import TokenCounter
from perdure.ports.working_store import WorkingStore
from perdure.running import Direct, DirectPortal, Portal, Running
from perdure.scheduling import Schedule
from perdure.stores.sqlite import SqliteOptions, SqliteStore  # the default: opening it is quick
from perdure.token_counters.estimate import Estimate
from perdure.working_stores.memory import MemoryWorkingStore

log = logging.getLogger(__name__)

STORE_GROUP = "perdure.stores"
URL_VARIABLE = "PERDURE_URL"
EMBEDDER_VARIABLE = "PERDURE_EMBEDDER"
LANGUAGE_MODEL_VARIABLE = "PERDURE_LANGUAGE_MODEL"
SERVICE_KEY_VARIABLE = "OPENAI_API_KEY"
SERVICE_URL_VARIABLE = "OPENAI_BASE_URL"
ANTHROPIC_KEY_VARIABLE = "ANTHROPIC_API_KEY"
VOCABULARY_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
ANTHROPIC_URL_VARIABLE = "ANTHROPIC_BASE_URL"

_NO_FILE = (":memory:", "memory:")

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
    working: WorkingStore
    embedder: Embedder | None
    language_model: LanguageModel | None
    clock: Clock
    settings: Settings
    warming: Thread | None
    archive: str | Archive | None
    entropy: Entropy = os.urandom


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
    if not isinstance(url, str | Path):
        raise InvalidInput(f"a store is named by a path or a URL, not {shown(url)}")
    text = str(url)
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() == "sqlite":
        return _file_at(_sqlite_path(text, rest))
    if separator and not (len(scheme) == 1 and scheme.isalpha()):
        return None
    if not text:
        raise InvalidInput("the path of the store is empty")
    return _file_at(text)


def _file_at(path: str) -> Path:
    if path.lower().partition("?")[0].removeprefix("sqlite:").removeprefix("file:") in _NO_FILE:
        raise InvalidInput(
            f"{shown(path)} would be a file of that name; memory:// is a store without a file"
        )
    return usable_path(path)


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

            return MemoryStore(identity=os.urandom(8).hex())
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
    options = SqliteOptions(
        path=path,
        durability=settings.durability,
        vector_format=settings.vector_format,
        index_bytes=settings.index_bytes,
    )
    opened: Store = SqliteStore.open(options)
    return opened


async def _third_party(scheme: str, url: str) -> Store:
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    for point in entry_points(group=STORE_GROUP):
        if point.name == scheme:
            made: Store = await point.load()(url)
            return made
    installed = sorted(point.name for point in entry_points(group=STORE_GROUP))
    known = ", ".join(["memory", "sqlite", "postgresql", *installed])
    raise Misconfigured(f"no store understands {scheme}:// URLs; installed are {known}")


def archive_url(url: str | Path, settings: Settings) -> str | None:
    """Where the archive of a store lies; None where there is none."""
    if settings.archive is not None:
        return None if settings.archive == "off" else settings.archive
    file = sqlite_file(url)
    if file is not None:
        return f"{file.absolute()}.archive"
    return "memory://" if str(url).lower().startswith("memory://") else None


def _archive_of(given: str | Archive | None, store: Store, running: Running) -> Archive | None:
    """The archive at a URL, opened when first used; `Misconfigured` for one that names none."""
    if given is None or not isinstance(given, str):
        return None if given is None else running.archive(given)
    url = given
    if "://" in url:  # a path is always a place; a URL is looked at before anything is stored
        from perdure.archives.opening import location_of

        location_of(url)

    async def opened(identity: str) -> Archive:
        from perdure.archives.opening import open_archive

        return running.archive(await running.offload(open_archive, url, identity))

    def blank(identity: str) -> bool:
        from perdure.archives.opening import is_blank

        return is_blank(url, identity)

    return ArchiveLater(store.identity, opened, blank)


def working_store_of(settings: Settings) -> WorkingStore:
    """Where tasks under way are kept: what `settings.working` names, or the process."""
    if settings.working is None:
        return MemoryWorkingStore()
    from perdure.working_stores.redis import RedisWorkingStore

    shared: WorkingStore = RedisWorkingStore(settings.working, timeout_s=settings.working_timeout_s)
    return shared


def embedder_of(given: Embedder | str | None, settings: Settings) -> Embedder | None:
    """The embedder that `open` uses for what it is given; None takes `PERDURE_EMBEDDER`.

    `openai:…` goes to `OPENAI_BASE_URL` (OpenAI's own without it) with the key `OPENAI_API_KEY`.
    """
    from perdure.embedders.caching import CachingEmbedder
    from perdure.embedders.registry import resolve_embedder

    chosen = resolve_embedder(
        given if given is not None else os.environ.get(EMBEDDER_VARIABLE),
        api_key=os.environ.get(SERVICE_KEY_VARIABLE),
        base_url=os.environ.get(SERVICE_URL_VARIABLE),
    )
    if chosen is not None and getattr(chosen, "is_best_batched", False):
        from perdure.embedders.channels import ChannelledEmbedder

        # Several writers share batches, and a query gets in between them.
        chosen = ChannelledEmbedder(chosen)
    if chosen is None or settings.embedding_cache == 0 or isinstance(chosen, CachingEmbedder):
        return chosen
    return CachingEmbedder(chosen, capacity=settings.embedding_cache)


def language_model_of(given: LanguageModel | str | None) -> LanguageModel | None:
    """The language model that `open` uses for what it is given; None takes
    `PERDURE_LANGUAGE_MODEL`, and without it there is none.

    `openai:…` and `anthropic:…` go to `OPENAI_BASE_URL` and `ANTHROPIC_BASE_URL` (the services'
    own without them) with the keys `OPENAI_API_KEY` and `ANTHROPIC_API_KEY`.
    """
    chosen = given if given is not None else os.environ.get(LANGUAGE_MODEL_VARIABLE)
    if not chosen:
        return None
    from perdure.language_models.registry import Account, resolve_language_model

    return resolve_language_model(
        chosen,
        accounts={
            "openai": Account(
                api_key=os.environ.get(SERVICE_KEY_VARIABLE),
                base_url=os.environ.get(SERVICE_URL_VARIABLE),
            ),
            "anthropic": Account(
                api_key=os.environ.get(ANTHROPIC_KEY_VARIABLE),
                base_url=os.environ.get(ANTHROPIC_URL_VARIABLE),
            ),
        },
    )


def token_counter_of(given: str | Callable[[str], int] | None) -> TokenCounter:
    """The token counter that settings name; tiktoken's files are looked for where it keeps them."""
    if given is None:
        return Estimate()
    from tempfile import gettempdir

    from perdure.token_counters.registry import resolve_token_counter

    folder = next(filter(None, map(os.environ.get, VOCABULARY_VARIABLES)), None)
    vocabularies = Path(gettempdir()) / "data-gym-cache" if folder is None else Path(folder)
    return resolve_token_counter(given, vocabularies=vocabularies)


def _warm(embedder: Embedder | None) -> Thread | None:
    """Load a model in the background, so that the first answer need not wait for it."""
    warm_up: Callable[[], None] | None = getattr(embedder, "warm_up", None)
    if warm_up is None:
        return None

    def load() -> None:
        try:
            warm_up()
        except PerdureError as error:
            # Whoever needs the model first is told again, as an error of that call.
            log.warning("embedder.warm_up_failed", extra={"cause": str(error)})

    thread = Thread(target=load, name="perdure-warm-up", daemon=True)
    thread.start()
    return thread


async def _parts(
    url: str | Path | None,
    embedder: Embedder | str | None,
    language_model: LanguageModel | str | None,
    clock: Clock | None,
    settings: Settings | None,
) -> _Parts:
    chosen = settings if settings is not None else Settings()
    if not isinstance(chosen, Settings):
        raise InvalidInput(f"settings must be perdure.Settings, not {type(chosen).__name__}")
    if clock is not None and not callable(getattr(clock, "now", None)):
        raise InvalidInput(f"clock must have a method now(), which {type(clock).__name__} has not")
    model = embedder_of(embedder, chosen)
    reader = language_model_of(language_model)
    working = working_store_of(chosen)
    name_or_url = default_url() if url is None else url
    cold = archive_url(name_or_url, chosen)
    store = await open_store(name_or_url, chosen)
    try:
        if model is not None:
            require_same_model(await store.embedding_model(), model)
    except BaseException:
        await store.close()
        raise
    return _Parts(
        store=store,
        working=working,
        embedder=model,
        language_model=reader,
        clock=clock if clock is not None else SystemClock(),
        settings=chosen,
        warming=_warm(model),
        archive=cold,
    )


def _assemble(parts: _Parts, running: Running) -> AsyncMemoryManager:
    store = running.store(parts.store)
    embedder = None if parts.embedder is None else running.embedder(parts.embedder)
    embedding = Embedding(embedder, store)
    understanding = OfflineUnderstanding()
    proposer = None
    if parts.language_model is not None:
        from perdure.engine.proposing import Proposer

        timeout_s = parts.settings.language_model_timeout_s
        model = running.language_model(parts.language_model, timeout_s=timeout_s)
        proposer = Proposer(model, understanding)
    core = Core(
        store=store,
        embedding=embedding,
        understanding=understanding,
        clock=parts.clock,
        ids=IdFactory(parts.entropy),
        settings=parts.settings,
        count_tokens=token_counter_of(parts.settings.token_counter),
        accesses=AccessLog(),
        short_term=ShortTermBuffers(store, parts.settings.short_term_size),
        working=running.working_store(parts.working),
        contexts=Contexts(
            sessions=parts.settings.context_sessions, turns=parts.settings.context_turns
        ),
        maintenance=MaintenanceLog(),
        hash_config=_config_hash(
            parts.settings,
            embedding,
            understanding.identity if proposer is None else proposer.identity,
        ),
        searching=running.searching,
        archive=_archive_of(parts.archive, store, running),
        adapt_embedder=running.embedder,
        proposer=proposer,
    )
    gate = Gate()
    return AsyncMemoryManager(
        core,
        gate,
        closer=_closer(core, parts, running),
        running=running,
        schedule=Schedule(core, gate, running),
        scope=Scope(),
    )


def _config_hash(settings: Settings, embedding: Embedding, understanding: str) -> Callable[[], str]:
    """The hash of everything configured that decides answers."""
    hashes: dict[str | None, str] = {}

    def hash_config() -> str:
        # Asked for at every call, and different only after a change of the embedding model.
        model = embedding.identity
        if model not in hashes:
            document = {
                **settings.as_document(),
                "model": model,
                "analysis": analysis.VERSION,
                "understanding": understanding,
            }
            digest = blake2b(canonical(document).encode("utf-8"), digest_size=8)
            hashes[model] = digest.hexdigest()
        return hashes[model]

    return hash_config


def _closer(core: Core, parts: _Parts, running: Running) -> Callable[[], Awaitable[None]]:
    """What closes a manager's parts, once."""
    is_closed = False

    async def close() -> None:
        nonlocal is_closed
        if is_closed:
            return
        is_closed = True
        try:
            if core.contexts.all():
                from perdure.engine.context import flush_all

                await flush_all(core)
            await flush_accesses(core)
        finally:
            await core.store.close()
            if parts.warming is not None:
                await running.offload(parts.warming.join)
            await running.close()

    return close


async def open_async(
    url: str | Path | None = None,
    *,
    embedder: Embedder | str | None = None,
    language_model: LanguageModel | str | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
) -> AsyncMemoryManager:
    """Open a memory for asynchronous use; see `perdure.open`."""
    from perdure.looping import OnLoop

    parts = await _parts(url, embedder, language_model, clock, settings)
    memory = _assemble(parts, OnLoop())
    await _begin_upkeep(memory, parts)
    return memory


async def _begin_upkeep(memory: AsyncMemoryManager, parts: _Parts) -> None:
    if parts.settings.maintenance_every is not None:
        await memory.start_maintenance(parts.settings.maintenance_every)


async def open_over(
    store: Store,
    *,
    archive: Archive | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    entropy: Entropy = os.urandom,
) -> AsyncMemoryManager:
    """A memory over a store and an archive that are open already, for tests of back-ends.

    Without `embedder` and `archive` there is none; the environment is not read. `entropy` draws
    the random part of ids. With a blocking store, archive and embedder no call of it ever waits
    for an event loop (`perdure.ports.blocking.run_now`). Closing it closes the store.
    """
    from perdure.looping import OnLoop

    parts = _Parts(
        store=store,
        working=MemoryWorkingStore(),
        embedder=embedder,
        language_model=None,
        clock=clock if clock is not None else SystemClock(),
        settings=settings if settings is not None else Settings(),
        warming=None,
        archive=archive,
        entropy=entropy,
    )
    return _assemble(parts, Direct() if is_blocking(store) else OnLoop())


def open_blocking(
    url: str | Path | None,
    *,
    embedder: Embedder | str | None,
    language_model: LanguageModel | str | None,
    clock: Clock | None,
    settings: Settings | None,
) -> tuple[AsyncMemoryManager, Portal]:
    """What the blocking client is made of; see `perdure.open`.

    A store that computes in the calling thread is used there; one that needs an event loop gets
    one in a thread of its own.
    """
    name_or_url = default_url() if url is None else url
    portal = _portal_for(name_or_url)
    try:
        parts = portal.call(lambda: _parts(name_or_url, embedder, language_model, clock, settings))
    except BaseException:
        portal.close()
        raise
    memory = _assemble(parts, _running_on(portal))
    portal.call(lambda: _begin_upkeep(memory, parts))
    return memory, portal


def _portal_for(url: str | Path) -> Portal:
    scheme, separator, _ = str(url).partition("://")
    if not separator or scheme.lower() in ("memory", "sqlite") or len(scheme) == 1:
        return DirectPortal()
    from perdure.looping import LoopPortal

    return LoopPortal()


def _running_on(portal: Portal) -> Running:
    if isinstance(portal, DirectPortal):
        return Direct()
    from perdure.looping import OnLoop

    return OnLoop()
