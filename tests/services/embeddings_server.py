"""An HTTP server on this machine that speaks OpenAI's embeddings endpoint.

Its vectors are the hashing embedder's, so that they depend on the text. What it answers next can
be dictated, one answer per request; with nothing dictated it answers properly. Every request is
recorded.
"""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from perdure.embedders.hashing import HashingEmbedder
from perdure.ports.blocking import run_now


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What to send instead of the proper answer.

    `body` None: the proper answer, changed by `change` if given. `wait_for`: send only once the
    event is set. `is_cut`: close the connection without a word. `missing_bytes`: promise so many
    more than are sent, then close.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    change: Any = None
    wait_for: threading.Event | None = None
    is_cut: bool = False
    missing_bytes: int = 0


@dataclass(frozen=True)
class Request:
    """One recorded request."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    port: int

    @property
    def texts(self) -> list[str]:
        return list(self.body["input"])


class EmbeddingsServer:
    """The running server. `url` is the base URL to give to a client."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._lock = threading.Lock()
        self._dictated: deque[Answer] = deque()
        self._arrived = threading.Condition(self._lock)
        self.requests: list[Request] = []
        self.sends_base64 = True
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._http.daemon_threads = False
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def dictate(self, *answers: Answer) -> None:
        """Answer the next requests like this, in order of arrival."""
        with self._lock:
            self._dictated.extend(answers)

    def forget_dictated(self) -> None:
        """Answer properly from now on."""
        with self._lock:
            self._dictated.clear()

    def wait_for_requests(self, count: int, timeout_s: float = 10.0) -> None:
        """Return once so many requests have arrived in all."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.requests) >= count, timeout_s):
                raise TimeoutError(f"{len(self.requests)} of {count} requests arrived")

    def next_answer(self, request: Request) -> Answer:
        """Record the request; what to do with it."""
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
            return self._dictated.popleft() if self._dictated else Answer()

    def proper_answer(self, request: Request) -> dict[str, Any]:
        """The answer of a service in good health."""
        hashing = HashingEmbedder(request.body.get("dimensions", self._dimension))
        rows = run_now(hashing.embed(request.texts, purpose="document"))
        data = [
            {"object": "embedding", "index": index, "embedding": self._encoded(row, request)}
            for index, row in enumerate(rows)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "data": data, "model": request.body["model"], "usage": usage}

    def _encoded(self, row: Any, request: Request) -> str | list[float]:
        if self.sends_base64 and request.body.get("encoding_format") == "base64":
            return base64.b64encode(row.astype("<f4").tobytes()).decode()
        return [float(value) for value in row]

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


def _handler_of(server: EmbeddingsServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10
        # Headers and body are two writes; without this the second waits 40 ms for the first.
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(size))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.path, headers, body, self.client_address[1])
            answer = server.next_answer(request)
            if answer.wait_for is not None:
                answer.wait_for.wait(10)
            if answer.is_cut:
                self.close_connection = True
                return
            self._send(answer, request)

        def _send(self, answer: Answer, request: Request) -> None:
            content = answer.body
            if content is None:
                proper = server.proper_answer(request)
                if answer.change is not None:
                    proper = answer.change(proper)
                content = json.dumps(proper).encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content) + answer.missing_bytes))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = self.close_connection or answer.missing_bytes > 0

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

        def handle(self) -> None:
            # A client that gives up is what some tests are about.
            with contextlib.suppress(ConnectionError):
                super().handle()

    return Handler


@contextmanager
def embeddings_server(dimension: int = 1536) -> Iterator[EmbeddingsServer]:
    """A server for the length of a `with` block."""
    server = EmbeddingsServer(dimension)
    server.start()
    try:
        yield server
    finally:
        server.stop()
