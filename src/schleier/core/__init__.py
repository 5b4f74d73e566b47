"""The nouns and protocols everything else is built on."""
