"""The laboratory: what experiments with attacks need around them, such as files that disagree as real ones do."""
