"""Compiled code shared by fits and inference: span table, sums over bags, placement, Viterbi."""
