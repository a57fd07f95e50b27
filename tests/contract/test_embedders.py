"""Every embedder of the package keeps the contract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from perdure.embedders.caching import CachingEmbedder
from perdure.embedders.channels import ChannelledEmbedder
from perdure.embedders.hashing import HashingEmbedder
from perdure.embedders.local import LocalEmbedder
from perdure.embedders.openai import OpenAIEmbedder
from perdure.embedders.scripted import ScriptedEmbedder
from perdure.ports.embedder import Embedder
from perdure.testing.contracts.embedder import EVERYDAY, EmbedderContract
from tests.services.embeddings_server import EmbeddingsServer, embeddings_server


class TestHashing(EmbedderContract):
    @pytest.fixture(params=[256, 1024, 8])
    def embedder(self, request: pytest.FixtureRequest) -> Embedder:
        return HashingEmbedder(request.param)


class TestScripted(EmbedderContract):
    knows_similarity = False

    @pytest.fixture
    def embedder(self) -> Embedder:
        return ScriptedEmbedder({EVERYDAY[0]: [1, 0, 0, 0], EVERYDAY[1]: [0, 1, 1, 0]})


class TestLocal(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return LocalEmbedder()


class TestLocalAsItIsUsed(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return CachingEmbedder(ChannelledEmbedder(LocalEmbedder()))


class TestCaching(EmbedderContract):
    @pytest.fixture(params=[1, 4096])
    def embedder(self, request: pytest.FixtureRequest) -> Embedder:
        return CachingEmbedder(HashingEmbedder(), capacity=request.param)


class TestChannelled(EmbedderContract):
    @pytest.fixture(params=[(1, 1), (16, 1), (3, 2)], ids=str)
    def embedder(self, request: pytest.FixtureRequest) -> Embedder:
        chunk_texts, workers = request.param
        return ChannelledEmbedder(HashingEmbedder(), chunk_texts=chunk_texts, workers=workers)


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingsServer]:
    with embeddings_server() as running:
        yield running


class TestOpenAI(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: EmbeddingsServer) -> Embedder:
        return OpenAIEmbedder(base_url=server.url, batch_size=50)


class TestCachedOpenAI(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: EmbeddingsServer) -> Embedder:
        return CachingEmbedder(OpenAIEmbedder(base_url=server.url, dimensions=512))
