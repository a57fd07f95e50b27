"""Question: what does the window of a long conversation cost, in CPU milliseconds?

A session of so many turns (Zipf-like English, 15 % Chinese, every tenth turn a call of a tool with
its result, every hundredth pinned, every fiftieth important), a budget of 8,000 tokens. Measured:
taking the turns in, the first window, and a window after each further turn, in each format. The
baseline is the least that anybody could do: walk back from the newest turn, adding up token counts
made beforehand, until the budget is full, and write those turns down. It summarises nothing, knows
no weights and separates calls from results.

    python -m benchmarks.context_window [turns ...]        default: 1000 10000

Fixed seed; a warm-up comes first; prints a table and writes JSON beside it.
"""

from __future__ import annotations

import json
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import perdure
from perdure.domain.budget import estimate_tokens
from perdure.testing import HashingEmbedder

BUDGET, ROUNDS, WARM_UP = 8_000, 30, 3
FORMATS = ("openai", "anthropic", "plain")
CHINESE = "我们决定下周三之前把预算改成三千元然后再讨论旅行计划和住宿安排"


class Talk:
    """Messages that follow from one seed."""

    def __init__(self) -> None:
        self._chance = random.Random(20310725)
        letters = "abcdefghijklmnopqrstuvwxyz"
        self._words = [
            "".join(self._chance.choices(letters, k=self._chance.randint(2, 9)))
            for _ in range(5_000)
        ]
        self._weights = [1 / (rank + 3) for rank in range(len(self._words))]

    def words(self) -> str:
        if self._chance.random() < 0.15:
            return "".join(self._chance.choices(CHINESE, k=40)) + "。"
        chosen = self._chance.choices(self._words, weights=self._weights, k=18)
        return " ".join(chosen).capitalize() + "."

    def messages(self, start: int, amount: int) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        number = start
        while len(made) < amount:
            weight = {"pinned": number % 1000 == 0, "importance": 0.9 if number % 500 == 0 else 0.5}
            if number % 10 == 0:
                call = {"id": f"c{number}", "name": "find", "arguments": {"q": self.words()}}
                made.append({"role": "assistant", "tool_calls": [call], **weight})
                made.append({"role": "tool", "tool_call_id": f"c{number}", "content": self.words()})
            else:
                role = ("user", "assistant")[number % 2]
                made.append({"role": role, "content": self.words(), **weight})
            number += 1
        return made[:amount]


def baseline(counted: list[tuple[int, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The newest messages that fit."""
    left, kept = BUDGET, []
    for tokens, message in reversed(counted):
        left -= tokens + 3
        if left < 0:
            break
        kept.append({"role": message["role"], "content": message.get("content")})
    return kept[::-1]


def cpu_ms(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def compare(turns: int) -> dict[str, Any]:
    settings = perdure.Settings(context_turns=turns + ROUNDS * len(FORMATS) * 4)
    talk = Talk()
    messages = talk.messages(1, turns)
    more = iter(talk.messages(10_000_001, ROUNDS * len(FORMATS) * 4))
    row: dict[str, Any] = {"turns": turns}
    with perdure.open("memory://", embedder=HashingEmbedder(), settings=settings) as memory:
        # Nothing is handed on to the store meanwhile: what is measured is the window.
        context = memory.context("s1", max_tokens=10**9)
        row["append_us"] = cpu_ms(lambda: context.extend(messages)) * 1000 / turns
        for form in FORMATS:
            row[f"{form}_first_ms"] = cpu_ms(
                lambda form=form: context.window(form, max_tokens=BUDGET)
            )
            spent = []
            for _ in range(ROUNDS + WARM_UP):
                context.extend([next(more)])
                spent.append(cpu_ms(lambda form=form: context.window(form, max_tokens=BUDGET)))
            steady = sorted(spent[WARM_UP:])
            row[f"{form}_median_ms"] = statistics.median(steady)
            row[f"{form}_p95_ms"] = steady[int(len(steady) * 0.95)]
        memory.forget_all(everything=True)  # the turns are not stored at the end either
    counted = [(estimate_tokens(str(message.get("content"))), message) for message in messages]
    plain = [cpu_ms(lambda: baseline(counted)) for _ in range(ROUNDS + WARM_UP)][WARM_UP:]
    row["baseline_ms"] = statistics.median(plain)
    row["ratio"] = row["openai_median_ms"] / row["baseline_ms"]
    return row


def main(sizes: list[int]) -> None:
    rows = []
    for turns in sizes:
        rows.append(compare(turns))
        print({name: round(value, 3) for name, value in rows[-1].items()}, flush=True)
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    document = {"python": platform.python_version(), "machine": platform.machine(), "rows": rows}
    (results / "context_window.json").write_text(
        json.dumps(document, indent=2) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main([int(item) for item in sys.argv[1:]] or [1_000, 10_000])
