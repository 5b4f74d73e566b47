"""Attacks on a finished release: what an attacker with a file of names makes of it, and who can tell."""
