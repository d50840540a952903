"""From paths to a corpus: reading, cutting, encoding, diagnostics, inspection."""
