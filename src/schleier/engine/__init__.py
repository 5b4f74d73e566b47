"""The only code that knows a database."""
