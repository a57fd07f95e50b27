"""Against a real HTTP server on this machine."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import traceback
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perdure.embedders.hashing import HashingEmbedder
from perdure.embedders.openai import OpenAIEmbedder
from perdure.errors import (
    Closed,
    EmbedderRejected,
    EmbedderUnavailable,
    InvalidInput,
    Misconfigured,
)
from perdure.ports.blocking import run_now
from perdure.ports.embedder import FloatArray, Purpose
from tests.services.embeddings_server import Answer, EmbeddingsServer, embeddings_server

KEY = "sk-a-very-secret-key"
TEXTS = ["plain", "中文也可以。", "emoji 👩‍👩‍👧 and 🎉", "naïve “quotes”\n\ttabs"]


@pytest.fixture
def server() -> Iterator[EmbeddingsServer]:
    with embeddings_server(8) as running:
        yield running


class Naps:
    """Instead of sleeping: remembers for how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def naps() -> Naps:
    return Naps()


def client(server: EmbeddingsServer, **options: Any) -> OpenAIEmbedder:
    given: dict[str, Any] = {"base_url": server.url, "api_key": KEY, "dimensions": 8}
    return OpenAIEmbedder("small", **{**given, "jitter": lambda: 1.0, **options})


def embed(embedder: OpenAIEmbedder, *texts: str, purpose: Purpose = "document") -> FloatArray:
    return asyncio.run(_embed(embedder, *texts, purpose=purpose))


async def _embed(
    embedder: OpenAIEmbedder, *texts: str, purpose: Purpose = "document"
) -> FloatArray:
    return await embedder.embed(texts, purpose=purpose)


def hashed(*texts: str) -> FloatArray:
    return run_now(HashingEmbedder(8).embed(texts, purpose="document"))


def test_texts_go_out_and_their_vectors_come_back(server: EmbeddingsServer) -> None:
    rows = embed(client(server), *TEXTS)
    assert rows.dtype == np.float32
    assert np.allclose(rows, hashed(*TEXTS), atol=1e-6)
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.texts == TEXTS
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["model"] == "small"
    assert "dimensions" not in request.body


def test_a_service_that_sends_numbers_instead_of_base64_is_understood(
    server: EmbeddingsServer,
) -> None:
    server.sends_base64 = False
    assert np.allclose(embed(client(server), *TEXTS), hashed(*TEXTS), atol=1e-6)


def test_vectors_are_scaled_to_unit_length(server: EmbeddingsServer) -> None:
    server.dictate(Answer(change=with_vectors([3.0, 4.0, 0, 0, 0, 0, 0, 0])))
    assert embed(client(server), "a").tolist() == [pytest.approx([0.6, 0.8, 0, 0, 0, 0, 0, 0])]


def test_no_texts_cost_no_request(server: EmbeddingsServer) -> None:
    assert embed(client(server)).shape == (0, 8)
    assert server.requests == []


@pytest.mark.parametrize(
    ("model", "dimension"),
    [
        ("text-embedding-3-small", 1536),
        ("text-embedding-3-large", 3072),
        ("text-embedding-ada-002", 1536),
    ],
)
def test_openais_own_models_need_no_dimensions(model: str, dimension: int) -> None:
    embedder = OpenAIEmbedder(model, api_key=KEY)
    assert embedder.model.identity == f"{model}@1/{dimension}"


@pytest.mark.parametrize(
    ("model", "options", "sent"),
    [
        ("text-embedding-3-large", {}, None),
        ("text-embedding-3-large", {"dimensions": 3072}, None),
        ("text-embedding-3-large", {"dimensions": 8}, 8),
        ("bge-m3", {"dimensions": 8}, None),
        ("bge-m3", {"dimensions": 8, "send_dimensions": True}, 8),
        ("text-embedding-3-large", {"dimensions": 8, "send_dimensions": False}, None),
    ],
)
def test_dimensions_are_sent_only_where_they_shorten(
    server: EmbeddingsServer, model: str, options: dict[str, Any], sent: int | None
) -> None:
    embedder = OpenAIEmbedder(model, base_url=server.url, **options)
    server.dictate(Answer(change=with_width(embedder.model.dimension)))
    embed(embedder, "a")
    assert server.requests[0].body.get("dimensions") == sent


