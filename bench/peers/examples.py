"""Shared code of the Python programs: flags, examples, and the line of JSON that bench/run reads."""

import argparse
import json
import time

import numpy as np

WIDTHS = 2.0 ** np.arange(-1, 7)  # 0.5 .. 64, the eight kernels of every peer


def parse(**defaults):
    """Parses flags with their defaults; every program has --data and --seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    for name, value in defaults.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    return parser.parse_args()


def read(path):
    """Two 64-bit numbers, rows and features, then the rows as floats with the target last."""
    rows, features = np.fromfile(path, dtype=np.int64, count=2)
    table = np.fromfile(path, dtype=np.float32, offset=16).reshape(rows, features + 1)
    return table[:, :-1].astype(np.float64), table[:, -1].astype(np.float64)


def best_of(play, seconds):
    """Repeats play(repetition) -> (examples, MSE) and prints the best CPU time per example."""
    best, mses = float("inf"), []
    begin = time.monotonic()
    while not mses or time.monotonic() - begin < seconds:
        prepared = play(len(mses))
        start = time.process_time()
        examples, mse = prepared()
        best = min(best, (time.process_time() - start) / examples)
        mses.append(mse)
    print(
        json.dumps(
            {
                "ns_per_example": 1e9 * best,
                "mse": float(np.mean(mses)),
                "mse_error": float(np.std(mses) / len(mses) ** 0.5),
                "repetitions": len(mses),
            }
        )
    )
