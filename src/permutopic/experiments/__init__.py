"""Comparison of methods on one corpus, and the evaluation of a single fit."""
