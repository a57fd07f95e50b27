"""Systems under test that belong to this project."""
