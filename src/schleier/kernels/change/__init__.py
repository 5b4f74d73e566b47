"""New values in place of old ones, and how analysts correct for them."""
