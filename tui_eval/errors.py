"""What can go wrong in a way a person can mend.

TuiEvalError
├── ConfigError      the configuration, an input file or the command line; nothing was sent (exit 2)
├── FolderError      a run folder that is missing, damaged, changed or held by another process (exit 2)
└── StorageError     the disk refused a write while a run was under way (exit 3)

What happens on the wire is data (types.Fault), never one of these. Anything else that is raised is a bug: it ends
loudly, with its traceback in run.log, and exit code 70.
"""


class CrashError(Exception):
    """A bug of ours; its text is the traceback, without the values of keys."""


class TuiEvalError(Exception):
    """A mistake that a person can mend; its text names the place and the next step."""


class ConfigError(TuiEvalError):
    """The configuration, an input or the command line is not usable. Raised before anything is sent."""


class FolderError(TuiEvalError):
    """A run folder cannot be opened as asked."""


class StorageError(TuiEvalError):
    """A write into the run folder failed; the run stops starting calls."""
