"""The example world: an invented population with households, places and secrets, in place of confidential data."""
