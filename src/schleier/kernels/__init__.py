"""Pure array functions; imports nothing of ours."""