def test_a_model_of_unknown_width_must_be_told() -> None:
    with pytest.raises(Misconfigured, match=r"'bge-m3'\? Pass dimensions"):
        OpenAIEmbedder("bge-m3", api_key=KEY)


def test_a_service_of_ones_own_needs_no_key(server: EmbeddingsServer) -> None:
    assert embed(client(server, api_key=None), "a").shape == (1, 8)


def test_openai_needs_a_key() -> None:
    with pytest.raises(Misconfigured, match="api_key"):
        OpenAIEmbedder()


def test_the_environment_is_not_consulted(
    server: EmbeddingsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(Misconfigured, match="api_key"):
        OpenAIEmbedder()
    embed(client(server, api_key=None), "a")
    assert "environment" not in server.requests[0].headers["authorization"]


def test_a_missing_sdk_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(Misconfigured, match=r'pip install "perdure\[openai\]"'):
        OpenAIEmbedder(api_key=KEY)


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0},
        {"batch_tokens": 0},
        {"max_tokens": 0},
        {"timeout_s": 0.0},
        {"max_retries": -1},
    ],
)
def test_a_setting_out_of_range_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        OpenAIEmbedder(api_key=KEY, **options)


# --- batches ----------------------------------------------------------------------------------


def test_many_texts_go_out_in_batches_and_return_in_order(server: EmbeddingsServer) -> None:
    texts = [f"text {number}" for number in range(25)]
    rows = embed(client(server, batch_size=10), *texts)
    assert np.allclose(rows, hashed(*texts), atol=1e-6)
    assert sorted(len(request.texts) for request in server.requests) == [5, 10, 10]


def test_batches_are_bounded_by_tokens(server: EmbeddingsServer) -> None:
    embed(client(server, batch_tokens=100), *["x" * 160] * 5)
    assert sorted(len(request.texts) for request in server.requests) == [1, 2, 2]


def test_only_the_beginning_of_a_long_text_is_sent(server: EmbeddingsServer) -> None:
    embed(client(server, max_tokens=50), "word " * 1000)
    assert server.requests[0].texts == ["word " * 40]


@pytest.mark.parametrize("text", ["", "  \n", "\u3000", "\x00"])
def test_a_blank_text_is_sent_as_something_services_accept(
    server: EmbeddingsServer, text: str
) -> None:
    assert embed(client(server), text).shape == (1, 8)
    assert server.requests[0].texts == ["."]


def test_what_no_service_can_read_is_replaced(server: EmbeddingsServer) -> None:
    embed(client(server), "half \ud83d of it", "a\x00b")
    assert server.requests[0].texts == ["half \ufffd of it", "a\ufffdb"]


def test_at_most_four_batches_are_under_way(server: EmbeddingsServer) -> None:
    release = threading.Event()
    server.dictate(*[Answer(wait_for=release)] * 9)
    embedder = client(server, batch_size=1)

    async def run() -> None:
        bulk = asyncio.create_task(_embed(embedder, *[str(number) for number in range(9)]))
        await asyncio.to_thread(server.wait_for_requests, 4)
        await asyncio.sleep(0.1)
        assert len(server.requests) == 4
        release.set()
        assert (await bulk).shape == (9, 8)

    asyncio.run(run())


def test_a_query_does_not_wait_behind_a_bulk_write(server: EmbeddingsServer) -> None:
    release = threading.Event()
    server.dictate(*[Answer(wait_for=release)] * 4)
    embedder = client(server, batch_size=1)

    async def run() -> None:
        bulk = asyncio.create_task(_embed(embedder, *[str(number) for number in range(40)]))
        await asyncio.to_thread(server.wait_for_requests, 4)
        answer = await asyncio.wait_for(_embed(embedder, "a question", purpose="query"), 10)
        assert answer.shape == (1, 8)
        assert not bulk.done()
        release.set()
        assert (await bulk).shape == (40, 8)

    asyncio.run(run())


def test_a_failed_batch_cancels_the_others(server: EmbeddingsServer) -> None:
    release = threading.Event()
    server.dictate(Answer(wait_for=release), Answer(status=400, body=b"{}"))
    embedder = client(server, batch_size=1)

    async def run() -> None:
        bulk = asyncio.create_task(_embed(embedder, *[str(number) for number in range(40)]))
        with pytest.raises(EmbedderRejected, match="status 400"):
            await asyncio.wait_for(bulk, 10)
        release.set()

    asyncio.run(run())
    assert len(server.requests) < 40


