"""Records of two files that belong together."""
