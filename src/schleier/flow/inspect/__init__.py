"""The risk of a file as it is, and the few changes that would reduce it most."""
