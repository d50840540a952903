"""Choice of the number of topics."""
