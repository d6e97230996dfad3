"""Assertions of promptfoo, as its documentation describes them: what they ask for, and which of them a rule can judge."""
