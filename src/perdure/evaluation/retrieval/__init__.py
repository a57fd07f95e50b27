"""Are the memories found that answer a question?

`units` reads the stores and questions, `arms` fills a memory and ranks by each way of asking,
`metrics` and `scoring` add up, `running` does it all.
"""
