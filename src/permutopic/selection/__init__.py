"""Choosing the number of topics."""
