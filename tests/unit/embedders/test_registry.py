from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from perdure.embedders.hashing import HashingEmbedder
from perdure.embedders.local import LocalEmbedder
from perdure.embedders.openai import OpenAIEmbedder
from perdure.embedders.registry import available, resolve_embedder
from perdure.errors import Misconfigured

PLUGIN = '''
import numpy as np
from perdure.ports.embedder import EmbeddingModel

class Constant:
    """A third-party embedder."""

    def __init__(self, dimension="3"):
        self.model = EmbeddingModel(name="constant", dimension=int(dimension))

    async def embed(self, texts, *, purpose):
        return np.tile(np.eye(1, self.model.dimension, dtype=np.float32), (len(texts), 1))

def not_an_embedder():
    return object()

def broken():
    raise RuntimeError("no licence")
'''
ENTRY_POINTS = """
[perdure.embedders]
constant = a_plugin_for_tests:Constant
odd = a_plugin_for_tests:not_an_embedder
broken = a_plugin_for_tests:broken
absent = a_plugin_for_tests:nothing_of_that_name
local = a_plugin_for_tests:Constant
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed distribution that offers embedders."""
    (tmp_path / "a_plugin_for_tests.py").write_text(PLUGIN)
    metadata = tmp_path / "a_plugin_for_tests-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: a-plugin-for-tests\nVersion: 1"
    )
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("a_plugin_for_tests", None)


def test_no_name_is_the_default() -> None:
    assert isinstance(resolve_embedder(None), LocalEmbedder)
    assert isinstance(resolve_embedder("default"), LocalEmbedder)
    assert isinstance(resolve_embedder("local"), LocalEmbedder)


def test_off_is_no_embedder() -> None:
    assert resolve_embedder("off") is None


@pytest.mark.parametrize(("name", "dimension"), [("hashing", 256), (" hashing:512 ", 512)])
def test_hashing_takes_its_dimension(name: str, dimension: int) -> None:
    embedder = resolve_embedder(name)
    assert isinstance(embedder, HashingEmbedder)
    assert embedder.model.dimension == dimension


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("openai", "text-embedding-3-small@1/1536"),
        ("openai:text-embedding-3-large", "text-embedding-3-large@1/3072"),
        ("openai:text-embedding-3-large?dimensions=256", "text-embedding-3-large@1/256"),
        ("openai:BAAI/bge-m3:latest?dimensions=1024", "BAAI/bge-m3:latest@1/1024"),
    ],
)
def test_a_service_takes_its_model_and_dimensions(name: str, identity: str) -> None:
    embedder = resolve_embedder(name, api_key="k", base_url="http://127.0.0.1:9/v1")
    assert isinstance(embedder, OpenAIEmbedder)
    assert embedder.model.identity == identity
    assert "127.0.0.1:9" in repr(embedder)


def test_the_key_is_handed_on() -> None:
    assert resolve_embedder("openai", api_key="k") is not None
    with pytest.raises(Misconfigured, match="api_key"):
        resolve_embedder("openai")


def test_an_embedder_is_handed_through() -> None:
    embedder = HashingEmbedder()
    assert resolve_embedder(embedder) is embedder


def test_something_else_is_refused() -> None:
    with pytest.raises(Misconfigured, match="int is no embedder"):
        resolve_embedder(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "there is no embedder ''"),
        ("hashing:", "nothing after its colon"),
        ("hashing:many", "whole number"),
        ("hashing:0", "whole number"),
        ("hashing:²", "whole number"),
        ("local:small", "takes no argument"),
        ("off:1", "takes no argument"),
        ("openai:m?dimension=3", "unknown option 'dimension'"),
        ("openai:m?dimensions=", "whole number"),
        ("openai:m", "how many dimensions has 'm'"),
    ],
)
def test_a_wrong_specification_says_what_is_wrong(name: str, complaint: str) -> None:
    with pytest.raises(Misconfigured, match=complaint.replace("?", r"\?")):
        resolve_embedder(name, api_key="k")


@pytest.mark.usefixtures("plugin")
def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(
        Misconfigured,
        match="no embedder 'word2vec'; there are: default, local, hashing, openai, "
        "off, absent, broken, constant, odd",
    ):
        resolve_embedder("word2vec")


@pytest.mark.usefixtures("plugin")
def test_an_installed_package_brings_its_embedder() -> None:
    assert "constant" in available()
    embedder = resolve_embedder("constant")
    assert embedder is not None
    assert embedder.model.identity == "constant@1/3"
    with_argument = resolve_embedder("constant:7")
    assert with_argument is not None
    assert with_argument.model.dimension == 7


@pytest.mark.usefixtures("plugin")
def test_an_installed_package_cannot_take_a_built_in_name() -> None:
    assert isinstance(resolve_embedder("local"), LocalEmbedder)


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("odd", "not_an_embedder is no embedder"),
        ("broken", r"a_plugin_for_tests:broken\) cannot be made: RuntimeError"),
        ("absent", "cannot be made: AttributeError"),
        ("constant:wide", "cannot be made: ValueError"),
    ],
)
def test_a_package_that_brings_no_embedder_is_named(name: str, complaint: str) -> None:
    with pytest.raises(Misconfigured, match=complaint):
        resolve_embedder(name)
