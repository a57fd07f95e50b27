"""A process that holds one open system and runs operations on request.

One JSON request a line on standard input: `{"call": NAME, ...arguments}`. One JSON answer a line on
the original standard output: `{"ok": ...}` or `{"error": "..."}`. The first call is `open`. What
libraries print goes to standard error, and connections to other hosts are refused.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from benchmarks.harness import Block, block_as_json
from benchmarks.operations import Runner
from benchmarks.watching import refuse_network


def main() -> None:
    """Serve requests until the input ends or `close` was answered."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    refuse_network()
    runner: Runner | None = None
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        call = request.pop("call")
        try:
            if call == "open":
                runner = Runner(**request)
                answer: Any = None
            elif call == "clock":
                answer = time.monotonic()
            else:
                answer = getattr(runner, call)(**request)
        except Exception as exc:
            print(json.dumps({"error": describe(exc)}), file=answers, flush=True)
            if os.environ.get("BENCHMARK_TRACEBACKS"):
                raise
            continue
        if isinstance(answer, Block):
            answer = {"block": block_as_json(answer)}
        print(json.dumps({"ok": answer}), file=answers, flush=True)
        if call == "close":
            answers.close()
            return


def describe(exc: BaseException) -> str:
    """The error's type and its first line, short enough for a table's foot."""
    first = str(exc).strip().split("\n")[0].replace(f"{os.getcwd()}{os.sep}", "")
    return f"{type(exc).__name__}: {first[:200]}"


if __name__ == "__main__":
    main()
