"""Styles that are read once: Textual reads those of every part anew for each screen that comes, though no colour is another."""

from __future__ import annotations

from textual.app import App
from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet

SOURCES = 1024
"""More than the app's parts have sources of styles: each stays as it was read."""


class KeptStylesheet(Stylesheet):
    """A stylesheet that reads a source again only where a variable, which a theme sets, has another value."""

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(SOURCES)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Other variables: all that was read is forgotten. The same ones change nothing."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Read what is new. Where something cannot be read, what stood before is kept."""
        self.parse()


class KeptStylesApp(App[None]):
    """An app with such a stylesheet."""

    def __init__(self) -> None:
        super().__init__()
        self.stylesheet = KeptStylesheet(variables=self.get_css_variables())
