"""Parts of the reader of manual pages: troff requests and escapes, the macros of man and mdoc."""
