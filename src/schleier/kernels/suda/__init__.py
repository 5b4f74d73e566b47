"""Minimal uniques and what they weigh."""
