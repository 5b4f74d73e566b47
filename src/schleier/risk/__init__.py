"""Risk measures, one file each."""
