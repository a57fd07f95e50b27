"""Commands that look after a store."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from pathlib import Path

import click

import perdure
from perdure.bootstrap import embedder_of
from perdure.cli.command import Command
from perdure.cli.exits import Exit
from perdure.cli.invocation import Invocation, require_store
from perdure.cli.plans import show_plan
from perdure.cli.progress import bar, working
from perdure.cli.tables import console, pair_table, table
from perdure.cli.terminal import people_watch, printable
from perdure.cli.wording import in_shell_words
from perdure.config import Settings
from perdure.domain.certificates import Certificate
from perdure.domain.results import Reembedded, Stats, Verification
from perdure.errors import EmbedderMismatch, Misconfigured
from perdure.ports.embedder import Embedder
from perdure.sync import MemoryManager

ACTOR = "cli"
LOOK_EVERY_S = 0.5
CERTIFICATE = "certificate"


@click.command(
    "stats",
    cls=Command,
    short_help="Counts and sizes.",
    epilog='JSON: {"memories": {state: count}, "recalled", "used", "utility_ratio", '
    '"without_vector", "bytes", "embedding_model", "language_model", "deferred", '
    '"deferral_failed", "language_model_usage", "utility_target", "utility_by_day": [period], '
    '"utility_by_week": [period], "maintenance": {…}}',
)
@click.option("--everything", is_flag=True, help="Of every user of the tenant.")
@click.pass_obj
def stats(invocation: Invocation, everything: bool) -> None:
    """How many memories there are and how often they were recalled."""
    with invocation.opened(embeds=False) as memory:
        numbers = memory.stats(everything=everything)
    if invocation.json:
        invocation.show(numbers)
        return
    rows: list[tuple[str, object]] = [
        (state, f"{count:,}") for state, count in numbers.memories.items()
    ]
    rows += [
        ("recalled", f"{numbers.recalled:,} times"),
        ("used", f"{numbers.used:,} times"),
        ("used of recalled, last week", _ratio(numbers)),
        ("without vector", f"{numbers.without_vector:,}"),
        ("size of the store", f"{numbers.bytes:,} bytes"),
        ("embedding model", numbers.embedding_model or "none yet"),
        ("waiting to be read", f"{numbers.deferred:,}"),
        ("never read by a model", f"{numbers.deferral_failed:,}"),
    ]
    console().print(pair_table(rows))


def _ratio(numbers: Stats) -> str:
    ratio = numbers.utility_by_week[-1].ratio
    told = "nothing recalled" if ratio is None else f"{ratio:.0%}"
    return f"{told} (target {numbers.utility_target:.0%})"


@click.command(
    "maintain",
    cls=Command,
    short_help="Forget what expired, compress and archive what rests, make room.",
    epilog='JSON: {"actions": [{"memory_id", "action", "reason", "bytes_saved", "scope": {…}}], '
    '"applied", "notes": [text]}',
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done, and why.")
@click.option("--everything", is_flag=True, help="For every user of the tenant.")
@click.option("--limit", type=int, help="Take so many actions at most.")
@click.pass_obj
def maintain(invocation: Invocation, dry_run: bool, everything: bool, limit: int | None) -> None:
    """Do what is due, and nothing twice; meant for a timer.

    \b
        0 4 * * *  perdure maintain --everything

    It can be interrupted and run again. The exit status is 4 while another process maintains the
    same tenant, which does the work as well.
    """
    with invocation.opened(embeds=False) as memory, working("Maintaining"):
        plan = memory.maintain(dry_run=dry_run, everything=everything, limit=limit, actor=ACTOR)
    show_plan(invocation, plan)
    if not invocation.json and plan.bytes_saved:
        print(f"About {plan.bytes_saved:,} bytes saved.")


@click.command(
    "hold",
    cls=Command,
    short_help="Put memories under a legal hold, or release them.",
    epilog='JSON: {"memories": [memory]}',
)
@click.argument("ids", nargs=-1, required=True)
@click.option("--release", is_flag=True, help="End the hold.")
@click.pass_obj
def hold(invocation: Invocation, ids: tuple[str, ...], release: bool) -> None:
    """Put memories under a legal hold: no upkeep takes them away, and nothing erases them."""
    with invocation.opened(embeds=False) as memory:
        held = [memory.update(item, held=not release, actor=ACTOR) for item in ids]
    if invocation.json:
        invocation.show({"memories": held})
    else:
        print(f"{len(held):,} {'released' if release else 'held'}.")


@click.command(
    "verify",
    cls=Command,
    short_help="Check every row, index and link.",
    epilog='JSON: {"ok", "problems": [{"place", "problem", "memory_id", "repaired"}]}',
)
@click.option("--no-repair", is_flag=True, help="Only look.")
@click.option(
    "--certificate",
    "path",
    metavar="PATH",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Check also what this certificate of an erasure says; name its --user.",
)
@click.pass_obj
def verify(invocation: Invocation, no_repair: bool, path: Path | None) -> int:
    """Check every row, index, link and the chain of the journal; mend what is derived.

    The exit status is 1 when something is wrong that could not be mended.
    """
    certificate = None if path is None else Certificate.from_json(path.read_bytes())
    with invocation.opened(embeds=False) as memory, working("Checking"):
        found = memory.verify(certificate, repair=not no_repair)
    if invocation.json:
        invocation.show({"ok": found.ok, "problems": found.problems})
    else:
        _print_verification(found)
    return Exit.DONE if found.ok else Exit.NEGATIVE


def _print_verification(found: Verification) -> None:
    if not found.problems:
        print("Everything is in order.")
        return
    made = table("Where", "What", "Memory", "Mended", flexible="What")
    for problem in found.problems:
        made.add_row(
            problem.place,
            printable(in_shell_words(problem.problem, {})),
            problem.memory_id or "",
            "yes" if problem.repaired else "no",
        )
    console().print(made)
    left = {problem.place for problem in found.problems if not problem.repaired}
    if not left:
        print("Everything is in order now.")
    elif left != {CERTIFICATE}:
        print("Restore a backup, or export what is left.")


@click.command(
    "reembed",
    cls=Command,
    short_help="Give every memory a vector by the present model.",
    epilog='JSON: {"model", "embedded", "remaining"}',
)
@click.pass_obj
def reembed(invocation: Invocation) -> int:
    """Give every memory a vector by --embedder, also when the store had another model.

    Until it is done memories without a new vector are found by their words. It can be interrupted
    and run again.
    """
    url = invocation.url
    require_store(url)
    model = embedder_of(invocation.embedder, Settings())
    if model is None:
        raise Misconfigured("there is no embedder to re-embed with; name one with --embedder")
    done = _reembedded(url, model)
    if invocation.json:
        invocation.show(done)
    else:
        print(f"{done.embedded:,} memories embedded by {done.model}; {done.remaining:,} remain.")
    return Exit.NEGATIVE if done.remaining else Exit.DONE


def _reembedded(url: str, model: Embedder) -> Reembedded:
    try:
        with perdure.open(url, embedder=model) as memory:
            return _watched(memory, None)
    except EmbedderMismatch:
        with perdure.open(url, embedder="off") as memory:
            return _watched(memory, model)


def _watched(memory: MemoryManager, model: Embedder | None) -> Reembedded:
    """Re-embed while a bar shows how many memories still wait."""
    if not people_watch():
        return memory.reembed(model)
    with ThreadPoolExecutor(1) as pool, bar("Embedding") as advance:
        work: Future[Reembedded] = pool.submit(memory.reembed, model)
        most = 0
        while True:
            try:
                return work.result(timeout=LOOK_EVERY_S)
            except NotYet:
                waiting = memory.stats(everything=True).without_vector
                most = max(most, waiting)
                advance(most - waiting, most, f"{waiting:,} wait")
