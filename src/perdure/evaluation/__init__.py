"""Measuring how well memories are understood and recalled, on labelled files."""
