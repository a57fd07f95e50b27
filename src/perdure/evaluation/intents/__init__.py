"""What does a message ask of the memory: create, update, delete, consolidate, or none?

`items` reads the labelled messages, `running` gives them to a memory, `scoring` adds up.
"""
