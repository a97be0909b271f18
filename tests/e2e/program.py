"""The program under test: runs it, starts it in the background, and reads the JSON that it writes."""
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import socket
import subprocess
import time


# --- JSON -----------------------------------------------------------------------------------------

def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def read_json(source, exact=False):
    """Reads a file (a path) or a text. With `exact`, real numbers stay the text that was written."""
    text = source if isinstance(source, str) and source.lstrip().startswith("{") else pathlib.Path(source).read_text()
    return json.loads(text, parse_constant=refuse_constant, parse_float=str if exact else None)


def flat(value, path=""):
    """Yields (path, value) for every scalar, as in ("results[0].mse.mean", 0.0102)."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from flat(inner, f"{path}[{index}]")
    else:
        yield path, value


def at(value, path):
    """Returns what stands at a path such as "results[0].mse.mean"."""
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        value = value[key] if key else value[int(index)]
    return value


def scalars(file, without):
    """Returns {path: value} of a JSON file, without the paths that match, numbers as they were written."""
    found = {path: value for path, value in flat(read_json(file, exact=True)) if not re.search(without, path)}
    assert found, f"{file} has no values"
    return found


def results(file):
    """Returns the results of a run without how long they took, without the regret, which a server knows by itself and a
    run computes only with --regret, and without what needs single predictions, which a server does not see."""
    return scalars(file, r"^(?!results)|\.seconds|\.regret\[|\.bounds|\.mae$|\.baselines\.persistence$")


def learned(file):
    """Returns what is in a model file but the run that it is of, which only a server knows, and the scores of clients,
    which differ if a server was stopped before the end."""
    return {key: value for key, value in read_json(file, exact=True).items() if key not in ("run", "clients")}


def differences(left, right, most=5):
    """Returns up to `most` of the paths at which two results of scalars() differ."""
    found = [f"{path}: {left.get(path)} and {right.get(path)}" for path in {**left, **right}
             if left.get(path, "absent") != right.get(path, "absent")]
    if not found and list(left) != list(right):
        found = ["the values have another order"]
    return found[:most]


def stable(file):
    """Returns the result of a run without what may differ between equal runs."""
    return scalars(file, r"^(version|config\.|results\[\d+\]\.seconds)")


# --- files and ports ------------------------------------------------------------------------------

def write(path, text):
    path = pathlib.Path(path)
    path.write_text(text)
    return path


def read(path):
    """Returns the text of a file, or nothing if there is no such file yet."""
    try:
        return pathlib.Path(path).read_text(errors="surrogateescape")
    except FileNotFoundError:
        return ""


def rows_of(path):
    """Returns the rows of a CSV file, each as a list of texts."""
    return [line.split(",") for line in read(path).splitlines()]


def write_rows(path, rows):
    write(path, "".join(",".join(str(cell) for cell in row) + "\n" for row in rows))


def change_target(source, path, change):
    """Copies a CSV file with a header and changes the number in the last column of every row."""
    header, *rows = rows_of(source)
    write_rows(path, [header, *([*row[:-1], repr(change(float(row[-1])))] for row in rows)])


def listing():
    return sorted(os.listdir())


def free_port():
    """Returns a port outside the range that the system assigns by itself, so that it stays free while a
    server restarts. The process id spreads the tests that run at the same time."""
    for n in range(1000):
        port = 20000 + (os.getpid() + n * 101) % 12000
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise AssertionError("no port is free")


def wait_until(condition, seconds, what, every=0.05):
    """Waits until the condition holds and returns its value; fails with `what` after so many seconds."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(every)
    return value


# --- processes ------------------------------------------------------------------------------------

class Process:
    """A process in the background. Its exit code is that of the shell: 128 + N after signal N."""

    def __init__(self, arguments, out, log, limit=None, env=None, append_log=False):
        self.log, self.out = pathlib.Path(log), pathlib.Path(out)
        with open(out, "wb") as stdout, open(log, "ab" if append_log else "wb") as stderr:
            self.popen = subprocess.Popen([str(word) for word in arguments], stdin=subprocess.DEVNULL, stdout=stdout,
                                          stderr=stderr, env=env, preexec_fn=limit)
        self.pid = self.popen.pid

    def alive(self):
        return self.popen.poll() is None

    def signal(self, number):
        self.popen.send_signal(number)

    def wait(self, timeout=280):
        code = self.popen.wait(timeout)
        return code if code >= 0 else 128 - code

    def kill(self):
        """Kills the process if it still runs, and returns its exit code."""
        if self.alive():
            self.popen.kill()
        return self.wait()

    def terminate(self):
        self.signal(signal.SIGTERM)
        return self.wait()

    def ends_well(self):
        code = self.wait()
        assert code == 0, f"process {self.pid} ended with {code}: {self.last_words()}"

    def last_words(self):
        return "\n".join(read(self.log).splitlines()[-3:])


def limit_of(kind, amount):
    """Returns what sets a limit of the new process, as ulimit does."""
    return lambda: resource.setrlimit(kind, (amount, amount))


class Caucus:
    """Runs the program in the current directory."""

    def __init__(self, path):
        self.path = path
        self.started = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            process.kill()

    def words(self, command, arguments):
        """Splits the command line as a shell does, and leaves the further arguments as they are."""
        return [self.path, *shlex.split(str(command)), *(a if isinstance(a, bytes) else str(a) for a in arguments)]

    def run(self, command, *arguments, env=None, inside=(), **options):
        """Runs to the end and returns code, stdout and stderr; `inside` is a command that runs it elsewhere."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.run([*inside, *self.words(command, arguments)], text=True, errors="surrogateescape",
                              env={**os.environ, **(env or {})}, **options)

    def __call__(self, command, *arguments, **options):
        """Runs, expects success and returns what was printed, as in caucus("run --data", path)."""
        done = self.run(command, *arguments, **options)
        assert done.returncode == 0, f"caucus {command} {arguments} ended with {done.returncode}: {done.stderr}"
        return done.stdout

    def json(self, command, *arguments, **options):
        """Runs with `--json -` and returns the parsed output."""
        return read_json(self(command, *arguments, "--json", "-", **options))

    def refused(self, code, pattern, command, *arguments, one_line=True, **options):
        """Expects an error of the form "where: what; expected" that matches, nothing on standard output and no
        new file. The error is the only line beside notes on the data; without one_line it is the last one. Returns it."""
        before = listing()
        done = self.run(command, *arguments, **options)
        said = [line for line in done.stderr.splitlines() if not line.startswith("caucus: note: ")]
        told = f"caucus {command} {arguments} ended with {done.returncode} and said: {done.stderr}"
        assert done.returncode in (code if isinstance(code, tuple) else (code,)), f"expected code {code}; {told}"
        assert said and (len(said) == 1 or not one_line), f"expected one line; {told}"
        assert re.match(r"caucus: error: .*: .*; ", said[-1]), f"expected 'where: what; expected'; {told}"
        assert re.search(pattern, said[-1]), f"expected '{pattern}'; {told}"
        assert done.stdout == "", f"expected nothing on standard output: {done.stdout}"
        assert listing() == before, f"these files are new or gone: {set(listing()) ^ set(before)}; {told}"
        return said[-1]

    def start(self, command, *arguments, out, log, env=None, inside=(), **options):
        """Starts the program in the background."""
        return self.start_other([*inside, *self.words(command, arguments)], out, log,
                                env={**os.environ, **(env or {})}, **options)

    def start_other(self, words, out, log, **options):
        process = Process(words, out, log, **options)
        self.started.append(process)
        return process
