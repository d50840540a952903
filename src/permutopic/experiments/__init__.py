"""Fit and score: what the command line's `evaluate` and `demo` do."""
