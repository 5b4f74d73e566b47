"""Moments, dependence, models, trials."""
