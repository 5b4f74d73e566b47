"""Records that are alike, in groups, and the value they share."""
