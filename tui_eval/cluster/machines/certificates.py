"""Certificates of one run's cluster: made for it, held in a folder that only we can read, and forgotten with it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from distributed.security import Security

from tui_eval.cluster.machines.address import CERTIFICATES

_OPTIONS = dict(zip(CERTIFICATES, ("ca-file", "cert", "key"), strict=True))


def new_security() -> Any:
    """Return certificates of this moment, as dask takes them."""
    return Security.temporary()  # type: ignore[no-untyped-call]


def texts_of(security: Any) -> dict[str, str]:
    """Return certificates as text, by their names."""
    texts = (security.tls_ca_file, security.tls_client_cert, security.tls_client_key)
    return dict(zip(CERTIFICATES, texts, strict=True))


def write_certificates(folder: Path, texts: Mapping[str, str]) -> None:
    """Write them down for processes of this folder; only we can read them."""
    for name in CERTIFICATES:
        descriptor = os.open(folder / f"{name}.pem", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(texts[name])


def tls_options(folder: Path) -> list[str]:
    """Return the options by which a process of dask finds them."""
    return ["--protocol=tls", *(f"--tls-{option}={folder / name}.pem" for name, option in _OPTIONS.items())]
