"""The formats there are."""

from __future__ import annotations

from perdure.domain.context.anthropic import AnthropicFormat
from perdure.domain.context.formats import Format
from perdure.domain.context.openai import OpenAIFormat
from perdure.domain.context.plain import PlainFormat

FORMATS: dict[str, Format] = {
    form.name: form for form in (OpenAIFormat(), AnthropicFormat(), PlainFormat())
}
