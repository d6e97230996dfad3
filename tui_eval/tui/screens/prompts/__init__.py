"""The screen of prompts, and one prompt in full."""
