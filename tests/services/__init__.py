"""Real servers for the tests, started when a test first asks and stopped at the end."""
