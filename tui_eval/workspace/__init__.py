"""Workspace files: folders, TOML configs read into typed settings, key files and secrets."""
