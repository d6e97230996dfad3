"""Sending a recorded call again, in other words."""
