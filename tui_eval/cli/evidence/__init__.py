"""Verbs of evidence: what judges, repeats of a run and single items say of its result."""

from tui_eval.cli.evidence import bench_commands, item_commands, judge_commands, repeat_commands

VERBS = (*judge_commands.VERBS, *repeat_commands.VERBS, *item_commands.VERBS, *bench_commands.VERBS)
