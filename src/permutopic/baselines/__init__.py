"""Methods to compare with (docs/studies/rivals.md)."""
