"""What a million memories cost a month, when most of them rest in the archive.

Prices are list prices of one large provider in a cheap region (2025), in USD: a block volume for
the store of record, an object store for the archive. They are arguments, so that anybody can put
in their own. Not in it: the machine that computes, its working memory, and language models.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

GB = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """Everything the model takes for granted. Prices in USD; shares between 0 and 1.

    `hot_share`: memories that are not archived. With 90 days of rest before the archive and the
    same number stored every day, 0.25 after a year and 0.12 after two.
    `room`: how much larger the volume is than what is on it.
    `restored_share`, `erased_share`: of the archived memories, a month.
    `checks`: how often a month every batch is read back by `verify`.
    """

    memories: int = 1_000_000
    hot_share: float = 0.25
    volume_per_gb: float = 0.08
    room: float = 1.5
    object_per_gb: float = 0.023
    backups: int = 2
    backup_per_gb: float = 0.023
    write_per_1000: float = 0.005
    read_per_1000: float = 0.0004
    rows_per_batch: int = 5_000
    archived_share: float = 0.1
    restored_share: float = 0.01
    erased_share: float = 0.01
    checks: int = 1


WRITES_TO_ARCHIVE, READS_TO_ARCHIVE = 3, 2
"""A listing counts as a write: one look for the name, two puts; two gets to read it back."""
WRITES_TO_DROP, READS_TO_DROP = 4, 2


def monthly(
    hot_bytes: float, stub_bytes: float, cold_bytes: float, given: Assumptions
) -> dict[str, float]:
    """USD a month by what they are for, and their `total`.

    Sizes are bytes per memory: one in the store, what stays in the store of one that is archived,
    and its share of the archive's objects. Restores and erasures are counted at their worst: each
    memory in a batch of its own.
    """
    hot = given.memories * given.hot_share
    cold = given.memories - hot
    store_gb = (hot * hot_bytes + cold * stub_bytes) / GB
    archive_gb = cold * cold_bytes / GB
    batches = cold / given.rows_per_batch
    put_away = given.memories * given.archived_share / given.rows_per_batch
    restored, erased = cold * given.restored_share, cold * given.erased_share
    writes = WRITES_TO_ARCHIVE * put_away + WRITES_TO_DROP * erased
    reads = READS_TO_ARCHIVE * put_away + 2 * restored + READS_TO_DROP * erased
    reads += 2 * batches * given.checks
    parts = {
        "volume": store_gb * given.room * given.volume_per_gb,
        "backups of the store": store_gb * given.backups * given.backup_per_gb,
        "archive": archive_gb * given.object_per_gb,
        "requests": writes / 1e3 * given.write_per_1000 + reads / 1e3 * given.read_per_1000,
    }
    return {**parts, "total": sum(parts.values())}


def table(sizes: tuple[float, float, float], given: Assumptions) -> str:
    """The costs for several shares of hot memories, and the assumptions, as Markdown."""
    from dataclasses import replace

    from benchmarks.harness import markdown_table

    shares = (1.0, 0.25, 0.12)
    costs = {share: monthly(*sizes, replace(given, hot_share=share)) for share in shares}
    rows = [
        [f"{share:.0%} hot", *(f"{amount:.2f}" for amount in cost.values())]
        for share, cost in costs.items()
    ]
    lines = [f"- {name}: {value:g}" for name, value in asdict(given).items() if name != "hot_share"]
    return markdown_table(["USD a month", *costs[1.0]], rows) + "\n" + "\n".join(lines) + "\n"


def as_json(sizes: tuple[float, float, float], given: Assumptions) -> dict[str, Any]:
    """The assumptions and what follows from them."""
    return {"assumptions": asdict(given), "usd_a_month": monthly(*sizes, given)}
