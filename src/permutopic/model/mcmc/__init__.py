"""Running chains: the loop over moves, annealing, several chains, convergence."""
