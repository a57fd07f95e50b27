"""The use cases. They know ports only; each module is one of them."""
