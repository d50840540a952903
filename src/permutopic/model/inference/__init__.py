"""Structures of documents given a fitted state, which stays as it is."""
