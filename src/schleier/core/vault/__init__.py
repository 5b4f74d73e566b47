"""The vault: which person stands behind which random token, sealed row by row in one file."""
