"""Searches for the least loss that keeps the criteria."""
