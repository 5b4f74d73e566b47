"""Which few changes of a file reduce its risk most, measured on its classes."""
