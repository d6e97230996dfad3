"""A run's config while it is being put together: its fields, its draft, what it would do."""
