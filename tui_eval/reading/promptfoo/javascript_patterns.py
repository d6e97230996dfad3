"""Regular expressions of JavaScript without flags, written as Python matches the same texts."""

from __future__ import annotations

import re
from collections.abc import Mapping

_DIGIT, _WORD = "0-9", "_A-Za-z0-9"
_SPACE = r"\s\ufeff"
_LINE_ENDS = r"\n\r\u2028\u2029"
_OUTSIDE: Mapping[str, str] = {
    "d": f"[{_DIGIT}]", "D": f"[^{_DIGIT}]", "w": f"[{_WORD}]", "W": f"[^{_WORD}]", "s": f"[{_SPACE}]", "S": f"[^{_SPACE}]",
    "b": r"(?a:\b)", "B": r"(?a:\B)",
}  # fmt: skip
_INSIDE: Mapping[str, str] = {"d": _DIGIT, "w": _WORD, "s": _SPACE, "b": r"\x08"}
_SIGNS = {"n": r"\n", "r": r"\r", "t": r"\t", "f": r"\f", "v": r"\v", "0": r"\x00"}
_HEX = re.compile(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}")
_GROUP = re.compile(r"\(\?(?::|=|!|<=|<!)")
_NAMED = re.compile(r"\(\?<([A-Za-z_][A-Za-z0-9_]*)>")
_BACK = re.compile(r"k<([A-Za-z_][A-Za-z0-9_]*)>")
_COUNT = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")


def python_pattern(pattern: str) -> str:
    """The same expression for Python. ValueError, in words, for what has no equal there."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        part, at = _next(pattern, at)
        parts.append(part)
    converted = "".join(parts)
    try:
        re.compile(converted)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"cannot be written for Python: {error}") from None
    return converted


def _next(pattern: str, at: int) -> tuple[str, int]:
    """The part that begins at a place, and where the next one begins."""
    sign = pattern[at]
    if sign == "\\":
        return _escape(pattern, at + 1, _OUTSIDE)
    if sign == "[":
        return _class(pattern, at + 1)
    if sign == ".":
        return f"[^{_LINE_ENDS}]", at + 1
    if sign == "$":
        return r"\Z", at + 1
    if sign == "(" and pattern.startswith("(?", at):
        if named_group := _NAMED.match(pattern, at):
            return f"(?P<{named_group[1]}>", named_group.end()
        if group := _GROUP.match(pattern, at):
            return group[0], group.end()
        raise ValueError(f"{pattern[at : at + 4]!r} has no equal in Python")
    if sign == "{":
        count = _COUNT.match(pattern, at)
        return (count[0], count.end()) if count else (r"\{", at + 1)
    return ("\\" + sign, at + 1) if sign in "}]" else (sign, at + 1)


def _escape(pattern: str, at: int, meanings: Mapping[str, str]) -> tuple[str, int]:
    """Convert the escape behind a backslash."""
    sign = pattern[at : at + 1]
    if not sign:
        raise ValueError("ends with a backslash")
    if sign in meanings:
        return meanings[sign], at + 1
    if (number := _HEX.match(pattern, at)) is not None:
        return f"\\{number[0]}", number.end()
    if meanings is _OUTSIDE and (back := _BACK.match(pattern, at)):
        return f"(?P={back[1]})", back.end()
    if meanings is _OUTSIDE and sign in "123456789" and not pattern[at + 1 : at + 2].isdigit():
        return f"(?:\\{sign})", at + 1
    if sign in _SIGNS and not (sign == "0" and pattern[at + 1 : at + 2].isdigit()):
        return _SIGNS[sign], at + 1
    if sign.isalnum():
        raise ValueError(f"\\{sign} has no equal in Python")
    return re.escape(sign), at + 1


def _class(pattern: str, at: int) -> tuple[str, int]:
    """A class of characters, from behind its bracket."""
    parts = ["["]
    if pattern.startswith("^", at):
        parts.append("^")
        at += 1
    if pattern.startswith("]", at):
        raise ValueError("[] and [^] have no equal in Python")
    while at < len(pattern) and pattern[at] != "]":
        if pattern[at] == "\\":
            if pattern[at + 1 : at + 2] in ("D", "W", "S"):
                raise ValueError(f"\\{pattern[at + 1]} in a class has no equal in Python")
            part, at = _escape(pattern, at + 1, _INSIDE)
            parts.append(part)
        else:
            parts.append(re.escape(pattern[at]) if pattern[at] != "-" else "-")
            at += 1
    if at >= len(pattern):
        raise ValueError("a class of characters does not end")
    return "".join([*parts, "]"]), at + 1
