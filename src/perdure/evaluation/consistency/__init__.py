"""Does a memory hold the right thing true after people change their minds?

`scenarios` reads them, `running` plays them to a memory, `checks` decides each check from what
came back, and `figures` adds up. The rules are told in `suites/README.md`.
"""
