"""What the documentation builds of a language works as it says."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "extending" / "add-a-language.md"


def test_the_language_on_the_page_is_read() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert any("TimeLanguage(" in block for block in blocks)
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), {})
