"""The Generalized Mallows content model: what it says, and how it is sampled."""
