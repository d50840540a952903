"""Fitting and scoring: evaluation against headings, the ordering task, the demo."""
