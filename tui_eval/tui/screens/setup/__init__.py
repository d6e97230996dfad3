"""Setting up a run: where it starts from, its form, what it would do, and its prompts before they are sent."""
