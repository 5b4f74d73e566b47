"""What can be told about a value from a release."""
