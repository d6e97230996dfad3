"""Two shares that no reply has in common: Fisher's exact test."""

from __future__ import annotations

from math import exp, lgamma

NEGLIGIBLE = 1e-18
"""Terms of a tail that are smaller than this share of what came before are left out."""


def fisher_exact(a: int, b: int, c: int, d: int) -> float:
    """The two-sided p of two shares, a of a + b and c of c + d: twice the smaller tail of the hypergeometric distribution, at
    most 1. 1 where either has nothing, or all of both are alike."""
    n, row, column = a + b + c + d, a + b, a + c
    least, most = max(0, column - (c + d)), min(row, column)
    if least == most:
        return 1.0
    here = exp(_log_choose(row, a) + _log_choose(n - row, column - a) - _log_choose(n, column))
    up, down = here, here
    term, x = here, a
    while x < most and term > NEGLIGIBLE * up:
        term *= (row - x) * (column - x) / ((x + 1) * (n - row - column + x + 1))
        up, x = up + term, x + 1
    term, x = here, a
    while x > least and term > NEGLIGIBLE * down:
        term *= x * (n - row - column + x) / ((row - x + 1) * (column - x + 1))
        down, x = down + term, x - 1
    return min(1.0, 2 * min(up, down))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
