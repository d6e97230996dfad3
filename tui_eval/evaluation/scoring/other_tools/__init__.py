"""Scorers that follow other tools, quirks included: lm-evaluation-harness, SQuAD's script, promptfoo."""
