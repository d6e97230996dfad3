"""The log of a run read for a person while it grows: indexed, summed up, searched, ordered."""
