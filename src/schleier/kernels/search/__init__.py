"""Walks through lattices and partitions."""
