"""What language models are asked: versioned files, one for each language."""
