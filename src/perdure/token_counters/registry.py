"""From a name in a configuration to a token counter.

    openai:MODEL          tiktoken, such as openai:gpt-4o; openai:cl100k_base names a vocabulary
    file:tokenizer.json   the tokenizer in a file of the `tokenizers` library (Hugging Face)

Nothing is downloaded. Where the library, the vocabulary or the file is not at hand, the estimate
stands in and its identity says so, since a count that is a little off is better than no window.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from perdure.domain.text import shown
from perdure.errors import Misconfigured
from perdure.ports.token_counter import TokenCounter
from perdure.token_counters.estimate import Estimate

log = logging.getLogger(__name__)


def resolve_token_counter(
    specification: str | Callable[[str], int], *, vocabularies: Path
) -> TokenCounter:
    """The counter a specification names; a function is handed through.

    `vocabularies` is the folder in which tiktoken keeps its files. Raises `Misconfigured` for a
    name that means nothing.
    """
    if not isinstance(specification, str):
        return specification
    kind, _, argument = specification.partition(":")
    if kind not in ("openai", "file") or not argument:
        raise Misconfigured(
            f"there is no token counter {shown(specification)}; write openai:MODEL, "
            "file:tokenizer.json, or give a function of a text"
        )
    found: TokenCounter | str
    if kind == "openai":
        from perdure.token_counters.tiktoken import tiktoken_counter

        found = tiktoken_counter(argument, vocabularies)
    else:
        from perdure.token_counters.tokenizers import tokenizers_counter

        found = tokenizers_counter(Path(argument))
    if isinstance(found, str):
        log.warning("token_counter.estimating", extra={"counter": specification, "cause": found})
        return Estimate(f"{specification}: {found}")
    return found
