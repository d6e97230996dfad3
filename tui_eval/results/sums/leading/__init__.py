"""Who leads: models held against each other, and the verdict on them in two lines."""
