from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from perdure.embedders.caching import CachingEmbedder
from perdure.embedders.openai import OpenAIEmbedder
from perdure.errors import EmbedderUnavailable, InvalidInput
from perdure.ports.blocking import is_blocking, run_now
from perdure.ports.embedder import Embedder, FloatArray, Purpose
from tests.unit.embedders.recording import RecordingEmbedder


def embed(embedder: Embedder, *texts: str, purpose: Purpose = "document") -> FloatArray:
    return run_now(embedder.embed(texts, purpose=purpose))


def test_a_known_text_is_not_embedded_again() -> None:
    inner = RecordingEmbedder()
    cache = CachingEmbedder(inner)
    first = embed(cache, "a", "b")
    assert np.array_equal(embed(cache, "b", "c", "a"), embed(RecordingEmbedder(), "b", "c", "a"))
    assert inner.texts == ["a", "b", "c"]
    assert np.array_equal(embed(cache, "a", "b"), first)
    assert cache.kept == 3


def test_a_text_twice_in_one_call_is_embedded_once() -> None:
    inner = RecordingEmbedder()
    found = embed(CachingEmbedder(inner), "a", "b", "a", "a")
    assert inner.texts == ["a", "b"]
    assert np.array_equal(found[[0, 0]], found[[2, 3]])


def test_the_least_recently_used_vector_goes_first() -> None:
    inner = RecordingEmbedder()
    cache = CachingEmbedder(inner, capacity=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        embed(cache, text)
    assert inner.texts == ["a", "b", "c", "b"]
    assert cache.kept == 2


def test_a_batch_larger_than_the_cache_is_answered_in_full() -> None:
    cache = CachingEmbedder(RecordingEmbedder(), capacity=2)
    texts = [str(number) for number in range(10)]
    assert np.array_equal(embed(cache, *texts), embed(RecordingEmbedder(), *texts))
    assert cache.kept == 2


def test_the_bytes_are_bounded_as_well() -> None:
    # 32 dimensions take 128 bytes and an entry about 300 more.
    cache = CachingEmbedder(RecordingEmbedder(), capacity_bytes=3_000)
    embed(cache, *(str(number) for number in range(50)))
    assert 4 <= cache.kept <= 10


@pytest.mark.parametrize(("is_symmetric", "times"), [(True, 1), (False, 2)])
def test_purposes_are_told_apart_where_the_model_does(is_symmetric: bool, times: int) -> None:
    inner = RecordingEmbedder(is_symmetric=is_symmetric)
    cache = CachingEmbedder(inner)
    for _ in range(2):
        query = embed(cache, "a", purpose="query")
        document = embed(cache, "a", purpose="document")
    assert len(inner.calls) == times
    assert np.array_equal(query, document) == is_symmetric


def test_the_same_text_is_told_apart_from_one_with_another_lone_surrogate() -> None:
    inner = RecordingEmbedder()
    embed(CachingEmbedder(inner), "\ud800", "\udfff")
    assert len(inner.texts) == 2


def test_a_failure_is_not_remembered() -> None:
    failures = [EmbedderUnavailable("down")]

    def fail_once(texts: list[str], purpose: Purpose) -> None:
        if failures:
            raise failures.pop()

    cache = CachingEmbedder(RecordingEmbedder(fail_once))
    with pytest.raises(EmbedderUnavailable):
        embed(cache, "a")
    assert cache.kept == 0
    assert embed(cache, "a").shape == (1, 32)


def test_changing_a_result_does_not_change_what_is_remembered() -> None:
    cache = CachingEmbedder(RecordingEmbedder())
    first = embed(cache, "a")
    kept = first.copy()
    first[:] = 0.0
    second = embed(cache, "a")
    assert np.array_equal(second, kept)
    second[:] = 0.0
    assert np.array_equal(embed(cache, "a"), kept)


def test_an_embedder_that_uses_its_array_again_spoils_nothing() -> None:
    class Reusing(RecordingEmbedder):
        rows = np.empty((1, 32), dtype=np.float32)

        async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
            self.rows[:] = await super().embed(texts, purpose=purpose)
            return self.rows

    cache = CachingEmbedder(Reusing())
    first = embed(cache, "a").copy()
    embed(cache, "b")
    assert np.array_equal(embed(cache, "a"), first)


def test_clearing_forgets_every_vector() -> None:
    inner = RecordingEmbedder()
    cache = CachingEmbedder(inner)
    embed(cache, "a")
    cache.clear()
    assert cache.kept == 0
    embed(cache, "a")
    assert inner.texts == ["a", "a"]


def test_what_is_computed_while_the_cache_is_cleared_is_not_kept() -> None:
    cache: CachingEmbedder

    def clear_meanwhile(texts: list[str], purpose: Purpose) -> None:
        cache.clear()

    cache = CachingEmbedder(RecordingEmbedder(clear_meanwhile))
    assert embed(cache, "erased").shape == (1, 32)
    assert cache.kept == 0


def test_an_empty_cache_is_still_an_embedder() -> None:
    assert CachingEmbedder(RecordingEmbedder())


def test_texts_are_not_kept() -> None:
    cache = CachingEmbedder(RecordingEmbedder())
    embed(cache, "a secret nobody should keep")
    assert "secret" not in repr(vars(cache))


def test_everything_else_is_the_inner_embedders() -> None:
    inner = RecordingEmbedder(is_symmetric=False)
    cache = CachingEmbedder(inner)
    assert cache.model == inner.model
    assert is_blocking(cache)
    assert not cache.is_symmetric
    cache.warm_up()
    run_now(cache.aclose())
    assert inner.was_warmed
    assert inner.was_closed


def test_an_embedder_without_extras_can_be_cached() -> None:
    class Bare:
        model = RecordingEmbedder().model

        async def embed(self, texts: list[str], *, purpose: Purpose) -> FloatArray:
            await asyncio.sleep(0)
            return np.tile(np.eye(1, 32, dtype=np.float32), (len(texts), 1))

    cache = CachingEmbedder(Bare())
    cache.warm_up()
    assert not is_blocking(cache)
    assert not cache.is_symmetric
    assert asyncio.run(cache.embed(["a"], purpose="query")).shape == (1, 32)
    asyncio.run(cache.aclose())


def test_a_cached_service_still_needs_the_event_loop() -> None:
    service = OpenAIEmbedder(base_url="http://127.0.0.1:9/v1")
    assert not is_blocking(CachingEmbedder(service))


@pytest.mark.parametrize("bounds", [{"capacity": 0}, {"capacity_bytes": 0}])
def test_a_cache_without_room_is_refused(bounds: dict[str, int]) -> None:
    with pytest.raises(InvalidInput, match="room"):
        CachingEmbedder(RecordingEmbedder(), **bounds)
