"""An HTTP server on this machine that speaks two chat protocols: OpenAI's and Anthropic's.

What the model "says" is dictated as text with `say`; everything below that (status, headers, a torn
body) as in `embeddings_server`, whose recording and dictating this is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.services.embeddings_server import EmbeddingsServer, Request

OPENAI_PATH, ANTHROPIC_PATH = "/v1/chat/completions", "/v1/messages"
INPUT_TOKENS, OUTPUT_TOKENS = 120, 30


class ChatServer(EmbeddingsServer):
    """The running server. `url` ends in /v1, as OpenAI's SDK wants it; `root` does not."""

    def __init__(self) -> None:
        super().__init__(1)
        self.said = '{"facts": [], "operations": []}'
        self.stopped = "stop"

    @property
    def root(self) -> str:
        return self.url.removesuffix("/v1")

    def say(self, text: str, *, stopped: str = "stop") -> None:
        """Have the model answer with this from now on; `stopped` in OpenAI's words."""
        self.said, self.stopped = text, stopped

    def proper_answer(self, request: Request) -> dict[str, Any]:
        if request.path == ANTHROPIC_PATH:
            return self._message(request.body)
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_900_000_000,
            "model": request.body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": self.stopped,
                    "message": {"role": "assistant", "content": self.said},
                }
            ],
            "usage": {
                "prompt_tokens": INPUT_TOKENS,
                "completion_tokens": OUTPUT_TOKENS,
                "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
            },
        }

    def _message(self, body: Mapping[str, Any]) -> dict[str, Any]:
        block: dict[str, Any] = {"type": "text", "text": self.said}
        if "tools" in body:
            block = {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "answer",
                "input": json.loads(self.said),
            }
        stops = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [block],
            "stop_reason": stops[self.stopped],
            "stop_sequence": None,
            "usage": {
                "input_tokens": INPUT_TOKENS - 20,
                "cache_read_input_tokens": 20,
                "output_tokens": OUTPUT_TOKENS,
            },
        }


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A server for the length of a `with` block."""
    server = ChatServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()
