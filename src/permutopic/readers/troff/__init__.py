"""The source of manual pages: troff's lines and escapes, and the macro languages man and mdoc."""
