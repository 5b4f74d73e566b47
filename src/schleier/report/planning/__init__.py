"""A plan of a survey as a page and for the terminal."""
