"""From recipe to release: load, check, run, write."""
