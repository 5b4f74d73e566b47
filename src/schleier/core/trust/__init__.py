"""The trustee, what he answers, and what an attacker sees."""
