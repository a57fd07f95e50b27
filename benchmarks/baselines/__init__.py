"""Systems to compare with: a minimal raw SQLite store and installable peers."""
