"""Requests over HTTP: the only part of the engine that speaks it."""
