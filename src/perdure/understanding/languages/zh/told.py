"""Chinese forms of plain facts about the world: `s` what it is about, `p` the slot, `o` the value."""

from __future__ import annotations

import re

NOT_TOLD = re.compile(
    "[？！?!：:；;\n]|我|你|您|咱|俺|也|还有|另|可能|也许|如果|不|没|现在|今天|昨天|明天|这|那|沒|還有|這|現在"
)
"""What is about the people talking, one of several, in doubt, denied, or only for a time."""

_NAME = "[^，,。的]{1,30}"
_VALUE = "[^，,。]{1,40}"
_MADE = "创立|创建|创办|开发|发明|设计|建造|执导|创作|演唱|編寫|创作|創立|創建|創辦|開發|發明|設計|建造|執導|創作"

FORMS = tuple(
    re.compile(f"{form}[。.]?")
    for form in (
        f"(?P<s>{_NAME}(?:的{_NAME})?)的(?P<p>{_NAME})是(?P<o>{_VALUE})",
        f"(?P<s>{_NAME})是?由(?P<o>{_VALUE}?)(?P<p>{_MADE})的?",
        f"(?P<s>{_NAME}?)(?P<p>位于|位於|出生于|出生於|创建于|創建於|成立于|成立於|逝世于|逝世於)(?P<o>{_VALUE})",
    )
)
