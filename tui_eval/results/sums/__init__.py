"""Statistics of scores, for every kind: estimates, pairs, ranks, consistency, gates; pure."""
