"""Requests over HTTP: the only part of the engine that speaks it."""

import sys
from types import ModuleType
from typing import cast

COMMAND_LINE = "httpx._main"
"""The command line that httpx has of its own. It loads three packages more, and httpx does without it where they lack."""

sys.modules.setdefault(COMMAND_LINE, cast(ModuleType, None))
