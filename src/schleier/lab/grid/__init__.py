"""A grid of experiments: releases, techniques, thresholds, keys and knowledge, every combination tried."""
