"""What the engine needs from outside, in domain terms."""
