"""The default's moves: whole structures at a time, topics renumbered or given up."""
