"""Pseudonyms of whole columns: permutations, digests and check digits."""
