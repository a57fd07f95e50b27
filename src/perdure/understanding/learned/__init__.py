"""The learned part: one small network that reads a message, or a statement beside another one."""