# --- trying again -----------------------------------------------------------------------------


def refused(status: int, code: str | None = None, **headers: str) -> Answer:
    error = {"error": {"message": f"{KEY} plain words", "code": code, "type": "x"}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers=named, body=json.dumps(error).encode())


def test_a_rate_limit_is_waited_out_as_long_as_asked(server: EmbeddingsServer, naps: Naps) -> None:
    server.dictate(refused(429, retry_after="7"), refused(429, retry_after_ms="1500"))
    assert embed(client(server, sleep=naps), "a").shape == (1, 8)
    assert naps.seconds == [7.0, 1.5]
    assert [request.texts for request in server.requests] == [["a"]] * 3


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_a_passing_failure_is_tried_again_with_growing_delays(
    server: EmbeddingsServer, naps: Naps, status: int
) -> None:
    server.dictate(*[refused(status)] * 3)
    assert embed(client(server, sleep=naps), "a").shape == (1, 8)
    assert naps.seconds == [0.5, 1.0, 2.0]


def test_it_gives_up_after_the_last_retry(server: EmbeddingsServer, naps: Naps) -> None:
    server.dictate(*[refused(500)] * 9)
    with pytest.raises(EmbedderUnavailable, match=r"status 500 \(asked 3 times\)"):
        embed(client(server, sleep=naps, max_retries=2), "a")
    assert len(server.requests) == 3


def test_without_retries_it_asks_once(server: EmbeddingsServer, naps: Naps) -> None:
    server.dictate(refused(500))
    with pytest.raises(EmbedderUnavailable, match="asked once"):
        embed(client(server, sleep=naps, max_retries=0), "a")
    assert naps.seconds == []


@pytest.mark.parametrize(("purpose", "is_patient"), [("document", True), ("query", False)])
def test_a_query_does_not_wait_long_for_a_second_try(
    server: EmbeddingsServer, naps: Naps, purpose: Purpose, is_patient: bool
) -> None:
    server.dictate(refused(429, retry_after="30"))
    embedder = client(server, sleep=naps)
    if is_patient:
        assert embed(embedder, "a", purpose=purpose).shape == (1, 8)
        return
    with pytest.raises(EmbedderUnavailable, match="asks to wait 30 s"):
        embed(embedder, "a", purpose=purpose)
    assert naps.seconds == []


def test_a_service_that_says_not_to_try_again_is_obeyed(
    server: EmbeddingsServer, naps: Naps
) -> None:
    server.dictate(refused(500, x_should_retry="false"))
    with pytest.raises(EmbedderRejected):
        embed(client(server, sleep=naps), "a")


def test_a_slow_answer_is_given_up_and_tried_again(server: EmbeddingsServer, naps: Naps) -> None:
    release = threading.Event()
    server.dictate(Answer(wait_for=release))
    try:
        assert embed(client(server, sleep=naps, timeout_s=0.3), "a").shape == (1, 8)
    finally:
        release.set()
    assert len(server.requests) == 2


def test_answers_that_stay_out_are_unavailable(server: EmbeddingsServer, naps: Naps) -> None:
    release = threading.Event()
    server.dictate(*[Answer(wait_for=release)] * 2)
    try:
        with pytest.raises(EmbedderUnavailable, match="did not answer in time"):
            embed(client(server, sleep=naps, timeout_s=0.3, max_retries=1), "a")
    finally:
        release.set()


def test_a_lost_connection_is_tried_again(server: EmbeddingsServer, naps: Naps) -> None:
    server.dictate(Answer(is_cut=True), Answer(is_cut=True))
    assert embed(client(server, sleep=naps), "a").shape == (1, 8)
    assert naps.seconds == [0.5, 1.0]


