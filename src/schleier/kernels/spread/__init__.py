"""How sensitive values spread over classes."""
