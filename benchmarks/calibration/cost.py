"""What does the bundled encoder cost, and what do cache and channels save?

    python benchmarks/calibration/cost.py [--json FILE]

Printed for one process with one BLAS thread: time and memory of loading, CPU and wall time a text
by batch size, texts a second from several threads with and without shared chunks, the longest time
a question waits beside a bulk write, and the cost of a text known to the cache. Sentences are those
of `pairs.jsonl`, every one embedded as often as the others.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from perdure.embedders import _usem3
from perdure.embedders.caching import CachingEmbedder
from perdure.embedders.channels import ChannelledEmbedder
from perdure.embedders.hashing import HashingEmbedder
from perdure.embedders.local import LocalEmbedder
from perdure.ports.blocking import run_now
from perdure.ports.embedder import Embedder, Purpose

PAIRS = Path(__file__).with_name("pairs.jsonl")
BATCHES = (1, 4, 16, 64)
THREADS = (1, 2, 8)
REPEATS = 3


def sentences(language: str) -> list[str]:
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    return [text for row in rows for text in row[language].values()]


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """(CPU seconds of all threads, wall seconds), the best of a few runs."""
    found = []
    for _ in range(REPEATS):
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        found.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(found)


def embed(embedder: Embedder, texts: list[str], purpose: Purpose = "document") -> None:
    run_now(embedder.embed(texts, purpose=purpose))


def in_batches(embedder: Embedder, texts: list[str], size: int) -> None:
    for start in range(0, len(texts), size):
        embed(embedder, texts[start : start + size])


def from_threads(embedder: Embedder, texts: list[str], count: int) -> None:
    """Each thread embeds its share of the texts one by one, as concurrent writers do."""
    shares = [texts[number::count] for number in range(count)]
    threads = [threading.Thread(target=in_batches, args=(embedder, share, 1)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def loading() -> dict[str, float]:
    before, cpu, wall = resident_mb(), time.process_time(), time.perf_counter()
    _usem3.check_resources(_usem3.resource_folder())
    check = time.process_time() - cpu
    cpu, wall = time.process_time(), time.perf_counter()
    LocalEmbedder().warm_up()
    return {
        "check_cpu_s": check,
        "load_cpu_s": time.process_time() - cpu,
        "load_wall_s": time.perf_counter() - wall,
        "memory_mb": resident_mb() - before,
    }


def by_batch(embedder: Embedder, language: str) -> dict[str, tuple[float, float]]:
    texts = sentences(language)
    found = {}
    for size in BATCHES:
        cpu, wall = timed(lambda size=size: in_batches(embedder, texts, size))
        found[f"{language} batch {size}"] = (1e3 * cpu / len(texts), 1e3 * wall / len(texts))
    return found


def by_threads(texts: list[str]) -> dict[str, tuple[float, float]]:
    """Texts a second and CPU milliseconds a text."""
    local = LocalEmbedder()
    found = {}
    for count in THREADS:
        for name, embedder in (
            ("alone", local),
            ("channelled", ChannelledEmbedder(local)),
            ("channelled, 2 workers", ChannelledEmbedder(local, workers=2)),
        ):
            work = lambda e=embedder, n=count: from_threads(e, texts, n)  # noqa: E731
            cpu, wall = timed(work)
            found[f"{count} threads {name}"] = (len(texts) / wall, 1e3 * cpu / len(texts))
    return found


def waiting(embedder: Embedder, texts: list[str], questions: list[str]) -> dict[str, float]:
    """Milliseconds a question takes while another thread writes without pause."""
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            embed(embedder, texts)

    writer = threading.Thread(target=write)
    writer.start()
    taken = []
    for question in questions:
        start = time.perf_counter()
        embed(embedder, [question], "query")
        taken.append(1e3 * (time.perf_counter() - start))
        time.sleep(0.01)
    is_over.set()
    writer.join()
    p50, p95, worst = np.quantile(taken, [0.5, 0.95, 1.0])
    return {"p50_ms": float(p50), "p95_ms": float(p95), "max_ms": float(worst)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    texts = sentences("en") + sentences("zh")
    result: dict[str, object] = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cores": os.cpu_count(),
        "loading": loading(),
    }
    local = LocalEmbedder()
    embed(local, texts[:50])
    result["local, ms a text (CPU, wall)"] = {**by_batch(local, "en"), **by_batch(local, "zh")}
    result["hashing, ms a text (CPU, wall)"] = by_batch(HashingEmbedder(), "en")
    result["threads (texts a second, CPU ms a text)"] = by_threads(texts)
    for name, embedder in (("alone", local), ("channelled", ChannelledEmbedder(local))):
        result[f"a question beside a bulk write, {name}"] = waiting(embedder, texts, texts[::4])
    cached = CachingEmbedder(local)
    embed(cached, texts)
    cpu, _ = timed(lambda: in_batches(cached, texts, 1))
    result["a known text, ms CPU"] = 1e3 * cpu / len(texts)
    shown = json.dumps(result, indent=2)
    print(shown)
    if options.json:
        options.json.write_text(shown + "\n")


if __name__ == "__main__":
    main()
