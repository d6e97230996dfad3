"""tui-eval: evaluate language models from the terminal, and keep every call."""

__version__ = "0.1.0"
