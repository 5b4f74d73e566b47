"""A release as a document people read."""
