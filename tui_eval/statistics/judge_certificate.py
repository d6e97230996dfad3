"""A judged rate, corrected by how often a judge is right of what persons said yes and no of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tui_eval.statistics.estimates import Z, wilson

LEAST_TELLING = 1.2
"""Sensitivity and specificity together, up to which a judge tells too little: 1 is what a coin gives."""


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """Estimate of the share of yes that there would be had persons said it of everything."""

    value: float
    low: float
    high: float


def rogan_gladen(rate: float, n: float, specificity: float, m_no: float, sensitivity: float, m_yes: float) -> CorrectedRate:
    """The rate that persons would have found, with a 95 % interval that knows how the judge's own rates were estimated.

    `rate`: the judge's share of yes over `n` answers; `specificity`: its share of no among `m_no` answers that persons said no
    of; `sensitivity`: its share of yes among `m_yes` of the others; n and m may be effective numbers. The value is
    (rate + specificity - 1) / (specificity + sensitivity - 1) within 0 to 1 (Rogan and Gladen 1978); the interval that of
    arXiv 2511.21140, of counts with half of z² more for the rate and one right and one wrong label more of each truth, shifted
    by its first-order bias; never narrower than Wilson's of the value, as though persons had labelled all n. ValueError where
    the judge tells nothing: sensitivity + specificity up to 1.
    """
    if specificity + sensitivity <= 1 or min(n, m_no, m_yes) <= 0:
        raise ValueError(f"sensitivity {sensitivity} and specificity {specificity} of {m_yes} and {m_no}, a rate of {n}")
    value = _share((rate + specificity - 1) / (specificity + sensitivity - 1))
    more = n + Z * Z
    p = (n * rate + Z * Z / 2) / more
    q_no, q_yes = (m_no * specificity + 1) / (m_no + 2), (m_yes * sensitivity + 1) / (m_yes + 2)
    tells = q_no + q_yes - 1
    least, most = wilson(value * n, n) or (0.0, 1.0)
    if tells <= 0:
        return CorrectedRate(value, 0.0, 1.0)
    middle = (p + q_no - 1) / tells
    spread_no, spread_yes = q_no * (1 - q_no) / (m_no + 2), q_yes * (1 - q_yes) / (m_yes + 2)
    shift = 2 * Z * Z * (middle * spread_yes - (1 - middle) * spread_no)
    error = math.sqrt(p * (1 - p) / more + (1 - middle) ** 2 * spread_no + middle**2 * spread_yes) / tells
    low, high = _share(middle + shift - Z * error), _share(middle + shift + Z * error)
    return CorrectedRate(value, min(low, value, least), max(high, value, most))


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0)
