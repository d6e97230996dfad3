"""A config while it is edited: drafts, fields, problems, and the plan of what it would do."""
