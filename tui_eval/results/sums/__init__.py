"""What scores come to, for every kind: estimates, pairs, ranks, consistency, gates; pure."""
