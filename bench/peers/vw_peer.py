"""Vowpal Wabbit on one linear model with the square loss, predicting every example before learning
from it, over its own binary cache: no text is parsed in the time.
  --steps sgd       plain gradient steps, which is less work and the nearest to ours
  --steps default   its adaptive, normalised and invariant steps
It may read in a thread of its own; the time is the less of CPU time and time on the wall.
"""

import json
import tempfile
import time
from pathlib import Path

import numpy as np
import vowpalwabbit

import examples

MANY = 6  # passes


def write_text(x, y, path):
    with open(path, "w", encoding="ascii") as file:
        for row, target in zip(x, y):
            columns = " ".join(f"f{k}:{value:.6g}" for k, value in enumerate(row))
            file.write(f"{target:.6g} | {columns}\n")


def learn(arguments, passes):
    """Seconds, the number of examples, and the mean loss of the forecasts. The constructor runs
    through the data, as the command line vw does."""
    cpu, wall = time.process_time(), time.monotonic()
    model = vowpalwabbit.Workspace(f"{arguments} --passes {passes} --holdout_off")
    seconds = min(time.process_time() - cpu, time.monotonic() - wall)
    count = model.get_weighted_examples()
    loss = model.get_sum_loss() / count
    model.finish()
    return seconds, count, loss


def main():
    options = examples.parse(steps="sgd")
    x, y = examples.read(options.data)
    order = np.random.default_rng(options.seed).permutation(len(y))
    with tempfile.TemporaryDirectory() as folder:
        text, cache = Path(folder) / "rows.txt", Path(folder) / "rows.cache"
        write_text(x[order], y[order], text)
        arguments = f"-d {text} --cache_file {cache} --quiet --noconstant"
        if options.steps == "sgd":
            arguments += " --sgd --learning_rate 0.05 --power_t 0"
        learn(arguments, 1)  # makes the cache
        short, long = [], []
        begin = time.monotonic()
        while not long or time.monotonic() - begin < options.seconds:
            short.append(learn(arguments, 1))
            long.append(learn(arguments, MANY))
    # Starting up is in both and drops out.
    seconds = min(long)[0] - min(short)[0]
    result = {
        "ns_per_example": 1e9 * seconds / (long[0][1] - short[0][1]),
        "mse": short[0][2],
        "repetitions": len(long),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
