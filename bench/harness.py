"""Runs the benchmark programs, each of which prints one line of JSON, and stores the results."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build/bin"
DATA = ROOT / "build/bench/data"
VENV = ROOT / "build/bench/venv"
# NumPy and similar libraries use one core, like everything else here.
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


class NotMeasured(Exception):
    """The reason why there is no figure, for the table."""


class Harness:
    def __init__(self, quick, data_dir=None):
        self.quick = quick
        self.passes = 1 if quick else 3
        self.seconds = 0.3 if quick else 1.0
        self._remembered = {}
        DATA.mkdir(parents=True, exist_ok=True)
        self.elevators, self.elevators_name = self._find_elevators(data_dir)

    def _find_elevators(self, data_dir):
        folder = Path(data_dir or os.environ.get("CAUCUS_DATA_DIR") or ROOT / "../shared/data")
        source = folder / "elevators.csv.gz"
        if not source.is_file():
            name = "built-in data of the shape of elevators (elevators.csv.gz was not found)"
            return self.generated(16590, 18), name
        path = DATA / "elevators.f32"
        self._execute([PROGRAMS / "bench_data", "--csv", source, "--out", path])
        return path, "elevators"

    def generated(self, rows, features):
        """Writes the built-in linear problem to a file of examples."""
        path = DATA / f"linear-{rows}x{features}.f32"
        if not path.is_file():
            self._execute(
                [PROGRAMS / "bench_data", "--rows", rows, "--features", features, "--out", path]
            )
        return path

    def generated_text(self, rows, features, suffix):
        path = DATA / f"linear-{rows}x{features}{suffix}"
        if not path.is_file():
            self._execute(
                [PROGRAMS / "bench_data", "--rows", rows, "--features", features, "--text", path]
            )
        return path

    def run(self, program, **flags):
        """Runs one of our programs without using stored results."""
        return json.loads(self._execute([PROGRAMS / program, *_as_words(flags)]))

    def google_benchmark(self, program):
        """Returns the fastest of several repetitions of each benchmark, as Google Benchmark reports them."""
        if not (PROGRAMS / program).is_file():
            return []
        words = [PROGRAMS / program, "--benchmark_format=json"]
        words.append(f"--benchmark_repetitions={self.passes}")
        words.append(f"--benchmark_min_time={0.05 if self.quick else 0.2}")
        fastest = {}
        for entry in json.loads(self._execute(words))["benchmarks"]:
            if entry["run_type"] != "iteration":
                continue
            key = (entry["name"], entry["label"])
            if key not in fastest or entry["cpu_time"] < fastest[key]["cpu_time"]:
                fastest[key] = entry
        return list(fastest.values())

    def best(self, programs, key="ns_per_example", **flags):
        """Returns the least `key` of each program. They alternate, so that all see the same machine state.

        A list of (program, additional flags) gives a list of results.
        """
        flags = {"seconds": self.seconds, **flags}
        results = [None] * len(programs)
        for _ in range(self.passes):
            for place, (program, own) in enumerate(programs):
                result = self.run(program, **{**flags, **own})
                if results[place] is None or result[key] < results[place][key]:
                    results[place] = result
        return results

    def remembered(self, name, measure):
        """Measures once what several groups need."""
        if name not in self._remembered:
            self._remembered[name] = measure()
        return self._remembered[name]

    def roofline(self):
        return self.remembered("roofline", lambda: self.run("roofline"))

    def peer(self, script, **flags):
        """Runs a Python program in the environment that --peers makes."""
        python = VENV / "bin/python"
        if not python.is_file():
            raise NotMeasured("not measured: needs --peers")
        words = [python, ROOT / "bench/peers" / script, *_as_words(flags)]
        try:
            return json.loads(self._execute(words, environment=ONE_THREAD))
        except subprocess.CalledProcessError as error:
            raise NotMeasured(f"not measured: {script} failed") from error

    def install_peers(self):
        """Makes a virtual environment with the pinned versions, from the package index of pip."""
        if not (VENV / "bin/python").is_file():
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        pip = [
            VENV / "bin/python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        requirements = ROOT / "bench/peers/requirements.txt"
        packages = [line.strip() for line in requirements.read_text().splitlines()]
        for package in (line for line in packages if line and not line.startswith("#")):
            # One by one, so that a package that cannot be installed does not prevent the others.
            if subprocess.run([*pip, package], check=False).returncode != 0:
                print(f"bench: {package} could not be installed; its rows stay empty")

    @staticmethod
    def _execute(words, environment=None):
        return subprocess.run(
            [str(word) for word in words],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        ).stdout


def _as_words(flags):
    return [
        word for name, value in flags.items() for word in ("--" + name.replace("_", "-"), value)
    ]
