"""The command line with the tests' own kinds in the registry: `python own_kind_run.py --run CONFIG ...`."""

from __future__ import annotations

import sys

from samples import registered

from tui_eval.cli.command_line import main

if __name__ == "__main__":
    with registered():
        sys.exit(main(sys.argv[1:]))
