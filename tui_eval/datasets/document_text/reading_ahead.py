"""Documents read several at a time, and handed on in their order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from tui_eval.datasets.document_text.reader_process import AT_ONCE, read_elsewhere, whose_time_is_over

Entry = TypeVar("Entry")
Read = TypeVar("Read")


def read_ahead(read: Callable[[Entry], Read], entries: Sequence[Entry]) -> Iterator[Read]:
    """Yield what each entry is read as, in their order, while those behind it are being read on the other cores.

    The first that cannot be read raises its error in its turn, as if they were read one by one. Whoever takes no more ends the
    processes that read.
    """
    if len(entries) < 2:
        yield from map(read, entries)
        return
    is_over = threading.Event()
    elsewhere = read_elsewhere.get()
    pool = ThreadPoolExecutor(AT_ONCE if elsewhere is None else elsewhere.places, "documents")
    token = whose_time_is_over.set(is_over)
    try:
        futures = [pool.submit(partial(copy_context().run, read, entry)) for entry in entries]
        whose_time_is_over.reset(token)
        for future in futures:
            yield future.result()
    finally:
        is_over.set()
        pool.shutdown(cancel_futures=True)
