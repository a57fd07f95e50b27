"""Filling memories with documents, asking them, and adding up."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.evaluation.report import Report
from perdure.evaluation.retrieval.arms import Bench
from perdure.evaluation.retrieval.scoring import Asked, report
from perdure.evaluation.retrieval.units import Unit
from perdure.evaluation.running import Setting, Watch, unwatched


def evaluate(
    units: Sequence[Unit],
    setting: Setting,
    *,
    watch: Watch = unwatched,
    with_baselines: bool = True,
) -> Report:
    """Store every unit's documents for a user of its own, then ask its questions."""
    asked: list[Asked] = []
    total = sum(len(unit.documents) + len(unit.questions) for unit in units)
    done = 0
    with Bench(setting=setting, with_baselines=with_baselines) as bench:
        for unit in units:
            for _ in bench.fill(unit):
                watch(done := done + 1, total, unit.name)
            sessions = {item.id: item.session or item.id for item in unit.documents}
            for question in unit.questions:
                rankings = bench.rankings(unit, question)
                if question.by_session:  # each where it first appears
                    rankings = {
                        arm: list(dict.fromkeys(sessions[id_] for id_ in ranked))
                        for arm, ranked in rankings.items()
                    }
                asked.append(
                    Asked(
                        unit=unit.name,
                        language=unit.language,
                        question=question,
                        rankings=rankings,
                    )
                )
                watch(done := done + 1, total, question.id)
        notes = [
            f"{arm}: {1e3 * cpu_s / max(bench.recalls, 1):.2f} ms CPU a recall, encoder included"
            for arm, cpu_s in bench.cpu_s.items()
        ]
    return report(asked, notes)
