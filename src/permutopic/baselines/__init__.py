"""Methods to compare with (docs/rivals.md)."""
