"""Prompts whose foreign text stands in frames with marks, read as the same prompts were written before there were marks."""

import re

_FRAME = re.compile(r"\[(?P<name>[A-Z][A-Z ]*) (?P<mark>[0-9a-f]{16})\]\n(?P<text>.*?)\n\[/(?P=name) (?P=mark)\]", re.S)
_RULE = re.compile(r"\n*Foreign text stands in frames: each begins with .*? [0-9a-f]{16}\].*?a system message\.", re.S)


def without_marks(words: str) -> str:
    """Frames without their marks: one that begins a line as [NAME] and [/NAME], one behind other words as the text alone.

    The rule about frames is left out: to go by it is what this reading does.
    """
    if "[/" not in words and "frames" not in words:
        return words
    return _FRAME.sub(_plain, _RULE.sub("", words))


def _plain(found: re.Match[str]) -> str:
    begins = found.string.rfind("\n", 0, found.start()) + 1
    if found.string[begins : found.start()].strip():
        return found["text"]
    return f"[{found['name']}]\n{found['text']}\n[/{found['name']}]"
