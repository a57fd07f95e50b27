"""Other people's words inside a block of a prompt: data that can neither end it nor pose as one."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?=\s*/?\s*(?:recalled_memories|working_memory|earlier_turns))", re.IGNORECASE)
_LINE_BREAKS = re.compile(r"\s*[\r\n\v\f\x85\u2028\u2029]+\s*")


def neutralised(content: str) -> str:
    """The content on one line, unable to close a block, to open one, or to start a line of its own."""
    return _TAG.sub("‹", _LINE_BREAKS.sub(" ⏎ ", content.strip()))