def test_a_service_nobody_runs_is_unavailable(naps: Naps) -> None:
    embedder = OpenAIEmbedder("m", base_url="http://127.0.0.1:9/v1", dimensions=8, sleep=naps)
    with pytest.raises(
        EmbedderUnavailable, match=r"at http://127\.0\.0\.1:9/v1 .* cannot be reach"
    ):
        embed(embedder, "a")
    assert len(naps.seconds) == 4


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (refused(401, "invalid_api_key"), r"status 401 \(invalid_api_key\); check the API key"),
        (refused(403), "status 403; check what the API key may do"),
        (
            refused(404, "model_not_found"),
            r"status 404 \(model_not_found\); check the model's name",
        ),
        (refused(400, "context_length_exceeded"), r"status 400 \(context_length_exceeded\)$"),
        (refused(413), "status 413; lower batch_size"),
        (refused(422), "status 422$"),
        (refused(501), "status 501$"),
        (refused(429, "insufficient_quota", retry_after="1"), "insufficient_quota.*quota"),
        (refused(400, "Something With " + KEY), "status 400$"),
    ],
)
def test_a_refusal_is_not_tried_again(
    server: EmbeddingsServer, naps: Naps, answer: Answer, message: str
) -> None:
    server.dictate(answer)
    with pytest.raises(EmbedderRejected, match=message):
        embed(client(server, sleep=naps), "a")
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 400, 500])
def test_neither_key_nor_text_is_shown(server: EmbeddingsServer, naps: Naps, status: int) -> None:
    """The server repeats both in its message, as some do."""
    server.dictate(refused(status))
    with pytest.raises((EmbedderRejected, EmbedderUnavailable)) as raised:
        embed(client(server, sleep=naps, max_retries=0), "plain words")
    shown = "".join(traceback.format_exception(raised.value, limit=0))
    assert KEY not in shown
    assert "plain words" not in shown
    assert KEY not in repr(client(server))


def test_the_cause_is_kept(server: EmbeddingsServer, naps: Naps) -> None:
    server.dictate(Answer(status=400, body=b'{"error": {"message": "no"}}'))
    with pytest.raises(EmbedderRejected) as raised:
        embed(client(server, sleep=naps), "a")
    assert type(raised.value.__cause__).__name__ == "BadRequestError"


# --- answers that are not what they should be -------------------------------------------------


def with_data(change: Any) -> Any:
    return lambda proper: {**proper, "data": change(proper["data"])}


def with_vectors(*vectors: object) -> Any:
    return with_data(
        lambda data: [
            {**item, "embedding": vector} for item, vector in zip(data, vectors, strict=True)
        ]
    )


def with_width(width: int) -> Any:
    return with_data(
        lambda data: [{**item, "embedding": [1.0] + [0.0] * (width - 1)} for item in data]
    )


def without_index(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"object": item["object"], "embedding": item["embedding"]} for item in data]


def test_vectors_out_of_order_are_put_in_order(server: EmbeddingsServer) -> None:
    server.dictate(Answer(change=with_data(lambda data: data[::-1])))
    assert np.allclose(embed(client(server), *TEXTS), hashed(*TEXTS), atol=1e-6)


def test_vectors_without_index_are_taken_in_order(server: EmbeddingsServer) -> None:
    server.dictate(Answer(change=with_data(without_index)))
    assert np.allclose(embed(client(server), *TEXTS), hashed(*TEXTS), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_width(5), r"5 dimensions where 8 were expected.*dimensions=5"),
        (with_data(lambda data: data[:1]), "1 vectors for 2 texts"),
        (with_data(lambda data: data * 2), "4 vectors for 2 texts"),
        (with_data(lambda data: []), "0 vectors for 2 texts"),
        (with_vectors([0.0] * 8, [1.0] * 8), "vector of zeros"),
        (with_vectors([float("nan")] * 8, [1.0] * 8), "vector of zeros or of no numbers"),
    ],
    ids=["width", "too few", "too many", "none", "zero", "NaN"],
)
def test_vectors_that_cannot_be_used_are_rejected(
    server: EmbeddingsServer, naps: Naps, change: Any, message: str
) -> None:
    server.dictate(Answer(change=change))
    with pytest.raises(EmbedderRejected, match=message):
        embed(client(server, sleep=naps), "a", "b")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b"{not json"),
        Answer(body=b""),
        Answer(body=b"<html>please log in</html>", headers={"Content-Type": "text/html"}),
        Answer(body=b"\xff\xfe{}"),
        Answer(body=b"[]"),
        Answer(body=b"{}"),
        Answer(body=b'{"data": null}'),
        Answer(body=b'{"data": [null, null]}'),
        Answer(body=b'{"data": "ab"}'),
        Answer(change=with_data(lambda data: [data[0], data[0]])),
        Answer(change=with_data(lambda data: [{**item, "index": 7} for item in data])),
        Answer(change=with_vectors("not base64!", "AAAA")),
        Answer(change=with_vectors("AAA=", "AAA=")),
        Answer(change=with_vectors(["a"] * 8, [1.0] * 8)),
        Answer(change=with_vectors({"x": 1}, [1.0] * 8)),
        Answer(change=with_vectors(None, [1.0] * 8)),
    ],
    ids=[
        "broken JSON", "empty", "a web page", "no UTF-8", "a list", "an empty object", "no data",
        "data of nulls", "data is text", "an index twice", "wrong indices", "no base64",
        "cut base64", "words", "an object", "null",
    ],
)  # fmt: skip
def test_an_unreadable_answer_is_tried_again(
    server: EmbeddingsServer, naps: Naps, answer: Answer
) -> None:
    server.dictate(answer)
    assert np.allclose(embed(client(server, sleep=naps), "a", "b"), hashed("a", "b"), atol=1e-6)
    assert naps.seconds == [0.5]


