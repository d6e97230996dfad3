"""Work done beside the screen for the newest wish only: wishes that come while it works replace one another."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Wish = TypeVar("Wish")
Result = TypeVar("Result")


class Latest(Generic[Wish, Result]):
    """One thread that works on the newest wish. It begins with the first one, which is asked on the app's loop; results come
    back there, in order."""

    def __init__(
        self, work: Callable[[Wish], Result], on_result: Callable[[Result], None], on_error: Callable[[BaseException], None]
    ) -> None:
        self._work, self._on_result, self._on_error = work, on_result, on_error
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = threading.Condition()
        self._wishes: list[Wish] = []
        self._closed = False

    def ask(self, wish: Wish) -> None:
        """Work on this next, and on nothing that was asked before it."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            threading.Thread(target=self._go_on, args=[self._loop], name="latest wish", daemon=True).start()
        with self._changed:
            self._wishes = [wish]
            self._changed.notify()

    def close(self) -> None:
        """Work on nothing more; what is being worked on is not told."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _go_on(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or bool(self._wishes))
                if self._closed:
                    return
                wish = self._wishes.pop()
            try:
                result = self._work(wish)
            except Exception as error:
                self._tell(loop, self._on_error, error)
            else:
                self._tell(loop, self._on_result, result)

    def _tell(self, loop: asyncio.AbstractEventLoop, callback: Callable[..., None], about: object) -> None:
        with contextlib.suppress(RuntimeError):  # the app has ended meanwhile
            loop.call_soon_threadsafe(self._deliver, callback, about)

    def _deliver(self, callback: Callable[..., None], about: object) -> None:
        if not self._closed:
            callback(about)
