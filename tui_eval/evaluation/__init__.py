"""The protocol of a kind of evaluation, and what drives it: flows, samples, plans, reports that kinds share."""
