"""A grid of experiments as a page and for the terminal."""
