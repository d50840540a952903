"""From text to units and from units to tokens, in any language."""
