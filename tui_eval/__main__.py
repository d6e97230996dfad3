"""The command tui-eval, and python -m tui_eval: whenever Ctrl-C comes, no traceback ends it."""

from __future__ import annotations

import signal
import sys

from tui_eval.workspace.memory_limits import lacks_memory, memory_words


def main() -> int:
    """Do what the command line asks for; its exit code, 130 where Ctrl-C came before or after there was anything to end.

    Once it is done Ctrl-C changes nothing any more: the process is ending.
    """
    try:
        from tui_eval.cli.command_line import main as command

        return command()
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if not lacks_memory(error):
            raise
        print(f"error: {memory_words('nothing was begun')}", file=sys.stderr)  # not even enough to load the program
        return 3
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
