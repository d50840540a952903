"""Parts of the Word reader: the package, its styles, its body."""