def test_unreadable_answers_without_end_are_unavailable(
    server: EmbeddingsServer, naps: Naps
) -> None:
    server.dictate(*[Answer(body=b"{not json")] * 9)
    with pytest.raises(EmbedderUnavailable, match="sent no embeddings"):
        embed(client(server, sleep=naps), "a")
    assert len(server.requests) == 5


# --- loading, event loops and closing ------------------------------------------------------------------


def test_the_sdk_is_imported_only_when_used() -> None:
    program = (
        "import sys\n"
        "from perdure.embedders.openai import OpenAIEmbedder\n"
        "embedder = OpenAIEmbedder(api_key='k')\n"
        "print('openai' in sys.modules)\n"
        "embedder.warm_up()\n"
        "print('openai.resources.embeddings' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(Path(__file__).parents[3] / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "True"]


def test_connections_are_used_again_within_a_loop(server: EmbeddingsServer) -> None:
    embedder = client(server)

    async def run() -> None:
        for _ in range(5):
            await _embed(embedder, "a")

    asyncio.run(run())
    assert len({request.port for request in server.requests}) == 1


def test_one_embedder_serves_several_loops_one_after_another(server: EmbeddingsServer) -> None:
    embedder = client(server)
    for _ in range(3):
        assert embed(embedder, "a").shape == (1, 8)
    assert len({request.port for request in server.requests}) == 3
    assert not embedder._clients._clients


def test_one_embedder_serves_several_loops_at_once(server: EmbeddingsServer) -> None:
    embedder = client(server)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                embed(embedder, "a")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []
    assert len(server.requests) == 20


def run_and_close(embedder: OpenAIEmbedder) -> Coroutine[Any, Any, None]:
    async def run() -> None:
        await _embed(embedder, "a")
        await embedder.aclose()
        await embedder.aclose()
        with pytest.raises(Closed):
            await _embed(embedder, "a")

    return run()


def test_a_closed_embedder_refuses_texts(server: EmbeddingsServer) -> None:
    embedder = client(server)
    asyncio.run(run_and_close(embedder))
    with pytest.raises(Closed):
        embed(embedder, "a")
    assert len(server.requests) == 1


def test_closing_reaches_the_connections_of_another_loop(server: EmbeddingsServer) -> None:
    embedder = client(server)
    loop = asyncio.new_event_loop()
    other = threading.Thread(target=loop.run_forever)
    other.start()
    try:
        asyncio.run_coroutine_threadsafe(_embed(embedder, "a"), loop).result(10)
        assert loop in embedder._clients._clients
        asyncio.run(embedder.aclose())
        assert not embedder._clients._clients
    finally:
        loop.call_soon_threadsafe(loop.stop)
        other.join(10)
        loop.close()


def test_a_cancelled_call_leaves_the_embedder_usable(server: EmbeddingsServer) -> None:
    release = threading.Event()
    server.dictate(*[Answer(wait_for=release)] * 20)
    embedder = client(server)

    async def run() -> None:
        # More than the channel lets in at once: slots must come back.
        calls = [asyncio.create_task(_embed(embedder, "a", purpose="query")) for _ in range(20)]
        await asyncio.to_thread(server.wait_for_requests, 16)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        release.set()
        await asyncio.to_thread(lambda: None)
        server.forget_dictated()
        assert (await asyncio.wait_for(_embed(embedder, "b", purpose="query"), 10)).shape == (1, 8)

    asyncio.run(run())
