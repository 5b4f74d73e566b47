"""Which cells must go."""
