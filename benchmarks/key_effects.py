"""Effects of keys: predicates over the screen of a terminal, and a press that is measured until its own effect stands there."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyte

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from terminal import Terminal

Holds = Callable[[pyte.Screen], bool]
Effect = Callable[[pyte.Screen], Holds]
"""From the screen before a key to the predicate that holds once the key's effect is on the screen."""

EFFECT_S = 5.0
"""A key whose effect takes longer fails the benchmark."""
BURST_GAP_S, BURST_S = 0.012, 0.25
"""Bytes closer to each other are emulated together: emulation would take the app a core while it draws."""
CALM_S = 0.6
"""Longer than two ticks of the app."""
CURSOR, TYPED_ROW = "›", -3
"""The sign of a list's cursor, and the row of a filter while it is typed."""
_SHARE = re.compile(r"([\d,]+) of ([\d,]+) lines(?:, (\d+) % looked at)?")
HALF_BLOCK = "▀"
"""The sign that pictures are drawn with."""
_QUESTION = re.compile(r"\bQ (\d+) ")
_HEADING = re.compile(r"simulated  (.+?)(?: of [\d,]*…?)? *│?$")
"""Of an entry, as far as it is not cut, without how many there are."""
LOOKED_AT, NARROWED = 4, 0.75
"""Per cent of a log after which the share that a filter lets through is known; one that narrows leaves at most this of it."""


class EffectError(AssertionError):
    """A key's effect that did not come, or that came without its key; the message has the screen."""

    def __init__(self, words: str, screen: pyte.Screen) -> None:
        super().__init__(f"{words}; on the screen stands\n{text_of(screen)}")


# predicates


def text_of(screen: pyte.Screen) -> str:
    """What stands on a screen."""
    return "\n".join(line.rstrip() for line in screen.display)


def row_text(screen: pyte.Screen, row: int) -> str:
    """One row; negative ones count from below."""
    cells = screen.buffer[row % screen.lines]
    return "".join(cells[column].data for column in range(screen.columns)).rstrip()


def rows_text(screen: pyte.Screen, rows: Iterable[int]) -> list[str]:
    """Several rows."""
    return [row_text(screen, row) for row in rows]


def cursor_row(screen: pyte.Screen) -> tuple[int, str]:
    """The row of a list's cursor and its text from the cursor on; (-1, "") where no list has the keys."""
    for row in range(1, screen.lines):
        text = row_text(screen, row)
        if CURSOR in text:
            return row, text[text.index(CURSOR) :]
    return -1, ""


def tab_on_show(screen: pyte.Screen) -> str:
    """The name of the screen that the first line highlights."""
    return "".join(screen.buffer[0][x].data for x in range(screen.columns) if screen.buffer[0][x].reverse).strip()


def body(screen: pyte.Screen) -> range:
    """The rows between the line on the run and the row of messages, which tick by themselves."""
    return range(2, screen.lines - 2)


def changed(rows: Callable[[pyte.Screen], Iterable[int]] = body) -> Effect:
    """Rows, of which none changes by itself, have another text."""

    def effect(before: pyte.Screen) -> Holds:
        old = rows_text(before, rows(before))
        return lambda screen: rows_text(screen, rows(screen)) != old

    return effect


def stepped(by: int) -> Effect:
    """The cursor stands so many rows further down. For lists whose texts change by themselves."""

    def effect(before: pyte.Screen) -> Holds:
        row, _ = cursor_row(before)
        return lambda screen: cursor_row(screen)[0] == row + by

    return effect


def another_row(before: pyte.Screen) -> Holds:
    """The cursor stands on another row of a list whose texts do not change by themselves: elsewhere, or the list has moved."""
    old = cursor_row(before)
    return lambda screen: cursor_row(screen) not in (old, (-1, ""))


def another_list(before: pyte.Screen) -> Holds:
    """The cursor stands in another list, below or above."""
    old, _ = cursor_row(before)
    return lambda screen: cursor_row(screen)[0] not in (-1, old)


def another_entry(before: pyte.Screen) -> Holds:
    """The inspector's heading is that of another entry; how many there are may change by itself."""
    return _another(_HEADING, before)


def another_question(before: pyte.Screen) -> Holds:
    """The inspector has another question about its text."""
    return _another(_QUESTION, before)


def _another(pattern: re.Pattern[str], before: pyte.Screen) -> Holds:
    """What a pattern finds first is another text."""

    def found(screen: pyte.Screen) -> str:
        return next((match[1] for text in rows_text(screen, body(screen)) if (match := pattern.search(text))), "")

    old = found(before)
    return lambda screen: found(screen) not in (old, "")


def pictured(before: pyte.Screen) -> Holds:
    """A picture stands on the screen."""
    return lambda screen: any(HALF_BLOCK in text for text in rows_text(screen, body(screen)))


def says(row: int, words: str, stands: bool = True) -> Effect:
    """A row has these words; or has them no more."""
    return lambda before: lambda screen: (words in row_text(screen, row)) is stands


def both(*effects: Effect) -> Effect:
    """Each of several effects stands."""

    def effect(before: pyte.Screen) -> Holds:
        holds = [each(before) for each in effects]
        return lambda screen: all(each(screen) for each in holds)

    return effect


