# SPDX-License-Identifier: Apache-2.0
"""Student's t and the verdict of docs/method.md, for rounds in the place of placements. Standard library only."""
import math
from statistics import fmean, median, stdev


def _tail_fraction(a, b, x):
    """Continued fraction of the incomplete beta function (Lentz's method)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    h = d
    for m in range(1, 300):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            h *= d * c
        if abs(d * c - 1.0) < 1e-14:
            break
    return h


def incomplete_beta(a, b, x):
    """Regularised: 0 at x = 0, 1 at x = 1."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _tail_fraction(a, b, x) / a
    return 1.0 - front * _tail_fraction(b, a, 1 - x) / b


def two_sided_p(t, freedom):
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def quantile(two_sided, freedom):
    """The t that |T| passes with probability `two_sided`."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided_p(middle, freedom) > two_sided else (low, middle)
    return (low + high) / 2


def half_width(values, level):
    """Half the width of the t interval of the mean; nothing is known from one value."""
    if len(values) < 2:
        return math.inf
    return quantile(1 - level, len(values) - 1) * stdev(values) / math.sqrt(len(values))


def p_of_zero_mean(values):
    if len(values) < 2:
        return 1.0
    spread = stdev(values)
    if spread == 0:
        return 1.0 if fmean(values) == 0 else 0.0
    return two_sided_p(fmean(values) / (spread / math.sqrt(len(values))), len(values) - 1)


def holm(ps):
    """Adjusted p-values, in the order given."""
    adjusted, floor = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        floor = max(floor, min(1.0, ps[i] * (len(ps) - rank)))
        adjusted[i] = floor
    return adjusted


def smallest_effect(aa_logs):
    """What the A/A arm could not have told from noise."""
    width = half_width(aa_logs, 0.95)
    return math.exp(width) - 1 if width < 50 else math.inf


def comparison(logs, aa_logs):
    """logs: a round each, log(our time / the peer's). Without p_holm and verdict, which need the whole family."""
    mean, wide, narrow = fmean(logs), half_width(logs, 0.95), half_width(logs, 0.90)
    return {
        "ratio_median": math.exp(median(logs)),
        "ratio": math.exp(mean),
        "ci": [math.exp(mean - wide), math.exp(mean + wide)] if wide < 50 else None,
        "ci90": [math.exp(mean - narrow), math.exp(mean + narrow)] if narrow < 50 else None,
        "p": p_of_zero_mean(logs),
        "n": len(logs),
        "delta": max(0.02, smallest_effect(aa_logs)),
    }


def judge(comparisons, least_rounds=10):
    """Adds p_holm, verdict and `held` (not slower by more than delta: yes, no, cannot_tell) to each."""
    for c, p_holm in zip(comparisons, holm([c["p"] for c in comparisons])):
        c["p_holm"] = p_holm
        limit = math.log1p(c["delta"])
        effect = math.log(c["ratio"])
        low, high = (math.log(end) for end in c["ci90"] or (1e-20, 1e20))
        if c["n"] < least_rounds:
            c["verdict"] = "cannot_tell"
        elif p_holm < 0.05 and abs(effect) >= limit:
            c["verdict"] = "slower" if effect > 0 else "faster"
        elif -limit <= low and high <= limit:
            c["verdict"] = "no_difference"
        else:
            c["verdict"] = "cannot_tell"
        if c["n"] < least_rounds:
            c["held"] = "cannot_tell"
        else:
            c["held"] = "yes" if high <= limit else "no" if c["verdict"] == "slower" else "cannot_tell"
