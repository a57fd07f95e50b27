"""Results as text for people, and the merging of saved ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.harness import markdown_table, read_results
from benchmarks.registry import BASELINE, SUBJECT

_COLUMNS = {
    "cpu_ms": "CPU ms",
    "wall_ms": "wall ms",
    "p50": "p50",
    "p95": "p95",
    "p99": "p99",
    "per_s": "per s",
    "per_s_best": "best round",
    "cpu_to_raw": "CPU to raw",
    "wall_to_raw": "wall to raw",
    "to_unfiltered": "CPU to unfiltered",
    "fsyncs": "fsyncs",
    "fsyncs_8_threads": "8 threads",
    "fsyncs_batch_100": "batch of 100",
    "lost": "lost",
    "fewest": "fewest hits",
    "target_in_10": "target in 10",
    "cpu_s": "CPU s",
    "wall_s": "wall s",
    "open_ms": "of it open",
    "mb_above_interpreter": "MB above the interpreter",
    "after_first_recall_mb": "after the first recall",
    "bytes_per_memory": "bytes per memory",
    "recall_at_10": "recall@10",
    "worst": "worst case",
}


def brief(figures: Mapping[str, Any]) -> str:
    """One case of one system in half a line, for progress."""
    return (
        f"{figures['cpu_ms']:9.3f} ms CPU {figures['wall_ms']:9.3f} ms wall "
        f"{figures['per_s']:10,.0f}/s"
    )


def as_markdown(results: Mapping[str, Any], *, quick: bool = False) -> str:
    """The whole run: environment, targets, then a table per case."""
    parts = ["# Embedded benchmarks\n", _environment(results)]
    if quick:
        parts.append("A quick run shows that everything runs; its figures mean nothing.\n")
    parts += ["## Targets\n", _targets(results["targets"])]
    for case, systems in results["cases"].items():
        parts += [f"## {case}\n", _case(systems)]
        if case in results["busyness"]:
            share = results["busyness"][case]
            parts.append(f"Something waited for a core in {share:.0%} of the time.\n")
    return "\n".join(parts)


def add_saved(results: dict[str, Any], name: str) -> None:
    """Add the systems this run left out from `results/NAME.json`, marked as saved."""
    saved = read_results(name)
    if not saved:
        raise SystemExit(f"there are no results named {name}")
    ran = set(results["systems"])
    for case, systems in saved["cases"].items():
        held = results["cases"].setdefault(case, {})
        for system, figures in systems.items():
            if system not in ran and system not in held:
                held[system] = {**figures, "saved": True}
    results["saved_from"] = {"name": name, "environment": saved["environment"]}
    for system, about in saved["systems"].items():
        results["systems"].setdefault(system, about)


def has_errors(results: Mapping[str, Any]) -> bool:
    """Whether the subject or the baseline failed anywhere."""
    return any(
        "error" in figures
        for systems in results["cases"].values()
        for system, figures in systems.items()
        if system.startswith((BASELINE, SUBJECT))
    )


def _environment(results: Mapping[str, Any]) -> str:
    facts = results["environment"]
    lines = [
        f"{facts['processor']}, {facts['cores']} cores, {facts['memory_gb']} GB, "
        f"{facts['file_system']}; one 4 kB write with fsync takes "
        f"{facts['fsync_ms']['p50']:.2f} ms (p95 {facts['fsync_ms']['p95']:.2f}). "
        f"Python {facts['python']}, SQLite {facts['sqlite']}, "
        f"{facts['date']}, commit {facts['commit']}, load {facts['load_average'][0]:.1f} to "
        f"{facts['load_average_at_end'][0]:.1f}.",
        "",
    ]
    for name, about in results["systems"].items():
        versions = ", ".join(f"{key} {value}" for key, value in about["versions"].items())
        note = f" ({about['note']})" if about["note"] else ""
        lines.append(
            f"- **{name}** {versions}: {about['search']}; acknowledged {about['durable']}{note}"
        )
    lines += [
        "",
        "CPU and wall are per operation, the median of the blocks' means; percentiles are of wall "
        "time; ratios are medians of the rounds [lowest to highest]. * saved from an earlier run.",
        "",
    ]
    return "\n".join(lines)


def _targets(judged: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            f"{one['case']} ({one['system']})",
            str(one["figure"]),
            str(one["wanted"]),
            _cell(one["bound"]),
            _cell(one["value"]),
            str(one["verdict"]),
        ]
        for one in judged
    ]
    return markdown_table(["case", "figure", "wanted", "that is", "measured", "verdict"], rows)


def _case(systems: Mapping[str, Mapping[str, Any]]) -> str:
    flat = {system: _flat(figures) for system, figures in systems.items()}
    used = [name for name in _COLUMNS if any(name in figures for figures in flat.values())]
    rows = [
        [system + ("*" if figures.get("saved") else "")]
        + [_cell(figures.get(name)) for name in used]
        for system, figures in flat.items()
        if any(name in figures for name in used)
    ]
    table = markdown_table(["system", *(_COLUMNS[name] for name in used)], rows) if used else ""
    notes = [
        f"- {system}: {figures[name]}"
        for system, figures in systems.items()
        for name in ("error", "fsyncs_note")
        if name in figures
    ]
    return table + ("\n" + "\n".join(notes) + "\n" if notes else "")


def _flat(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {**figures, **figures.get("wall_ms_at", {})}


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, Mapping):
        return f"{value['median']:.2f} [{value['low']:.2f} to {value['high']:.2f}]"
    if isinstance(value, list):
        return _cell(min(value)) if min(value) == max(value) else f"{min(value)} to {max(value)}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
