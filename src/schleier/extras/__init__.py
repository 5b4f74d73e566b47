"""Wings: small houses with the same rooms, each with an optional stack of its own; none is imported before it is used.

What a wing may do and must not is told in docs/decisions/0016-wings.md.
"""
