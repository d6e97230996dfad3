"""tui-eval: evaluate language models from the terminal, and keep every call."""

from tui_eval.core.former.old_paths import install

__version__ = "0.6.0"

install()
