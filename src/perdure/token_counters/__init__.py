"""Exact token counts, where a model's tokenizer is at hand."""
