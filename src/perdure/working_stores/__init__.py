"""Where tasks under way are kept: in the process, or on Redis."""
