"""What models and methods give: predictions, inferred documents, alignments, segments, tables."""
