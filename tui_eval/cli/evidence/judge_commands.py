"""Verbs `judge certify` and `judge list`: certificates of judges, by a person's marks."""

from __future__ import annotations

from tui_eval.cli.verb import Verb

VERBS: tuple[Verb, ...] = ()
