"""Does the newest of conflicting facts come first?

`units` reads the stores and questions, `running` fills and asks a memory, `scoring` adds up.
"""
