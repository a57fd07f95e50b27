"""The languages that are understood: a folder each, listed in `known` and `known_times`."""
