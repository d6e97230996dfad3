"""Replies of the simulated models: prompts understood, and answers, marks, questions and graphs made for them."""
