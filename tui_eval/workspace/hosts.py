"""Host names of addresses, with their ports."""

from __future__ import annotations

from urllib.parse import urlsplit

from tui_eval.core.errors import ConfigError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_USUAL_PORTS = {"https": ":443", "http": ":80"}


def host_of(url: str) -> str:
    """The host that an address leads to, with its port where that is not the usual one. ConfigError where there is none."""
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        is_host = bool(parts.hostname) and "@" not in parts.netloc and (parts.port is None or parts.port > 0)
    except ValueError:
        is_host = False
    if not is_host or "${" in url or not url.isprintable() or not url.isascii() or " " in url:
        raise ConfigError(f"{url!r}: names no host; give one such as api.example.com or 10.0.0.5:8000")
    return parts.netloc.lower().removesuffix(_USUAL_PORTS.get(parts.scheme, ""))


def is_loopback(url: str) -> bool:
    """Return whether an address, or a host, is this machine."""
    try:
        return urlsplit(url if "://" in url else f"https://{url}").hostname in LOOPBACK
    except ValueError:
        return False
