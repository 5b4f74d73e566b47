"""Inputs nobody would write, and ends nobody expects: whether commands stay polite, tidy and silent about values."""
