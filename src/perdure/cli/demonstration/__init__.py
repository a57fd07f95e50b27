"""The demonstration: a shipped conversation, and what is asked about it."""
