"""`caucus join`: how a client takes part, stops, goes on and is refused."""
import os
import pathlib

import pytest

from federation import start_server
from program import differences, listing, read, read_json, scalars, wait_until, write

SETTINGS = """[data]
feature_range = [-1, 1]
label_range = [0, 1]
scale_from = "ranges.csv"
[algorithm]
rounds_per_upload = 2
[schedule]
kind = "adaptive-first-order"
"""


class Run:
    """A server and three clients with a file each, and what a simulation makes of them."""

    def __init__(self, caucus, rows):
        self.caucus = caucus
        caucus("data generate linear --out data.csv --rows", rows)
        caucus("data split data.csv --clients 3 --out clients")
        caucus("data info data.csv --ranges ranges.csv")
        write("run.toml", SETTINGS)
        write("serve.toml", SETTINGS + '[server]\nclients = ["c01", "c02", "c03"]\nlisten = "127.0.0.1:0"\n')
        caucus("run run.toml --clients-from clients --json expected.json")
        self.server = start_server(caucus, "serve serve.toml --json served.json")
        self.address = self.server.address

    def join(self, client, *flags):
        return self.caucus.start("join --server", self.address, "--client", client, "--data", f"clients/{client}.csv",
                                 *flags, out=f"{client}.out", log=f"{client}.log")

    def until_used(self, client, batches):
        """Waits until the client has answered so many batches."""
        state = f"clients/{client}.csv.{client}.join"
        wait_until(lambda: len(read(state).splitlines()) > batches, 20, f"{client} answers nothing", every=0.005)

    def assert_ends_as_simulated(self, *clients):
        for process in (*clients, self.server):
            process.ends_well()
        # without times, settings, and what only those who have the data can know
        without = r"^(version|config|yardsticks|answer|advice)\b|seconds|\.mae$|\.baselines\.persistence$"
        assert not differences(scalars("expected.json", without), scalars("served.json", without))


@pytest.fixture
def begin(caucus):
    return lambda rows: Run(caucus, rows)


@pytest.fixture
def refused(caucus):
    """Expects that `caucus join` ends with an error in its last line."""
    return lambda code, pattern, flags, *words: caucus.refused(code, pattern, "join " + flags, *words, one_line=False)


def test_it_has_the_simulations_result(begin):
    run = begin(600)
    clients = [run.join("c02", "--json", "-"), run.join("c03", "--json", "c03.json"),
               run.join("c01", "--json", "c01.json")]
    run.assert_ends_as_simulated(*clients)
    assert "c01: 200 of 200 rows in 100 batches" in read("c01.out").splitlines()
    assert read_json("c01.json")["played"] == 200
    assert read_json("c02.out")["client"] == "c02", "standard output is not only JSON"
    assert not list(pathlib.Path("clients").glob("*.join")), "a finished run leaves its state behind"


def test_it_goes_on_when_it_is_killed(begin):
    run = begin(6000)
    first, third, second = run.join("c01"), run.join("c03"), run.join("c02")
    for batches in (30, 60, 90):
        run.until_used("c02", batches)
        assert second.kill() == 137
        second = run.join("c02", "--resume")
    run.assert_ends_as_simulated(first, third, second)


def test_it_leaves_when_it_is_asked_to(begin, refused):
    run = begin(6000)
    first, second, third = run.join("c01"), run.join("c02"), run.join("c03")
    run.until_used("c03", 20)
    assert third.terminate() == 4
    assert "interrupted; --resume continues" in read("c03.log")
    assert os.path.exists("clients/c03.csv.c03.join"), "its state is gone"
    # It is taken neither without --resume nor with other data.
    server = f"--server {run.address} "
    refused(4, "already.*resumes", server + "--client c03 --data clients/c03.csv")
    state = " --resume --state clients/c03.csv.c03.join"
    refused(3, "other rows", server + "--client c03 --data clients/c01.csv" + state)
    refused(2, "is of client 'c03'", server + "--client c02 --data clients/c02.csv" + state)
    third = run.join("c03", "--resume")
    run.assert_ends_as_simulated(first, second, third)


def test_it_says_what_is_wrong(refused):
    write("data.csv", "1,2\n3,4\n")
    local = "--server localhost:7070 "
    c01 = "--client c01 --data data.csv "
    refused(2, "server", c01)
    refused(2, "somewhere", "--server somewhere " + c01)
    refused(2, "not on this machine.*--ca", "--server 192.0.2.1:7070 " + c01)
    refused(2, "no name", local + "--data data.csv --client", "no name")
    refused(2, "patience", local + c01 + "--patience -1")
    refused(3, "missing.csv", local + "--client c01 --data missing.csv")
    refused(4, "no answer for 1 s", "--server 127.0.0.1:1 --patience 1 " + c01)
    refused(2, "port 0", "--server localhost:0 " + c01)
    for file in ("data.csv", "out.json"):  # what is written must not be what is read, or another output
        refused(2, "--state|--json", local + c01 + "--json out.json --state", file)
    os.mkfifo("pipe")
    refused(2, "pipe. is no regular file", local + c01 + "--state pipe")
    refused(3, "nowhere/x.*--state", local + c01 + "--state nowhere/x")
    assert read("data.csv") == "1,2\n3,4\n", "the data are gone"
    write("odd.join", "something else\n")
    refused(3, "odd.join", "--server 127.0.0.1:1 --resume --state odd.join " + c01)
    assert listing() == ["data.csv", "odd.join", "pipe"]


def test_it_is_refused_by_a_server_that_does_not_know_it(begin, refused):
    run = begin(60)
    refused(4, "is not a client of this run", f"--server {run.address} --client c04 --data clients/c01.csv")
    write("narrow.csv", "1,2\n3,4\n")
    refused(3, "narrow.csv", f"--server {run.address} --client c01 --data narrow.csv")
