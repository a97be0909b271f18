#!/usr/bin/env python3
"""Runs the default on clients that differ: bench/unequal_sites.py [PROGRAM] [DATA-DIR]

It makes two kinds of clients from the sets in DATA-DIR (CAUCUS_DATA_DIR or ../shared/data) and prints the mean squared
errors of the forecasts given, of the federated ones, of a regression on each client's own rows, and of the last target:

  offsets  elevators scaled to [-1,1] and [0,1], dealt to ten clients, each of which adds N(0, .1) to its targets
  air      hourly NO2 of two stations without the rows that miss a value, scaled likewise, the wind's direction as a
           number; the first 50 blocks of 200 hours of each station are the 100 clients
"""

import csv
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURED = ["month", "day", "hour", "PM2.5", "PM10", "SO2", "CO", "O3", "TEMP", "PRES", "DEWP", "RAIN", "WSPM"]
WINDS = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"]


def scaled(rows):
    """Returns the rows with features in [-1, 1] and the target, the last number, in [0, 1]."""
    columns = list(zip(*rows))
    result = []
    for number, column in enumerate(columns):
        low, high = min(column), max(column)
        start, length = (0, 1) if number == len(columns) - 1 else (-1, 2)
        result.append([start + length * (value - low) / ((high - low) or 1) for value in column])
    return list(zip(*result))


def write_client(folder, name, rows):
    folder.mkdir(exist_ok=True)
    header = [f"x{k}" for k in range(len(rows[0]) - 1)] + ["y"]
    lines = [",".join(f"{value:.7g}" for value in row) for row in rows]
    (folder / f"{name}.csv").write_text("\n".join([",".join(header), *lines]) + "\n")


def make_offsets(data, folder, seed):
    with gzip.open(data / "elevators.csv.gz", "rt") as file:
        rows = scaled([[float(value) for value in row] for row in csv.reader(file)])
    chance = random.Random(seed)
    chance.shuffle(rows)
    size = len(rows) // 10
    for client in range(10):
        offset = chance.gauss(0, 0.1)
        mine = rows[client * size : (client + 1) * size]
        write_client(folder, f"c{client:02}", [(*row[:-1], row[-1] + offset) for row in mine])


def make_air(data, folder):
    rows, stations = [], []
    for station in ("Dingling", "Dongsi"):
        with gzip.open(data / f"air/{station}.csv.gz", "rt") as file:
            for hour in csv.DictReader(file):
                if "NA" in hour.values():
                    continue
                wind = WINDS.index(hour["wd"])
                rows.append([*(float(hour[column]) for column in MEASURED), wind, float(hour["NO2"])])
                stations.append(station)
    rows = scaled(rows)
    for station in ("Dingling", "Dongsi"):
        mine = [row for row, of in zip(rows, stations) if of == station]
        for block in range(50):
            write_client(folder, f"{station}{block:02}", mine[block * 200 : (block + 1) * 200])


def measure(program, folder, options):
    done = subprocess.run([program, "run", "--clients-from", folder, "--json", "-", *options],
                          check=True, capture_output=True)
    clients = json.loads(done.stdout)["results"][0]["clients"]
    examples = sum(client["examples"] for client in clients)
    kinds = ("given", "federated", "alone", "persistence")
    return [sum(client[kind] * client["examples"] for client in clients) / examples for kind in kinds]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin/caucus"
    given = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("CAUCUS_DATA_DIR")
    data = pathlib.Path(given) if given else ROOT.parent / "shared/data"
    if not (data / "air").is_dir():
        sys.exit(f"unequal_sites: '{data}' has no folder air, expected the data sets of the paper and of stations")
    print(f"{'':32} {'given':>8} {'federated':>10} {'alone':>8} {'last':>8}")
    with tempfile.TemporaryDirectory() as place:
        folders = []
        for seed in range(3):
            folders.append(pathlib.Path(place) / f"offsets {seed}")
            make_offsets(data, folders[-1], seed)
        folders.append(pathlib.Path(place) / "air")
        make_air(data, folders[-1])
        for folder in folders:
            for options in (["--min-batch", "1"], []):
                given, federated, alone, last = measure(program, folder, options)
                name = f"{folder.name} {' '.join(options)}"
                print(f"{name:32} {given:8.5f} {federated:10.5f} {alone:8.5f} {last:8.5f}")


if __name__ == "__main__":
    main()
