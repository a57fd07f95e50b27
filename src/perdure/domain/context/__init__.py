"""The turns of one conversation, and which of them the next model call sees."""
