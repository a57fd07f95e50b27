"""Chat transcripts as episodic memories: each message once, however often a file is read.

import perdure
from perdure.importers import import_transcript

with perdure.open("memory.db") as memory:
    report = import_transcript(memory.scoped(user="ilka"), "conversations.json")
    print(report.stored, "new,", report.known, "known already,", len(report.problems), "left out")
"""

from perdure.importers.formats import FORMATS, format_of
from perdure.importers.loading import TranscriptReport, import_transcript
from perdure.importers.turns import LeftOut
from perdure.importers.watching import Progress

__all__ = [
    "FORMATS",
    "LeftOut",
    "Progress",
    "TranscriptReport",
    "format_of",
    "import_transcript",
]
