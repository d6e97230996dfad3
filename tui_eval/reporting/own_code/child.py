"""The process that imports a person's own scorer and calls it: jobs as JSON lines on one pipe, a JSON line back on another.

`python -I -m tui_eval.reporting.own_code.child ORDER`; ORDER is JSON: "folder", "file" and "function", the descriptors "jobs"
and "results", and "memory", the address space in bytes. It runs as the person who started it and can read what that person can.
Its limits are against accidents, not malice: the process that started it watches time and memory, and ends it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
import resource
import sys
import traceback
from contextlib import suppress
from types import ModuleType, SimpleNamespace
from typing import Any

MOST_ENTRIES = 100
"""Entries of a dict that a function returns."""
_LONGEST = 300


class _UnusableValueError(Exception):
    """A value that a function returned and that is no score."""


def main() -> int:
    """Import the function, tell of which files it is made, and score until the jobs end."""
    order = json.loads(sys.argv[1])
    jobs, results = order["jobs"], order["results"]
    for descriptor in (jobs, results):
        os.set_inheritable(descriptor, False)  # what the code starts must not hold them open
    _confine(order["memory"])
    own_process = os.getpid()
    sys.dont_write_bytecode = True
    folder = os.path.realpath(order["folder"])
    try:
        function = _function(folder, order["file"], order["function"])
    except BaseException as error:  # whatever an import may raise, SystemExit included
        _print(results, {"fault": f"cannot be imported: {_words(error, folder)}"})
        return 0
    files = _files(folder)
    _print(results, {"files": files})
    n_modules = len(sys.modules)
    with os.fdopen(jobs, "rb") as lines:
        for line in lines:
            result = _result(function, json.loads(line), folder)
            if os.getpid() != own_process:
                os._exit(0)  # a copy of this process that the function made: its caller answers
            if len(sys.modules) != n_modules:
                n_modules = len(sys.modules)
                if (newer := _files(folder)) != files:
                    files = newer
                    result["files"] = files
            _print(results, result)
    return 0


def _confine(memory: int) -> None:
    for limit, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):  # a system may not know one of them, or allow less already
            resource.setrlimit(limit, (most, most))


def _function(folder: str, file: str, name: str) -> Any:
    """The function of that name in a file of the folder, from which other modules can be imported, too."""
    path = os.path.join(folder, file)
    if not os.path.isfile(path):
        raise FileNotFoundError(f"there is no {file} in {folder}")
    os.chdir(folder)
    sys.path.insert(0, os.path.dirname(path))
    stem = os.path.basename(path).removesuffix(".py")
    module_name = f"own_{stem}" if stem in sys.modules or stem in sys.stdlib_module_names else stem
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise AttributeError(f"there is no function {name!r} in {file}")
    return function


def _files(folder: str) -> dict[str, str]:
    """The files of the folder that were imported so far, by their paths from it, each with its SHA-256."""
    hashes: dict[str, str] = {}
    for module in [*sys.modules.values()]:
        path = _path_in(folder, module)
        if path:
            with suppress(OSError), open(os.path.join(folder, path), "rb") as stream:
                hashes[path] = hashlib.sha256(stream.read()).hexdigest()
    return dict(sorted(hashes.items()))


def _path_in(folder: str, module: ModuleType) -> str:
    """The path of a module's file from the folder; empty of a module that lies elsewhere, or in an environment of packages."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or getattr(module, "__name__", "").split(".")[0] == "tui_eval":
        return ""
    real = os.path.realpath(file)
    installed = any(real.startswith(f"{os.path.realpath(place)}/") for place in {sys.prefix, sys.base_prefix})
    path = os.path.relpath(real, folder)
    return "" if path.startswith("../") or "site-packages" in path or (installed and not _holds(folder)) else path


def _holds(folder: str) -> bool:
    """Return whether the folder itself lies within the interpreter's, as where all is kept in one place."""
    return any(f"{folder}/".startswith(f"{os.path.realpath(place)}/") for place in {sys.prefix, sys.base_prefix})


def _result(function: Any, job: dict[str, Any], folder: str) -> dict[str, Any]:
    """The value that the function gives, or why there is none: what it raises costs its own sample."""
    try:
        return {"value": _plain(function(job["reply"], SimpleNamespace(**job["sample"])))}
    except BaseException as error:
        return {"why": _words(error, folder)}


def _plain(value: Any) -> Any:
    """A value that JSON can hold: a bool, a finite number, or a dict of these in which a reason stands for what is none."""
    if isinstance(value, dict):
        if len(value) > MOST_ENTRIES:
            raise _UnusableValueError(f"returned a dict of {len(value):,} entries, of at most {MOST_ENTRIES}")
        return {str(name)[:100]: _entry(each) for name, each in value.items()}
    return _number(value)


def _entry(value: Any) -> Any:
    try:
        return _number(value)
    except _UnusableValueError as error:
        return str(error)


def _number(value: Any) -> bool | float:
    if not isinstance(value, bool | int | float) and hasattr(value, "item"):
        value = value.item()  # as a scalar of numpy
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | float):
        shown = "None" if value is None else f"a value of type {type(value).__name__}"
        raise _UnusableValueError(f"returned {shown}, which is no bool, no number and no dict of these")
    number = float(value)
    if not math.isfinite(number):
        raise _UnusableValueError(f"returned {number}, which is no number")
    return number


def _words(error: BaseException, folder: str) -> str:
    """An error on one line, with the line of the folder's code that raised it."""
    if isinstance(error, _UnusableValueError):
        return str(error)
    try:
        text = " ".join(str(error).split())
    except BaseException:  # an error of one's own may raise another when it is printed
        text = ""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if os.path.realpath(frame.filename).startswith(f"{folder}/")]
    place = f" ({os.path.basename(own[-1].filename)}, line {own[-1].lineno})" if own else ""
    name = type(error).__name__
    return f"{(f'{name}: {text}' if text else name)[:_LONGEST]}{place}"


def _print(results: int, entry: dict[str, Any]) -> None:
    data = json.dumps(entry).encode() + b"\n"
    while data:
        data = data[os.write(results, data) :]


if __name__ == "__main__":
    sys.exit(main())
