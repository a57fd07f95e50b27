"""Filling memories with documents, asking them, and adding up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from perdure.evaluation.report import ALL, Entry, Report, languages_of
from perdure.evaluation.retrieval.arms import DEFAULT, Bench, Ranked
from perdure.evaluation.retrieval.contexts import BUDGETS, can_be_covered, is_covered
from perdure.evaluation.retrieval.scoring import Asked, report
from perdure.evaluation.retrieval.units import Question, Unit
from perdure.evaluation.running import Setting, Watch, unwatched
from perdure.evaluation.statistics import Figure


def evaluate(
    units: Sequence[Unit],
    setting: Setting,
    *,
    watch: Watch = unwatched,
    with_baselines: bool = True,
) -> Report:
    """Store every unit's documents for a user of its own, ask its questions, then those of others.

    Raises `Misconfigured` when the package or its configuration is not as it ships.
    """
    asked: list[Asked] = []
    documents = sum(len(unit.documents) for unit in units)
    total = documents + sum(len(unit.questions) for unit in units)
    done = 0
    read: list[int] = []
    with Bench(setting=setting, with_baselines=with_baselines) as bench:
        before = bench.bytes
        for unit in units:
            for _ in bench.fill(unit):
                watch(done := done + 1, total, unit.name)
            for question in unit.questions:
                rankings = bench.rankings(unit, question)
                covered, tokens = _covered(bench, unit, question)
                read += tokens
                asked.append(
                    Asked(
                        unit=unit.name,
                        language=question.language,
                        question=question,
                        rankings=_by_session(rankings, unit) if question.by_session else rankings,
                        covered=covered,
                    )
                )
                watch(done := done + 1, total, question.id)
        asked = list(_asked_elsewhere(bench, units, asked))
        language = languages_of(one.language for one in asked)[-1] if asked else ALL
        costs = list(_costs(bench, language, documents, bench.bytes - before, read))
    return report(asked, (), costs)


def _by_session(rankings: Mapping[str, Ranked], unit: Unit) -> dict[str, Ranked]:
    """Sessions in place of documents, each where it first appears."""
    sessions = {item.id: item.session or item.id for item in unit.documents}
    return {
        arm: replace(ranked, ids=tuple(dict.fromkeys(sessions[id_] for id_ in ranked.ids)))
        for arm, ranked in rankings.items()
    }


def _covered(bench: Bench, unit: Unit, question: Question) -> tuple[dict[int, bool], list[int]]:
    """For each budget whether the answer's words came, and the length of the longest context."""
    if not can_be_covered(unit, question):
        return {}, []
    texts = {budget: bench.context(unit, question, budget) for budget in BUDGETS}
    covered = {budget: is_covered(question.answer, text) for budget, text in texts.items()}
    return covered, [texts[BUDGETS[-1]].tokens]


def _asked_elsewhere(
    bench: Bench, units: Sequence[Unit], asked: Sequence[Asked]
) -> Iterator[Asked]:
    """Every answerable question once more, of the unit after its own, which cannot know."""
    following = dict(zip((unit.name for unit in units), (*units[1:], units[0]), strict=True))
    for one in asked:
        other = following[one.unit]
        if one.question.is_answerable and other.name != one.unit:
            yield replace(one, elsewhere=bench.confidence(other, one.question))
        else:
            yield one


def _costs(
    bench: Bench, language: str, documents: int, grown: int, read: Sequence[int]
) -> Iterator[Entry]:
    def entry(measure: str, value: float, cases: int, group: str = ALL) -> Entry:
        figure = Figure(value=round(value, 2), cases=cases)
        return Entry(measure=measure, language=language, group=group, figure=figure)

    for arm, watch in bench.recalls.items():
        of = "recall" if arm == DEFAULT else f"recall, {arm}"
        yield entry(f"{of}: ms, half stay within", watch.wall_ms(0.5), watch.calls)
        yield entry(f"{of}: ms, 95 % stay within", watch.wall_ms(0.95), watch.calls)
        yield entry(f"{of}: ms CPU", watch.mean_cpu_ms, watch.calls)
    yield entry("write: ms, half stay within", bench.writes.wall_ms(0.5), bench.writes.calls)
    yield entry("write: ms CPU", bench.writes.mean_cpu_ms, bench.writes.calls)
    if documents:
        yield entry("bytes a memory", grown / documents, documents)
    if read:
        name = f"tokens in a context of {BUDGETS[-1]}"
        yield entry(name, sum(read) / len(read), len(read))
