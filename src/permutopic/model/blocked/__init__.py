"""The default's moves: whole structures at a time, relabelling, pruning."""
