"""Bundled embedders."""
