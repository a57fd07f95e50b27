"""Long-term memory for AI agents that stays true over time.

import perdure

with perdure.open("memory.db") as memory:
    ilka = memory.scoped(user="ilka", agent="tutor")
    ilka.remember("My favourite opening is the Caro-Kann.")
    for hit in ilka.recall("which chess opening?"):
        print(hit.score, hit.memory.content)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from perdure.bootstrap import open_async
from perdure.client import AsyncMemoryManager
from perdure.config import Settings
from perdure.domain.changes import JournalEntry, Operation
from perdure.domain.plans import Action, ActionKind, Plan
from perdure.domain.ranking import AGENT_IO, BALANCED, SEED_WEIGHTED, Explanation, Preset
from perdure.domain.records import Attachment, Kind, Memory, Source, State
from perdure.domain.results import (
    CaughtUp,
    Citation,
    Decision,
    Exported,
    Feedback,
    Forgotten,
    Hit,
    Imported,
    MaintenanceStatus,
    Observed,
    Outcome,
    Page,
    Problem,
    PutAway,
    Recall,
    RecalledText,
    Reembedded,
    Remembered,
    Restored,
    Stats,
    Verification,
)
from perdure.domain.results import PastChange as Change
from perdure.domain.scope import Scope
from perdure.domain.usage import Usage
from perdure.domain.utility import UtilityPeriod
from perdure.errors import (
    Closed,
    Conflict,
    CorruptArchive,
    CorruptStore,
    EmbedderMismatch,
    EmbedderRejected,
    EmbedderUnavailable,
    InvalidInput,
    LanguageModelRejected,
    LanguageModelUnavailable,
    Misconfigured,
    NewerStore,
    NotFound,
    PerdureError,
    PermissionDenied,
    Unavailable,
    UnreadableAnswer,
    UnsupportedFilter,
)
from perdure.ports.embedder import (
    Embedder,
    EmbeddingModel,
    TokenEmbedder,
    TokenModel,
    TokenRows,
)
from perdure.ports.language_model import LanguageModel
from perdure.ports.store import Store
from perdure.sync import MemoryManager, open  # noqa: A004 - the promised name

if TYPE_CHECKING:  # what many programs have no use for is loaded when it is asked for
    from perdure.domain.certificates import Certificate
    from perdure.domain.context.results import Window
    from perdure.domain.context.shrinking import Shortened
    from perdure.domain.context.summary import Line as SummaryLine
    from perdure.domain.context.summary import Summary
    from perdure.domain.context.turns import ContextTurn, ToolCall
    from perdure.domain.graph import Entity, Inferred, Rule
    from perdure.domain.working import FinishedTask, Step, StepState, Task

__version__ = "0.1.0"

__all__ = [
    "AGENT_IO",
    "BALANCED",
    "SEED_WEIGHTED",
    "Action",
    "ActionKind",
    "AsyncMemoryManager",
    "Attachment",
    "CaughtUp",
    "Certificate",
    "Change",
    "Citation",
    "Closed",
    "Conflict",
    "ContextTurn",
    "CorruptArchive",
    "CorruptStore",
    "Decision",
    "Embedder",
    "EmbedderMismatch",
    "EmbedderRejected",
    "EmbedderUnavailable",
    "EmbeddingModel",
    "Entity",
    "Explanation",
    "Exported",
    "Feedback",
    "FinishedTask",
    "Forgotten",
    "Hit",
    "Imported",
    "Inferred",
    "InvalidInput",
    "JournalEntry",
    "Kind",
    "LanguageModel",
    "LanguageModelRejected",
    "LanguageModelUnavailable",
    "MaintenanceStatus",
    "Memory",
    "MemoryManager",
    "Misconfigured",
    "NewerStore",
    "NotFound",
    "Observed",
    "Operation",
    "Outcome",
    "Page",
    "PerdureError",
    "PermissionDenied",
    "Plan",
    "Preset",
    "Problem",
    "PutAway",
    "Recall",
    "RecalledText",
    "Reembedded",
    "Remembered",
    "Restored",
    "Rule",
    "Scope",
    "Settings",
    "Shortened",
    "Source",
    "State",
    "Stats",
    "Step",
    "StepState",
    "Store",
    "Summary",
    "SummaryLine",
    "Task",
    "TokenEmbedder",
    "TokenModel",
    "TokenRows",
    "ToolCall",
    "Unavailable",
    "UnreadableAnswer",
    "UnsupportedFilter",
    "Usage",
    "UtilityPeriod",
    "Verification",
    "Window",
    "open",
    "open_async",
]

_LATER = {
    "Certificate": "perdure.domain.certificates",
    "ContextTurn": "perdure.domain.context.turns",
    "Entity": "perdure.domain.graph",
    "FinishedTask": "perdure.domain.working",
    "Inferred": "perdure.domain.graph",
    "Rule": "perdure.domain.graph",
    "Shortened": "perdure.domain.context.shrinking",
    "Step": "perdure.domain.working",
    "StepState": "perdure.domain.working",
    "Summary": "perdure.domain.context.summary",
    "SummaryLine": "perdure.domain.context.summary:Line",
    "Task": "perdure.domain.working",
    "ToolCall": "perdure.domain.context.turns",
    "Window": "perdure.domain.context.results",
}


def __getattr__(name: str) -> object:
    place = _LATER.get(name)
    if place is None:
        raise AttributeError(f"module 'perdure' has no attribute {name!r}")
    module, _, own = place.partition(":")
    found: object = getattr(import_module(module), own or name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
