"""The fenced child itself: takes jobs as JSON lines, and gives a JSON line back for each.

`python -I -m tui_eval.evaluation.scoring.fence.worker LIMITS`; LIMITS is JSON: "seconds" of the processor for each job, and
"memory" in bytes. A job that takes longer ends the process by a signal, which no regular expression or formula can hold back.
It opens no connection, starts no process and writes no file.
"""

from __future__ import annotations

import json
import logging
import os
import re
import resource
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

_FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.fork", "os.system", "os.remove", "os.rename")
"""What the interpreter is about to do when it tells its audit hooks, and must not."""
_FILES = 64


def found_by_regex(order: Mapping[str, Any]) -> Any:
    """Search the last match of a pattern in a text: [start, end of group 1 or of the match], None where there is none.

    `whole`: the pattern must match the whole text.
    """
    warnings.simplefilter("ignore")
    pattern, text = re.compile(order["pattern"]), order["text"]
    matches = [pattern.fullmatch(text)] if order["whole"] else deque(pattern.finditer(text), maxlen=1)
    match = matches[0] if matches else None
    if match is None:
        return None
    group = 1 if pattern.groups and match[1] is not None else 0
    return [*match.span(group)]


def schema_problem(order: Mapping[str, Any]) -> Any:
    """Say in a sentence what in a value goes against a JSON Schema; empty where nothing does. Nothing is retrieved."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    schema, value = json.loads(order["schema"]), json.loads(order["value"])
    validator = validator_for(schema, default=Draft202012Validator)
    try:
        error = best_match(validator(schema, registry=Registry()).iter_errors(value))
    except Unresolvable as unresolvable:
        raise ValueError(f"the schema refers to {unresolvable}, which it does not hold") from None
    return "" if error is None else f"{error.json_path}: {error.message}"[:300]


def equal_formulas(order: Mapping[str, Any]) -> Any:
    """Return whether two formulas are equal: [True or False, the reply's as parsed]; [None, ""] where nothing was parsed.

    By math-verify. ValueError where the target holds no formula.
    """
    try:
        from math_verify import parse, verify
    except ImportError:
        raise ValueError("math-verify is not installed: pip install 'tui-eval[math]'") from None
    target = parse(_as_formula(order["target"]), parsing_timeout=None)
    if not target:
        raise ValueError("no formula in the target")
    formula = parse(order["text"], parsing_timeout=None)
    if not formula:
        return [None, ""]
    return [bool(verify(target, formula, timeout_seconds=None)), str(formula[-1])[:200]]


def _as_formula(target: str) -> str:
    """A bare target in dollar signs: what marks no formula is read as plain numbers alone otherwise."""
    return target if "$" in target or "\\boxed" in target or "\\(" in target or "\\[" in target else f"${target}$"


JOBS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "regex": found_by_regex,
    "schema": schema_problem,
    "math": equal_formulas,
}


def main() -> int:
    """Do jobs until standard input ends."""
    limits = json.loads(sys.argv[1])
    out = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no result
    _confine(limits["memory"])
    for line in sys.stdin.buffer:
        order = json.loads(line)
        _load(order["job"])
        signal.setitimer(signal.ITIMER_PROF, limits["seconds"])
        result = _job_result(order)
        signal.setitimer(signal.ITIMER_PROF, 0)
        _print(out, result)
    return 0


def _load(job: str) -> None:
    """Load what a job needs before its time runs: sympy alone takes a second."""
    with suppress(ImportError):
        if job == "math":
            import math_verify  # noqa: F401
        elif job == "schema":
            import jsonschema  # noqa: F401


def _job_result(order: Mapping[str, Any]) -> dict[str, Any]:
    """The value of a job or its fault; a hostile text can bring a library to raise anything at all."""
    try:
        return {"value": JOBS[order["job"]](order)}
    except MemoryError:
        return {"fault": "needed too much memory"}
    except RecursionError:
        return {"fault": "nested too deeply"}
    except Exception as error:
        return {"fault": " ".join(str(error).split())[:300] or type(error).__name__}


def _confine(memory: int) -> None:
    """Give this process at most so much memory, and take from it what no job needs."""
    logging.disable()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    sys.addaudithook(_refuse)
    for limit, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _FILES),
    ):
        with suppress(ValueError, OSError):  # a system may not know one of them, or allow less already
            resource.setrlimit(limit, (most, most))


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    writing = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if writing or event.startswith(_FORBIDDEN):
        raise PermissionError(f"scoring needs no {event}")


def _print(out: int, result: dict[str, Any]) -> None:
    data = json.dumps(result).encode() + b"\n"
    while data:
        data = data[os.write(out, data) :]


if __name__ == "__main__":
    sys.exit(main())
