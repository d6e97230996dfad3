"""Proxy through which an address is reached: the config's, else the one that the environment names."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment

from tui_eval.core.errors import ConfigError
from tui_eval.workspace.hosts import LOOPBACK

OFF = "none"
"""What run.proxy says where no proxy is wanted, whatever the environment names."""

FROM_CONFIG = "run.proxy"
"""Who named a proxy that the config names."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy, and who named it."""

    url: str
    """Whole, with a name and a password where it has them: to be shown to nobody."""
    source: str

    @property
    def shown(self) -> str:
        """Address of the proxy and who named it, without what is secret."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}{f':{parts.port}' if parts.port else ''} ({self.source})"

    @property
    def address(self) -> str:
        """Address of the proxy without name and password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    @property
    def headers(self) -> dict[str, str]:
        """Headers that tell it who asks; nothing where it has no name and password."""
        login, at, _ = urlsplit(self.url).netloc.rpartition("@")
        coded = base64.b64encode(unquote(login).encode("utf-8")).decode("ascii")
        return {"Proxy-Authorization": f"Basic {coded}"} if at else {}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Secrets that must never be shown: its name and password, as they stand in the address and as they are."""
        login, at, _ = urlsplit(self.url).netloc.rpartition("@")
        if not at:
            return ()
        password = login.partition(":")[2]
        coded = self.headers["Proxy-Authorization"].removeprefix("Basic ")
        return tuple(dict.fromkeys(filter(None, (login, unquote(login), password, unquote(password), coded))))


def proxy_for(url: str, configured: str) -> Proxy | None:
    """The proxy for an address, None where it is reached directly. ConfigError for a proxy that is none.

    This machine is never reached through one, nor what NO_PROXY names. `configured`: run.proxy, where it is set.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in LOOPBACK or host.startswith("127.") or configured == OFF:
        return None
    proxies = getproxies_environment()
    if _is_excepted(host, parts.port, proxies.get("no", "")):
        return None
    if configured:
        return _checked(Proxy(configured, FROM_CONFIG))
    address = proxies.get(parts.scheme) or proxies.get("all")
    return _checked(Proxy(address, f"{parts.scheme.upper()}_PROXY")) if address else None


def _is_excepted(host: str, port: int | None, excepted: str) -> bool:
    """Return whether NO_PROXY names a host: whole, by the domain it is of, with its port or without, or "*" for all."""
    for name in (entry.strip().lower().lstrip(".") for entry in excepted.split(",")):
        host_part, colon, number = name.rpartition(":")
        if colon and number.isdigit():
            if number != str(port):
                continue
            name = host_part
        if name and (name == "*" or host == name or host.endswith(f".{name}")):
            return True
    return False


def _checked(proxy: Proxy) -> Proxy:
    """The proxy, with http:// before it where it says nothing."""
    url = proxy.url if re.match(r"[a-z0-9+.-]+://", proxy.url, re.IGNORECASE) else f"http://{proxy.url}"
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound:
        raise ConfigError(f"{proxy.source}: is not an http(s) address of a proxy, such as http://proxy.example:3128")
    return Proxy(url, proxy.source)
