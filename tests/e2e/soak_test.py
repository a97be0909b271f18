"""A server and eight clients for a given time, in which clients and the server are killed and return. Memory and
store stay as large as they are, and what is learned is what a simulation of the same examples learns."""
import os
import random
import re
import time

import pytest

from federation import CONSTANT_GAUSSIAN, name_of
from program import learned, read, write

pytestmark = pytest.mark.ctest(sanitized=False)

CLIENTS = 8
DEADLINE = 2  # milliseconds: there are at most 500 batches per second, so that data for a given time can be made


def prepare(federation, seconds):
    """A ninth client is expected and never comes. All others are the quorum: a batch waits for every one of them and
    then for its deadline, and the run does not end by itself."""
    rows = seconds * 1200 // DEADLINE  # a second of the test is a bit longer
    federation.learning = "[algorithm]\nsample = 2\n" + CONSTANT_GAUSSIAN
    federation.caucus("data generate linear --features 3 --out all.csv --rows", CLIENTS * rows)
    federation.caucus("data info all.csv --ranges ranges.csv")
    federation.caucus("data split all.csv --out data --clients", CLIENTS)
    federation.configure(CLIENTS + 1, f"quorum = {CLIENTS}", f"deadline_ms = {DEADLINE}", "snapshot_every = 500")


def memory_kb(process):
    return int(re.search(r"^VmRSS:\s*(\d+)", read(f"/proc/{process.pid}/status"), re.MULTILINE)[1])


def store_kb():
    return sum(os.path.getsize(file) for file in ("run.db", "run.db-wal") if os.path.exists(file)) // 1024


def assert_flat_after_a_third(what, samples, percent):
    """No later value is above the one at the end of the first third by more than this share and 1 MB. Measured were
    0.2 MB of memory, and 1.5 MB of 35 MB of a store whose log is at its full length, in a minute as in ten."""
    assert len(samples) >= 9, f"{what}: only {len(samples)} samples"
    third = len(samples) // 3
    level, most = samples[third - 1], max(samples[third - 1:])
    bound = level * (1 + percent / 100) + 1024
    print(f"{what}: {level} kB after a third of {len(samples)} samples, then at most {most} (allowed: {bound:.0f})")
    assert most <= bound, f"{what} grows: {samples}"


def kill_running(process):
    assert process.alive(), f"process {process.pid} has ended: {process.last_words()}"
    process.kill()


def soak(federation, seconds, remove):
    """The server is killed after a sixth and after a third of the time, a client every three seconds; c01 never."""
    prepare(federation, seconds)
    federation.serve()
    federation.join_all()
    federation.until_batch(1)
    kills = 0
    memory = {"c01": [], "server": []}
    store = []
    for second in range(1, seconds + 1):
        time.sleep(1)
        if second in (seconds // 6, seconds // 3):
            kill_running(federation.server)
            federation.serve()
            memory["server"] = []  # another process
            kills += 1
        elif second % 3 == 0:
            name = name_of(random.randint(2, CLIENTS))
            kill_running(federation.clients[name])
            federation.join(name, "--resume")
            kills += 1
        memory["c01"].append(memory_kb(federation.clients["c01"]))
        memory["server"].append(memory_kb(federation.server))
        store.append(store_kb())
    check(federation, remove)
    assert_flat_after_a_third("c01", memory["c01"], 3)
    assert_flat_after_a_third("server", memory["server"], 3)
    assert_flat_after_a_third("store", store, 10)  # snapshots take the place of the batches before them
    print(f"{kills} processes were killed")


def check(federation, remove):
    """Stops the server and asks another one on its store: every client has one example in every closed batch, and
    what was learned is what a simulation of just those examples learns."""
    assert federation.server.terminate() == 0, federation.server.last_words()
    for process in federation.clients.values():
        process.kill()
    federation.serve()
    federation.until_batch(1)
    status = federation.status()
    batches = status["batch"] - 1
    assert batches > 100
    assert status["forecasts"] == batches * CLIENTS
    for client in status["clients"][:CLIENTS]:
        assert client["counted"] == client["reports"] == batches, client
    assert federation.server.terminate() == 0, federation.server.last_words()
    federation.caucus("export run.db -o served.json")
    remove("data/*.join", "data/.*.join.*")
    for name in federation.names():
        write(f"data/{name}.csv", "".join(read(f"data/{name}.csv").splitlines(keepends=True)[:batches + 1]))
    federation.caucus("run federation.toml --clients-from data --model-out run.json")
    assert learned("run.json") == learned("served.json"), "another model than the simulation's"
    print(f"{batches} batches of {CLIENTS} clients")


@pytest.mark.ctest(cost=60)
def test_sixty_seconds(federation, remove):
    soak(federation, 60, remove)


@pytest.mark.ctest(label="full", timeout=1200, cost=600)
def test_ten_minutes(federation, remove):
    soak(federation, 600, remove)