def page(tab: str, first: str, last: str) -> Effect:
    """Another screen of the app: its tab, words of its first row and of the line of keys, which is drawn last."""
    marks = both(says(1, first), says(-1, last))
    return lambda before: lambda screen: tab_on_show(screen) == tab and marks(before)(screen)


def typed(text: str) -> Effect:
    """The filter's row holds this text."""
    return lambda before: lambda screen: row_text(screen, TYPED_ROW).strip() == text


def filtered(text: str, narrower: bool) -> Effect:
    """The filter's row holds this text, and it lets through clearly less of the log, or clearly more, than the one before."""

    def effect(before: pyte.Screen) -> Holds:
        old, holds = _share(before) or 1.0, typed(text)(before)

        def applied(screen: pyte.Screen) -> bool:
            share = _share(screen) if holds(screen) else None
            return share is not None and (0 < share < old * NARROWED if narrower else share > old / NARROWED)

        return applied

    return effect


def _share(screen: pyte.Screen) -> float | None:
    """The share that a filter lets through of the lines looked at; None while these are too few to tell."""
    match = _SHARE.search(row_text(screen, 1))
    if match is None:
        return None
    shown, lines = (int(number.replace(",", "")) for number in match.group(1, 2))
    percent = int(match.group(3) or 100)
    return shown / (lines * percent / 100) if lines and percent >= LOOKED_AT else None


# presses


@dataclass(frozen=True, slots=True)
class Step:
    """A key, what it does in words, and its effect."""

    key: str
    action: str
    effect: Effect
    aimed: bool = True
    """False for a key that the terminal's protocol holds up: Esc may be the beginning of a sequence."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Milliseconds in which the app had work and no core was free."""

    main: float
    """Of the thread that draws."""
    threads: float
    """Of all threads together: some wait at the same time, so it can be more than has passed."""


@dataclass(frozen=True, slots=True)
class Press:
    """Milliseconds from a key to the first byte that came, and to its effect; its action says what was pressed."""

    action: str
    first: float
    effect: float
    waited: Wait
    aimed: bool = True
    """As its step's."""

    @property
    def alone(self) -> float:
        """Until the effect, less the wait of the app's main thread for a core."""
        return max(self.effect - self.waited.main, 0.0)


def press(terminal: Terminal, step: Step, patience_s: float = EFFECT_S) -> Press:
    """Press a key and wait until its effect stands on the screen. EffectError, with the screen, where it does not come."""
    what = f"{step.action} ({step.key!r})"
    waits = core_waits(terminal.process.pid)
    holds = step.effect(terminal.screen)
    if holds(terminal.screen):
        raise EffectError(f"{what}: its effect stood before the key", terminal.screen)
    mark, began = terminal.drawn, terminal.send(step.key)
    readings: list[tuple[int, Wait]] = []
    while True:
        terminal.wait_for_bytes(terminal.drawn, max(began + patience_s - time.monotonic(), 0.0))
        _gather(terminal, waits, readings)
        end = terminal.draw_until(holds)
        if end is not None:
            break
        if time.monotonic() > began + patience_s or terminal.process.poll() is not None:
            raise EffectError(f"{what}: no effect within {patience_s:g} s", terminal.screen)
    pieces = terminal.chunks_since(mark)
    waited = next((waited for seen, waited in readings if seen >= end), readings[-1][1])
    first, last = (max(moment - began, 0.0) * 1000 for moment in (pieces[0][0], pieces[end - mark - 1][0]))
    return Press(step.action, first, last, waited, step.aimed)


def _gather(terminal: Terminal, waits: dict[str, float], readings: list[tuple[int, Wait]]) -> None:
    """Wait for the end of a burst of bytes, and read after each piece how long the app has waited for a core."""
    until, seen = time.monotonic() + BURST_S, -1
    while seen != terminal.mark:
        seen = terminal.mark
        readings.append((seen, core_wait_since(waits, terminal.process.pid)))
        if time.monotonic() < until:
            terminal.wait_for_bytes(seen, BURST_GAP_S)


def core_waits(pid: int) -> dict[str, float]:
    """By thread, milliseconds in which it had work and no core was free, by the kernel's account; none where it keeps none."""
    waits = {}
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            waits[file.parent.name] = int(file.read_text().split()[1]) / 1e6
        except (OSError, ValueError, IndexError):
            continue  # the thread has ended
    return waits


def core_wait_since(before: dict[str, float], pid: int) -> Wait:
    """The wait for a core since."""
    since = {thread: max(wait - before.get(thread, 0.0), 0.0) for thread, wait in core_waits(pid).items()}
    return Wait(since.get(str(pid), 0.0), sum(since.values()))


def require_calm(terminal: Terminal, steps: Sequence[Step]) -> None:
    """Check that no effect comes without its key. EffectError, with the screen, where one does."""
    before = terminal.screen
    pending = [(step, holds) for step in steps if not (holds := step.effect(before))(before)]
    time.sleep(CALM_S)
    for step, holds in pending:
        if holds(terminal.screen):
            raise EffectError(f"{step.action} ({step.key!r}): its effect came without the key", terminal.screen)
