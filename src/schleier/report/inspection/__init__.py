"""An inspection as a page and for the terminal."""
