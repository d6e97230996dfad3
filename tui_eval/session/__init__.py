"""From a config to a prepared run, and from a log back to reports."""
