"""Whether the whole is at least as good as the best of its parts.

Joining a good list with a bad one easily makes it worse. So the default is held against its own arms
alone, language by language: never below the better one is what is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from perdure.evaluation.statistics import Figure, Sums, bootstrapped


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """By how much the default is ahead of its best single arm, question by question."""

    language: str
    arm: str
    alone: float
    together: float
    figure: Figure

    @property
    def holds(self) -> bool:
        """Whether the default is not below."""
        return self.together >= self.alone


def lead_of(
    language: str,
    together: Sequence[float],
    arms: Mapping[str, Sequence[float]],
    strata: Sequence[str],
) -> Iterator[Lead]:
    """The lead over the best of the arms, given what every question contributes to a measure; none
    without questions or arms."""
    if not together or not arms:
        return
    arm = max(arms, key=lambda name: sum(arms[name]))
    rows = [(mine - other, 1.0) for mine, other in zip(together, arms[arm], strict=True)]
    yield Lead(
        language=language,
        arm=arm,
        alone=sum(arms[arm]) / len(together),
        together=sum(together) / len(together),
        figure=bootstrapped(rows, _average, strata=strata),
    )


def told(lead: Lead, measure: str) -> str:
    """One line for people."""
    figure = lead.figure
    verdict = "not below its best arm" if lead.holds else "BELOW ITS BEST ARM"
    if not lead.holds and figure.high is not None and figure.high >= 0:
        verdict += ", though within chance"
    return (
        f"{lead.language}: {verdict}: {measure} {lead.together:.3f} by default, {lead.alone:.3f} by "
        f"{lead.arm} alone ({figure.value:+.3f}, {figure.low:+.3f} to {figure.high:+.3f})"
    )


def _average(sums: Sums) -> Sums:
    means: Sums = sums[:, 0] / sums[:, 1]
    return means
