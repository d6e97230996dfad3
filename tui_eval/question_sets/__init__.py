"""The sets of questions of a workspace: read, selected from, changed, brought in."""
