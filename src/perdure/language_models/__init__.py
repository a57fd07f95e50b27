"""Language models behind remote services."""
