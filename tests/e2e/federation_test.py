"""Federations of a server and client processes on loopback: what they learn, and that nothing is lost when
processes are killed, stopped or refused."""
import os
import random
import re
import resource
import signal
import socket
import time

import pytest

from federation import CONSTANT_GAUSSIAN, KEYS_OF_SERVER, LINEAR, NOT_ACKNOWLEDGED, REPORT_REJECTED, RUN_HAS_FINISHED
from program import limit_of, read, read_json, wait_until, write


SYNCHRONOUS = '[algorithm]\nmode = "synchronous"\n'


@pytest.mark.parametrize("clients, rows, learning, server_lines", [
    pytest.param(4, 2000, SYNCHRONOUS + "sample = 2", ["snapshot_every = 2"], id="default"),
    pytest.param(3, 400, '[algorithm]\nrounds_per_upload = 7\n[schedule]\nkind = "theory"\n[[space]]\n'
                 'kind = "linear"\nradii = [0.5, 1.0, 2.0]', [], id="theory"),
    pytest.param(3, 300, '[schedule]\nkind = "constant"\neta = 1\nlambda = 0.5\n[[space]]\nkind = "gaussian"',
                 ["durability = 20"], id="constant"),
    pytest.param(3, 300, '[schedule]\nkind = "theory"\nfeature_bound = 0.5\nlabel_bound = 0.5\n[[space]]\n'
                 'kind = "linear"\nradii = [0.5, 2.0]', [], id="bounds"),
    pytest.param(5, 300, '[algorithm]\nsample = 9\nrounds_per_upload = 3\n[schedule]\n'
                 'kind = "adaptive-first-order"', ["snapshot_every = 4"], id="first-order"),
    pytest.param(4, 2000, SYNCHRONOUS + "personal = false", [], id="not-personal"),
    pytest.param(3, 300, SYNCHRONOUS + 'min_batch = 1\n[[space]]\nkind = "gaussian"\n'
                 'widths = [1, 4]\nfeatures = 20', [], id="sums-of-few"),
    pytest.param(4, 2000, SYNCHRONOUS + 'robust = "clip"', ["snapshot_every = 2"], id="clipped-sums"),
    pytest.param(4, 400, '[algorithm]\nrobust = "clip"\n[schedule]\nkind = "adaptive-first-order"', [],
                 id="clipped-gradients")])
def test_serving_has_the_bits_of_running(federation, clients, rows, learning, server_lines):
    federation.learning = learning
    federation.make_files(clients, rows)
    federation.configure(clients, *server_lines)
    federation.simulate()
    federation.serve()
    federation.join_all()
    federation.end_all()
    federation.assert_same_results()


@pytest.mark.parametrize("learning", [
    pytest.param(SYNCHRONOUS, id="sums"),
    pytest.param('[schedule]\nkind = "adaptive-first-order"', id="gradients")])
def test_rows_outside_the_ranges_are_clipped_and_counted_and_expel_nobody(federation, learning):
    federation.learning = learning
    federation.make_files(2, 400)
    lines = read("data/c01.csv").splitlines(keepends=True)
    for number in range(10, 100, 10):  # each would be rejected, and the third would disconnect the client
        cells = lines[number].rstrip().split(",")
        cells[0 if number % 20 else -1] = "1e7"
        lines[number] = ",".join(cells) + "\n"
    write("data/c01.csv", "".join(lines))
    federation.configure(2)
    federation.simulate()
    federation.serve()
    federation.join("c01")
    wait_until(lambda: federation.status().get("clients", [{}])[0].get("clipped") == 9, 20, "9 clipped rows")
    federation.join("c02")
    federation.end_all()
    federation.assert_same_results()
    federation.assert_all_counted()
    assert REPORT_REJECTED not in read("serve.log")
    assert "9 rows of the file have values outside" in read("c01.out")
    assert federation.served()["data"]["clipped"] == read_json("run.json")["data"]["clipped"] == 9


# --- processes that are killed --------------------------------------------------------------------

WAYS_TO_LEARN = [
    CONSTANT_GAUSSIAN,
    '[schedule]\nkind = "adaptive-first-order"\n[[space]]\nkind = "linear"\n'
    '[[space]]\nkind = "gaussian"\nwidths = [0.5, 1, 2]\nfeatures = 10',
    '[algorithm]\nrounds_per_upload = 2\n[schedule]\nkind = "theory"\n[[space]]\nkind = "linear"\nradii = [0.5, 1, 2]',
    SYNCHRONOUS + 'rounds_per_upload = 3\nmin_batch = 1\n[[space]]\nkind = "linear"\n[[space]]\n'
    'kind = "gaussian"\nwidths = [0.5, 2]\nfeatures = 10']


