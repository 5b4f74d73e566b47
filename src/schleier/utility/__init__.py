"""Information-loss measures, one file each."""
