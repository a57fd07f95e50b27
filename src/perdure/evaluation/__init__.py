"""Measuring how well memories are understood, kept true and recalled, on labelled files.

- `consistency`: does a memory hold the right thing true after a conversation?
- `intents`: what does a message ask of the memory?
- `extraction`: which facts does a message state?
- `dates`: which times does it name?
- `consolidation`: does the newest of conflicting facts come first?
- `retrieval`: do the memories come that answer a question?

Each runs through the public calls, scores with pure functions, and answers with a `report.Report`.
`perdure eval` is its command line.
"""
