"""The paper's own moves: one draw, one inversion count, one ρ at a time."""
