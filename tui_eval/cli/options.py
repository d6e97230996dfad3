"""Options that several verbs of the command line have."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

Arguments = argparse.ArgumentParser
LEAVING = "data sent: {}--allow-egress HASH, --allow-secret-file PATH"
"""A line below the options of a verb that sends prompts and files; that of `run` says how it is listed."""


def either(names: Iterable[str]) -> str:
    """Return names as a help text lists them: csv, json or md."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def run(parser: Arguments) -> None:
    """Add the argument for the run that a verb is about."""
    parser.add_argument("run", metavar="RUN", help="a run folder, or the id of a run")


def runs(parser: Arguments) -> None:
    """Add the argument for the runs that a verb is about."""
    parser.add_argument("runs", metavar="RUN", nargs="+", help="run folders, or ids of runs")


def json(parser: Arguments, text: str = "print JSON, for programs") -> None:
    """Add the option for JSON output."""
    parser.add_argument("--json", action="store_true", help=text)


def set(parser: Arguments) -> None:
    """Keys of a config that are overridden."""
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override a config key: run.seed=7")


def keys_file(parser: Arguments) -> None:
    """A file of keys besides the .env."""
    parser.add_argument("--keys-file", type=Path, metavar="FILE", help="a .env file that holds the API keys")


def leaving(parser: Arguments) -> None:
    """Add the options of a verb that sends prompts and files."""
    parser.add_argument("--allow-egress", metavar="HASH", default="", help=argparse.SUPPRESS)
    paths: list[Path] = []
    parser.add_argument(
        "--allow-secret-file", metavar="PATH", type=Path, action="append", default=paths, help=argparse.SUPPRESS
    )
    listing = "--dry-run --egress; " if any("--egress" in action.option_strings for action in parser._actions) else ""
    parser.epilog = f"{LEAVING.format(listing)}\n{parser.epilog or ''}".strip()


def models(parser: Arguments, text: str, required: bool = False) -> None:
    """Add the option that limits a verb to some models."""
    parser.add_argument("--models", metavar="A,B", required=required, help=text)


def asking(parser: Arguments) -> None:
    """Add the options of a verb that asks models."""
    set(parser)
    parser.add_argument("--offline", action="store_true", help="answer from the log, send nothing")
    parser.add_argument("--cluster", metavar="C", default="", help="ask by workers: local:4, or a TOML file; --workers MIN:MAX")
    parser.add_argument("--workers", metavar="MIN:MAX", default="", help=argparse.SUPPRESS)
    parser.add_argument("--insecure-cluster", action="store_true", help=argparse.SUPPRESS)
    unchecked(parser)
    keys_file(parser)
    leaving(parser)
    json(parser, "print one JSON object on standard output at the end")


def unchecked(parser: Arguments) -> None:
    """Add the options of a verb that runs: checks that are left out."""
    parser.add_argument("--no-preflight", action="store_true", help="skip the tiny first question to each model")
    parser.add_argument("--no-lock", action="store_true", help=argparse.SUPPRESS)  # for disks without locks: docs/running.md


def out(parser: Arguments) -> None:
    """Add the options for the place of a run folder."""
    words = "run folder (default: runs/ID); --force moves an old one"
    parser.add_argument("--out", type=Path, metavar="DIR", help=words)
    parser.add_argument("--force", action="store_true", help=argparse.SUPPRESS)
