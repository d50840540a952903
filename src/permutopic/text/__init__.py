"""Division of text into units and tokens, in any language."""
