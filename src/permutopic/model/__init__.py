"""The Generalized Mallows content model: its definition, and how it is sampled."""
