"""Formulas: estimates with their n and interval, paired comparison, bias. Pure."""
