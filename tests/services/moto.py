"""A quick S3: moto's server, in a thread of this process. Nothing outlives it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from tests.services.buckets import Buckets


@contextmanager
def running_moto() -> Iterator[Buckets]:
    """A server for the length of a `with` block."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        _, port = server.get_host_and_port()
        buckets = Buckets(endpoint=f"http://127.0.0.1:{port}")
        buckets.make()
        yield buckets
    finally:
        server.stop()
