"""Plans of upkeep, for people."""

from __future__ import annotations

from perdure.cli.invocation import Invocation
from perdure.cli.tables import console, table
from perdure.cli.terminal import printable
from perdure.domain.plans import Plan


def show_plan(invocation: Invocation, plan: Plan) -> None:
    """Print what was done or would be done, one line for each step."""
    if invocation.json:
        invocation.show(plan)
        return
    if plan.actions:
        made = table("Memory", "What", "Why", flexible="Why")
        for action in plan.actions:
            made.add_row(action.memory_id, action.action.value, printable(action.reason))
        console().print(made)
    done = "done" if plan.applied else "would be done; nothing was changed"
    print(f"{len(plan.actions):,} steps {done}." if plan.actions else "Nothing is to be done.")
    for note in plan.notes:
        print(f"Note: {note}.")
