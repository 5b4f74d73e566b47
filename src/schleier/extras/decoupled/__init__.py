"""Decoupled pseudonyms: one party knows who takes part, another what is known of pseudonyms, none who is who."""
