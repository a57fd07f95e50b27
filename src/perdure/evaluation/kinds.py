"""The evaluations by name: how each reads its file, and how it runs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path

from perdure.errors import InvalidInput
from perdure.evaluation import dates
from perdure.evaluation.consistency import running as consistency
from perdure.evaluation.consistency.scenarios import read_scenarios
from perdure.evaluation.consolidation import running as consolidation
from perdure.evaluation.consolidation.units import read_units
from perdure.evaluation.extraction import running as extraction
from perdure.evaluation.extraction.items import read_extraction
from perdure.evaluation.intents import running as intents
from perdure.evaluation.intents.items import read_intents
from perdure.evaluation.lines import bytes_of, lines_of
from perdure.evaluation.report import Report
from perdure.evaluation.retrieval import running as retrieval
from perdure.evaluation.retrieval.units import read_units as read_retrieval_units
from perdure.evaluation.running import Setting, Watch, unwatched

OWN_SUITES = {
    "consistency": "consistency.jsonl",
    "intents": "intents.jsonl",
    "extraction": "extraction.jsonl",
    "retrieval": "retrieval.json",
}
"""Those that come with the package."""


def own_suite(name: str) -> Path:
    """The file of a suite that comes with the package. Raises `InvalidInput` for others."""
    if name not in OWN_SUITES:
        raise InvalidInput(f"no suite for {name} comes with the package; name a file")
    with resources.as_file(resources.files("perdure.evaluation") / "suites") as folder:
        return folder / OWN_SUITES[name]


def evaluate(
    name: str, path: Path, setting: Setting, *, watch: Watch = unwatched, rounds: int = 1
) -> Report:
    """Read the file, run the evaluation of that name on it, and report.

    `rounds` above 1 is for consistency, where a scenario then has to pass every time. Raises
    `InvalidInput`, which names the line, for a file of another format.
    """
    if rounds < 1 or (rounds > 1 and name != "consistency"):
        raise InvalidInput("several rounds are for consistency, and at least one")
    if setting.observes and name != "consolidation":
        raise InvalidInput("only the statements of consolidation can be observed or remembered")
    return EVALUATIONS[name](path, setting, watch, rounds)


def _consistency(path: Path, setting: Setting, watch: Watch, rounds: int) -> Report:
    scenarios = read_scenarios(lines_of(path))
    return consistency.evaluate(scenarios, setting, watch=watch, rounds=rounds)


def _intents(path: Path, setting: Setting, watch: Watch, _rounds: int) -> Report:
    return intents.evaluate(read_intents(lines_of(path)), setting, watch=watch)


def _extraction(path: Path, setting: Setting, watch: Watch, _rounds: int) -> Report:
    return extraction.evaluate(read_extraction(lines_of(path)), setting, watch=watch)


def _dates(path: Path, _setting: Setting, watch: Watch, _rounds: int) -> Report:
    return dates.evaluate(dates.read_dates(lines_of(path)), watch=watch)


def _consolidation(path: Path, setting: Setting, watch: Watch, _rounds: int) -> Report:
    return consolidation.evaluate(read_units(bytes_of(path)), setting, watch=watch)


def _retrieval(path: Path, setting: Setting, watch: Watch, _rounds: int) -> Report:
    return retrieval.evaluate(read_retrieval_units(bytes_of(path)), setting, watch=watch)


EVALUATIONS: dict[str, Callable[[Path, Setting, Watch, int], Report]] = {
    "consistency": _consistency,
    "intents": _intents,
    "dates": _dates,
    "extraction": _extraction,
    "consolidation": _consolidation,
    "retrieval": _retrieval,
}
