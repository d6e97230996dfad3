"""What scores come to: tables, comparisons, and answers read back."""
