"""A pseudonym service: persons are recognised in spite of errors, and get one pseudonym each."""
