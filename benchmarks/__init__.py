"""Benchmarks of the embedded product beside a raw-SQLite baseline and its peers. See README.md."""
