"""Which facts does a message state, and which does it only seem to state?

`items` reads the labelled messages, `running` gives them to a memory, `matching` compares facts,
`neutrality` names those that are neither right nor wrong, and `scoring` adds up.
"""
