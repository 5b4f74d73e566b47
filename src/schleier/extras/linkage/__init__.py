"""Linking persons and records by how likely they are the same, learnt from the files alone."""
