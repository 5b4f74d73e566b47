"""The recipe: read, joined with its parents, checked and written down."""
