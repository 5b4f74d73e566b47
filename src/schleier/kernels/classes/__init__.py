"""Equivalence classes: coding, rolling up, who stands alone."""
