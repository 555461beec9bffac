"""The million-item solve with SciPy's Lambert W and Brent's method, as one line of JSON for bench.mjs."""

import json
import time

import numpy as np
from scipy.optimize import brentq
from scipy.special import lambertw

ITEMS, BUDGET = 1_000_000, 1_000_000.0

state, states = 1, np.empty(ITEMS)
for i in range(ITEMS):
    state = (state * 1664525 + 1013904223) % 2**32
    states[i] = state
rate = 10 ** (-4 + 6 * states / 2**32)


def frequency(price):
    y = price * rate
    out = np.zeros_like(rate)
    on = y < 1
    out[on] = rate[on] / (-1 - lambertw((y[on] - 1) / np.e, -1).real)
    return out


start = time.perf_counter()
log_price = brentq(lambda x: frequency(np.exp(x)).sum() - BUDGET, -20, 20, xtol=1e-12)
f = frequency(np.exp(log_price))
r = rate[f > 0] / f[f > 0]
freshness = (-np.expm1(-r) / r).sum() / ITEMS
taken = time.perf_counter() - start
print(json.dumps({"ms": taken * 1e3, "price": float(np.exp(log_price)), "freshness": float(freshness)}))
