"""A run: rows in, steps and measures, and who is who."""
