"""Results of scores: tables, comparisons, and answers read back."""
