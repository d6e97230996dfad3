"""Scorers: rules that compare a reply with its target, without a model, as metrics that tables and gates know."""
