"""Verb `aa`: a run asked again as it is, its noise floor, and what its gate would catch."""

from __future__ import annotations

from tui_eval.cli.verb import Verb

VERBS: tuple[Verb, ...] = ()
