"""Chinese, in simplified and traditional characters."""
