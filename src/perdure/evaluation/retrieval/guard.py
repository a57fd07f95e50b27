"""What keeps a run honest: the shipped calls, on the shipped configuration, or no figures at all."""

from __future__ import annotations

from perdure import sync
from perdure.config import Settings
from perdure.domain.results import Recall
from perdure.errors import Misconfigured
from perdure.evaluation.running import Setting
from perdure.sync import MemoryManager

CALLS = ("remember", "recall", "recall_context", "scoped", "stats")
"""The public calls that a run makes."""
PROBE = "A probe for the configuration."


def shipped_hash(setting: Setting) -> str:
    """What names the configuration of a memory with the defaults and the setting's embedder."""
    with sync.open("memory://", embedder=setting.embedder, settings=Settings()) as memory:
        memory.remember(PROBE)
        return memory.recall(PROBE)[0].explanation.config_hash


def require_public(memory: MemoryManager) -> None:
    """Raises `Misconfigured` unless the calls are those that every program makes."""
    kind = type(memory)
    for name in CALLS:
        call = getattr(kind, name, None)
        if kind is not MemoryManager or not _is_ours(call) or name in vars(memory):
            raise Misconfigured(
                f"figures count for the public calls only, and {name} is another's; "
                "run the evaluation on an unchanged package"
            )


def _is_ours(call: object) -> bool:
    return str(getattr(call, "__module__", "")).startswith("perdure.sync")


def require_shipped(found: Recall, config_hash: str) -> None:
    """Raises `Misconfigured` unless every hit comes from that configuration and explains its score."""
    for hit in found:
        if hit.explanation.config_hash != config_hash:
            raise Misconfigured(
                "figures count for the shipped configuration only, and an answer came from "
                f"{hit.explanation.config_hash} in place of {config_hash}; "
                "run the evaluation without settings of your own"
            )
        if hit.explanation.recomputed() != hit.score:
            raise Misconfigured(f"the score of {hit.memory.id} is not what its explanation says")
