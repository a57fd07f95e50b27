"""What the suite measures, one function per case, in the order a run takes them."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.cases import reads, starts, writes
from benchmarks.rounds import Bench

CASES: dict[str, Callable[[Bench], None]] = {
    "add": writes.add,
    "add_batch_100": writes.add_batch_100,
    "add_8_threads": writes.add_8_threads,
    "add_4_processes": writes.add_4_processes,
    "recall": reads.recall,
    "recall_one_user": reads.recall_one_user,
    "recall_threads": reads.recall_threads,
    "read_and_change": reads.read_and_change,
    "import": writes.import_file,
    "import_time": starts.import_time,
    "start": starts.start,
    "exactness": reads.exactness,
}
