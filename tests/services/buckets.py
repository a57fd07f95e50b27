"""A bucket of an S3 server on this machine."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from urllib.parse import quote
from urllib.request import Request, urlopen

_numbers = itertools.count(1)
TIMEOUT_S = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets:
    """Where the server is, and an account of it. All tests share one bucket."""

    endpoint: str
    access_key: str = "tester"
    secret_key: str = "very-secret-key"
    bucket: str = "tests"

    def make(self) -> None:
        """Make the bucket."""
        # Neither server asks for a signature here.
        request = Request(f"{self.endpoint}/{self.bucket}", method="PUT")
        with urlopen(request, timeout=TIMEOUT_S):
            return

    def place(self, **options: str) -> str:
        """The URL of an archive at a place of its own in the bucket."""
        return self.url(f"{self.bucket}/place-{next(_numbers)}", **options)

    def url(self, path: str, **options: str) -> str:
        """The URL of an archive."""
        given = {
            "endpoint": self.endpoint,
            "region": "us-east-1",
            "access_key_id": self.access_key,
            "secret_access_key": self.secret_key,
            **options,
        }
        query = "&".join(f"{key}={quote(value, safe='')}" for key, value in given.items())
        return f"s3://{path}?{query}"
