"""Searching one user's memories in memory: columns, terms and vectors as arrays.

Knows no database. A store loads a `Partition` from what it keeps and tells it what changed.
"""
