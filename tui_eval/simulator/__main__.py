"""Starts the simulator by itself: python -m tui_eval.simulator [options], which --help lists."""

import argparse
import asyncio
import errno
import math
import resource
import signal
import sys
from pathlib import Path

from tui_eval.simulator.answers.perfect import Targets, read_targets
from tui_eval.simulator.server import HOST, Simulator

_WANTED_FILES = 65_536
_LAST_PORT = 65_535


def main() -> int:
    """Run until SIGINT or SIGTERM. Exit codes: 0 stopped as asked, 2 wrong options or the port cannot be used."""
    options = _options()
    _allow_many_connections()
    try:
        asyncio.run(_serve(options))
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        reason = "is already in use" if taken else f"cannot be used ({error.strerror or error})"
        print(f"Port {options.port} on {HOST} {reason}. Choose another with --port, or --port 0.", file=sys.stderr)
        return 2
    return 0


async def _serve(options: argparse.Namespace) -> None:
    stopped = asyncio.Event()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signal_number, stopped.set)
    simulator = Simulator(options.seed, options.latency_scale, batch_s=options.batch_seconds, targets=options.answers)
    print(await simulator.start(options.port), flush=True)
    print(f"Simulator ready: every reply is simulated (seed {options.seed}). Ctrl-C stops it.", file=sys.stderr)
    await stopped.wait()
    await simulator.stop()
    print(f"Simulator stopped after {simulator.stats()['requests']} requests.", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tui_eval.simulator", description="A pretend model service on this machine; no key is needed."
    )
    parser.add_argument("--port", type=_port, default=8765, help="port on 127.0.0.1; 0 = any free one (default 8765)")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other answers (default 0)")
    parser.add_argument("--latency-scale", type=_scale, default=1.0, help="0 = at once, 2 = twice as slow (default 1)")
    parser.add_argument("--batch-seconds", type=_scale, default=0.0, help="how long a batch takes (default 0: no time)")
    parser.add_argument(
        "--answers",
        type=_targets,
        metavar="FILE",
        help='what sim-oracle knows: [{"question": "...", "answer": "..."}, ...]',
    )
    return parser.parse_args()


def _targets(path: str) -> Targets:
    try:
        return read_targets(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{path}: cannot be read: {error}") from None


def _port(text: str) -> int:
    if not 0 <= (port := int(text)) <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"must be from 0 to {_LAST_PORT}")
    return port


def _scale(text: str) -> float:
    scale = float(text)
    if scale < 0 or not math.isfinite(scale):
        raise argparse.ArgumentTypeError("must be 0 or more")
    return scale


def _allow_many_connections() -> None:
    """Each connection is an open file, and the usual limit of 1,024 would stop a benchmark."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(_WANTED_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


if __name__ == "__main__":
    sys.exit(main())