def begin(federation, number, remove):
    """Begins a federation with the next way to learn and to store; one in four has keys."""
    remove("run.db*", "serve.json", "serve.log", "c*.log", "c*.out", "data/*.join", "keys/*", "keys")
    federation.clients.clear()
    federation.learning = WAYS_TO_LEARN[number % len(WAYS_TO_LEARN)]
    federation.configure(4)
    federation.simulate()
    lines = [f"durability = {number % 3 * 25 or 1}", f"snapshot_every = {1000 if number % 2 else 40}"]
    if number % 4 == 3:
        federation.make_keys(4)
        lines.append(KEYS_OF_SERVER)
    federation.configure(4, *lines)
    federation.serve()
    federation.join_all()


def reached(federation, moment):
    """Waits for a batch or for the end of the run; returns False if the server has ended."""
    while not (RUN_HAS_FINISHED in read("serve.log") if moment == "finished" else federation.batch() >= moment):
        if federation.server is None or not federation.server.alive():  # None: it ended before it could be killed
            return False
        federation.nobody_failed()
    return True


@pytest.mark.ctest(cost=40)
def test_killed_processes_change_nothing(federation, remove, sanitized):
    """A client, the server or both are killed at random moments of several federations. Each ends with the bits
    of the simulation and every report is counted once. The moments are spread over the batches; the last ones are
    around the end, when clients receive the End."""
    seed = os.environ.get("CAUCUS_SEED") or os.getpid()
    print(f"CAUCUS_SEED={seed} chooses the same moments again, as far as time allows")
    draw = random.Random(int(seed))
    wanted = int(os.environ.get("CAUCUS_KILLS") or (15 if sanitized else 60))
    kills = number = 0
    federation.make_files(4, 3000)
    while kills < wanted:
        number += 1
        begin(federation, number, remove)
        last = read_json("run.json")["results"][0]["uploads"]
        for moment in (0, last // 8, last // 4, last // 2, last // 2 + 5, last * 3 // 4, last - 20, "finished"):
            if not reached(federation, moment):
                break
            if moment != "finished":  # then all is a matter of milliseconds
                time.sleep(draw.uniform(0.001, 0.061))
            client = f"c0{draw.randint(1, 4)}"
            victims = draw.choice([["server"], [client], [client, "server"]])
            killed = [victim for victim in victims if federation.kill_hard(victim)]
            if not killed:
                continue
            kills += 1
            time.sleep(draw.uniform(0.001, 0.041))
            draw.shuffle(killed)
            for victim in killed:
                if victim == "server":
                    federation.serve()
                else:
                    federation.join(victim, "--resume")
        federation.end_all()
        federation.assert_same_results()
        federation.assert_all_counted()
        assert NOT_ACKNOWLEDGED not in read("serve.log"), "a client has not acknowledged the End"
    print(f"processes were killed at {kills} moments of {number} federations")


# --- clients that do not wait for each other ------------------------------------------------------

def test_a_site_that_is_gone_costs_the_others_nothing(federation):
    """One of five sites takes part for a moment and is then killed for good. The others use all their rows, and the
    model that they leave is better than the constant."""
    federation.learning = "[algorithm]\nmin_batch = 1\ngrowth = 0.03"  # many batches, so that the run takes seconds
    federation.make_files(5, 10000)
    federation.configure(5, "snapshot_every = 7")
    federation.serve()
    federation.join_all()
    federation.until_batch(6)
    federation.clients.pop("c05").kill()
    for name in ("c01", "c02", "c03", "c04"):
        federation.clients[name].ends_well()
    counted = {client["name"]: client["counted"] for client in federation.status()["clients"]}
    for name in ("c01", "c02", "c03", "c04"):
        assert counted[name] == federation.rows_of(name)
    assert counted["c05"] < federation.rows_of("c05")
    federation.join("c05", "--resume")
    federation.end_all()
    result = read_json("serve.json")["results"][0]
    assert result["mse"]["mean"] < 0.5 * read_json("serve.json")["results"][0]["clients"][0]["persistence"]
    federation.assert_all_counted()


@pytest.mark.ctest(cost=20)
def test_kills_lose_and_repeat_nothing_where_nobody_waits(federation):
    draw = random.Random(5)
    federation.learning = "[algorithm]\nmin_batch = 1\ngrowth = 0.02"
    federation.make_files(4, 4000)
    federation.configure(4, "snapshot_every = 20")
    federation.serve()
    federation.join_all()
    for _ in range(12):
        time.sleep(draw.uniform(0.02, 0.2))
        victim = draw.choice(["server", "c01", "c02", "c03", "c04"])
        if not federation.kill_hard(victim):
            continue
        if victim == "server":
            federation.serve()
        else:
            federation.join(victim, "--resume")
    federation.end_all()
    federation.assert_all_counted()
    for client in read_json("serve.json")["results"][0]["clients"]:
        assert client["examples"] == federation.rows_of(client["name"])
        assert client["given"] < client["persistence"]


# --- resuming -------------------------------------------------------------------------------------

def test_a_client_that_resumes_without_its_state_goes_on_at_the_servers_position(federation, remove):
    federation.learning = LINEAR
    federation.make_files(2, 2000)
    federation.configure(2)
    federation.simulate()
    federation.serve()
    federation.join_all()
    time.sleep(0.3)
    federation.clients["c01"].kill()
    remove("data/*.join")
    federation.join("c01", "--resume")
    federation.end_all()
    federation.assert_same_results()


def test_a_client_that_wakes_up_leaves_the_rows_of_the_next_one_alone(federation):
    """A machine sleeps while another one goes on in its place: its client knows nothing about that."""
    federation.learning = LINEAR
    federation.make_files(2, 12000)
    federation.configure(2)
    federation.simulate()
    federation.serve()
    federation.join_all()
    federation.until_batch(200)
    sleeper = federation.clients["c01"]
    sleeper.signal(signal.SIGSTOP)
    assert federation.kill_hard("server")
    federation.serve()
    federation.join("c01", "--resume")
    federation.until_batch(400)
    sleeper.signal(signal.SIGCONT)
    assert sleeper.wait() == 4
    assert "another client of this name has continued the run" in read("c01.log")
    assert federation.clients["c01"].wait() == 4, "the other one had to make room"
    federation.join("c01", "--resume")
    federation.end_all()
    federation.assert_same_results()
    assert REPORT_REJECTED not in read("serve.log"), "an honest report was rejected"


def test_a_client_whose_file_has_grown_is_refused_and_leaves_nothing_in_the_way_of_the_right_one(
        caucus, federation, remove):
    federation.learning = LINEAR
    federation.make_files(2, 6000)
    federation.configure(2)
    federation.simulate()
    federation.serve()
    federation.join_all()
    federation.until_batch(100)
    assert federation.kill_hard("c01"), "it had finished"
    remove("data/*.join")
    right = read("data/c01.csv")
    write("data/c01.csv", right + "".join(right.splitlines(keepends=True)[-5:]))
    done = caucus.run(f"join --server localhost:{federation.port} --client c01 --data data/c01.csv --resume")
    assert done.returncode == 4
    assert done.stderr.splitlines()[-1].endswith("has 3005 examples; expected 3000 as it announced first")
    assert re.search("event=refused client=c01 .*has 3005 examples", read("serve.log"))
    write("data/c01.csv", right)
    federation.join("c01", "--resume")
    federation.end_all()
    federation.assert_same_results()


def test_a_server_that_is_stopped_continues_later(caucus, federation):
    federation.learning = LINEAR
    federation.make_files(2, 4000)
    federation.configure(2)
    federation.simulate()
    federation.serve()
    federation.join_all()
    time.sleep(0.3)
    if federation.server.alive():
        assert federation.server.terminate() == 0, federation.server.last_words()
        time.sleep(0.2)
        federation.serve()
    federation.end_all()
    federation.assert_same_results()
    caucus("export run.db -o model.json")
    forecasts = caucus("predict --model model.json --data data/c01.csv").splitlines()
    assert len(forecasts) >= len(read("data/c01.csv").splitlines())


def test_silent_connections_do_not_disturb_clients_that_have_joined_where_files_are_few(federation, sanitized):
    if sanitized:  # UBSan opens a pipe to see whether memory may be read, and takes a failure for a wrong object
        pytest.skip("sanitizers need files of their own")
    federation.learning = LINEAR
    federation.server_limit = limit_of(resource.RLIMIT_NOFILE, 64)
    federation.make_files(3, 9000)
    federation.configure(3)
    federation.simulate()
    federation.serve()
    federation.join_all()
    federation.until_batch(100)
    silent = []
    for _ in range(150):
        silent.append(socket.socket())
        silent[-1].setblocking(False)  # the server may accept it late, or never
        silent[-1].connect_ex(("127.0.0.1", federation.port))
    assert federation.server.alive(), "the run had finished before"
    federation.end_all()
    federation.assert_same_results()
    assert "only 64 files may be open" in read("serve.log")
    for connection in silent:
        connection.close()


def test_status_tells_who_is_there(caucus, federation):
    federation.make_files(2, 400)
    federation.configure(2, 'http = "localhost:0"')
    federation.serve()
    federation.join("c01")
    time.sleep(0.5)
    assert "c01" in caucus(f"status --server localhost:{federation.port}")
    assert "c02" in [client["name"] for client in federation.status()["clients"]], "the absent client is missing"
    federation.join("c02")
    federation.end_all()


# --- applications with a client of their own ------------------------------------------------------

SENSORS = '[algorithm]\nmin_batch = 1\n[server]\nclients = ["c01", "c02"]\nmax_abs_target = 2\nmax_feature_norm = 3\n'


@pytest.fixture
def sensors(caucus, federation):
    """Returns what starts examples/sensors in the background."""
    def start(name, *flags, readings=2000):
        words = [caucus.path.parent / "sensors", f"localhost:{federation.port}", name, readings,
                 *federation.keys_of(name), *flags]
        federation.clients[name] = caucus.start_other(words, f"{name}.out", f"{name}.log")
    return start


def predicted(name):
    """Returns how many predictions its last process made, all of which got their true value."""
    said = read(f"{name}.out").splitlines()[-1]
    match = re.fullmatch(r"(\d+) predictions, (\d+) true values in time, 0 forgotten", said)
    assert match and match[1] == match[2], said
    return int(match[1])


def until_read(federation, name, readings):
    """Waits until the client says so. Its batch does not tell: how many examples make one depends on the machine."""
    def has_read():
        if re.search(f"^ *{readings} readings ", read(f"{name}.out"), re.MULTILINE):
            return True
        assert federation.clients[name].alive(), f"{name} has ended: {federation.clients[name].last_words()}"
        return False
    wait_until(has_read, 60, f"{name} does not read", every=0.01)


def test_an_application_takes_part_by_its_client(federation, sensors):
    """Runs examples/sensors as its first lines say; one is killed and returns."""
    federation.make_keys(2)
    write("federation.toml", SENSORS + KEYS_OF_SERVER + "\n")
    federation.serve()
    sensors("c01")
    sensors("c02")
    until_read(federation, "c01", 400)
    assert federation.clients["c01"].alive()
    federation.clients["c01"].kill()
    sensors("c01", "--resume")
    federation.end_all()
    assert predicted("c01") < 2000, "c01 began again"
    assert predicted("c02") == 2000
    assert federation.served()["data"]["used"] == 4000
    result = federation.served()["results"][0]
    print(f"mean squared error {result['mse']['mean']} in {result['uploads']} batches")
    # The best constant has 0.29. A busy machine has few batches of many readings, too few to learn from.
    assert result["uploads"] < 500 or result["mse"]["mean"] < 0.25, "nothing is learned"


def test_an_application_loses_nothing_to_a_server_that_forgets(federation, sensors):
    """The batches of a group that is not full are lost and drawn again; their labels come late."""
    write("federation.toml", '[schedule]\nkind = "adaptive-first-order"\n' + SENSORS.replace("min_batch = 1", "")
          + "durability = 1000\nlabel_delay = 1000\n")  # so a part may have all examples that there are
    federation.serve()
    sensors("c01", readings=1000)
    sensors("c02", readings=1000)
    for readings in (200, 400, 800):
        until_read(federation, "c01", readings)
        assert federation.kill_hard("server"), "the server had nothing to do any more"
        time.sleep(random.uniform(0.001, 0.2))
        federation.serve()
    federation.end_all()
    assert predicted("c01") == 1000
    assert predicted("c02") == 1000
    assert federation.served()["data"]["used"] == 2000
    assert REPORT_REJECTED not in read("serve.log"), "an honest report was rejected"
