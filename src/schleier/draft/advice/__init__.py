"""From a few answers to an outcome, a profile and its parameters: questions, rules and words are data."""
