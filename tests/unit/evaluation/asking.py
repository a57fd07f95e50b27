"""A small file of documents and questions."""

from __future__ import annotations

import gzip
import json

from perdure.evaluation.retrieval.units import Unit, read_units


def a_file(**parts):
    """One unit, with parts replaced."""
    documents = [
        {"id": "d1", "text": "The kiln is fired on Tuesdays.", "speaker": "Ann",
         "session": "s1", "time": "2:10 pm on 4 March, 2024"},
        {"id": "d2", "text": "Glazes stand on the upper shelf.", "speaker": "Bo",
         "session": "s1", "time": "2:10 pm on 4 March, 2024"},
        {"id": "d3", "text": "Rent is due on the first.", "time": 7},
    ]  # fmt: skip
    queries = [
        {"qid": "q1", "text": "When is the kiln fired?", "gold": ["d1"], "category": "one",
         "answer": "on Tuesdays"},
        {"qid": "q2", "text": "Where do the glazes stand?", "gold": ["d2"], "category": "two",
         "answer": "the cellar"},
        {"qid": "q3", "text": "zzyzx", "gold": [], "category": "none"},
    ]  # fmt: skip
    unit = {"unit": "pottery", "docs": documents, "queries": queries, **parts}
    return gzip.compress(json.dumps({"meta": {"lang": "en"}, "units": [unit]}).encode())


def pottery() -> list[Unit]:
    """The units of that file."""
    return read_units(a_file())
