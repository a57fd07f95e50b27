"""Counting tokens exactly where a tokenizer is at hand, and saying so where none is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import perdure
from perdure import Misconfigured, Settings
from perdure.domain.budget import estimate_tokens
from perdure.ports.token_counter import identity_of
from perdure.testing import HashingEmbedder
from perdure.token_counters.registry import resolve_token_counter
from perdure.token_counters.tiktoken import TiktokenCounter


def counter(specification: str, folder: Path) -> perdure.ports.token_counter.TokenCounter:
    return resolve_token_counter(specification, vocabularies=folder)


def tokenizer_file(folder: Path) -> Path:
    """A tokenizer of whole words, in the format of the library."""
    path = folder / "tokenizer.json"
    document = {
        "version": "1.0",
        "truncation": {
            "direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0
        },
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"kiln": 0, "?": 1}, "unk_token": "?"},
    }  # fmt: skip
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["gpt-4o", "openai:", "file:", "hf:bert", "OPENAI:x", ""])
def test_a_name_that_means_nothing_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="token counter"):
        counter(name, tmp_path)


@pytest.mark.parametrize("name", ["openai:gpt-4o", "openai:no-such-model", "file:missing.json"])
def test_without_its_tokenizer_the_estimate_stands_in_and_says_so(
    name: str, tmp_path: Path
) -> None:
    made = counter(name, tmp_path)
    assert made("绿茶 tea") == estimate_tokens("绿茶 tea")
    assert identity_of(made).startswith(f"estimate ({name}: ")


def test_a_function_is_taken_as_it_is(tmp_path: Path) -> None:
    assert resolve_token_counter(len, vocabularies=tmp_path) is len
    assert identity_of(len) == "len"


def test_a_file_that_holds_no_tokenizer_is_told(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    made = counter(f"file:{tmp_path / 'tokenizer.json'}", tmp_path)
    assert made("four") == 1
    assert "estimate" in identity_of(made)


def test_a_tokenizer_file_counts_exactly(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    made = counter(f"file:{tokenizer_file(tmp_path)}", tmp_path)
    assert made("") == 0
    assert made("kiln kiln kiln river") == 4
    assert identity_of(made) == "tokenizers tokenizer.json"


def test_tiktoken_counts_control_tokens_as_text() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    encoding = tiktoken.Encoding(
        name="bytes",
        pat_str=r"\S+|\s+",
        mergeable_ranks={bytes([byte]): byte for byte in range(256)},
        special_tokens={"<|end|>": 256},
    )
    made = TiktokenCounter(encoding)
    assert made("窑 <|end|>") == len("窑 <|end|>".encode())
    assert made("") == 0
    assert identity_of(made) == "tiktoken bytes"


def test_the_counter_of_the_settings_is_the_one_windows_use() -> None:
    chosen = Settings(token_counter="file:missing.json")
    with perdure.open("memory://", embedder=HashingEmbedder(), settings=chosen) as memory:
        assert "missing.json" in memory.context("s1").window().counted_by
    with perdure.open("memory://", embedder=HashingEmbedder()) as memory:
        assert memory.context("s1").window().counted_by == "estimate"
