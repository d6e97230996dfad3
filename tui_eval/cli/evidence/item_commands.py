"""Verb `items`: which questions of a run tell its models apart, and which to look at."""

from __future__ import annotations

from tui_eval.cli.verb import Verb

VERBS: tuple[Verb, ...] = ()
