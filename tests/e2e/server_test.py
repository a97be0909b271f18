"""What an operator sees of a server: its command, status, store and log. Its work with clients is in
federation_test.py."""
import json
import os
import re
import resource
import signal
import urllib.request

import pytest

from federation import start_server
from program import differences, free_port, limit_of, read, read_json, results, wait_until, write

SETTINGS = """[data]
feature_range = [-1, 1]
label_range = [0, 1]
scale_from = "ranges.csv"
[algorithm]
mode = "synchronous"
[server]
clients = ["c01", "c02"]
listen = "localhost:0"
"""


class Operator:
    """Files of two clients, their ranges and f.toml; starts the server and the clients."""

    def __init__(self, caucus):
        self.caucus = caucus
        self.clients = []

    def prepare(self, rows=200):
        self.caucus("data generate linear --out all.csv --rows", rows)
        self.caucus("data info all.csv --ranges ranges.csv")
        self.caucus("data split all.csv --clients 2 --out data")
        write("f.toml", SETTINGS)

    def serve(self, flags="", **options):
        self.server = start_server(self.caucus, "serve f.toml " + flags, **options)
        self.port = self.server.port

    def join(self, name):
        self.clients.append(self.caucus.start("join --patience 60 --server", f"localhost:{self.port}", "--client", name,
                                              "--data", f"data/{name}.csv", out=f"{name}.out", log=f"{name}.log"))

    def join_both(self):
        self.join("c01")
        self.join("c02")

    def end_all(self):
        for process in (self.server, *self.clients):
            process.ends_well()

    def status(self, flags=""):
        return self.caucus(f"status --server localhost:{self.port} {flags}")


@pytest.fixture
def operator(caucus):
    return Operator(caucus)


def get(port, path):
    with urllib.request.urlopen(f"http://localhost:{port}{path}", timeout=30) as answer:
        return answer.read().decode()


def replace(file, pattern, replacement):
    text = read(file)
    changed = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    assert changed != text, f"{file} has no {pattern}"
    return write(file, changed)


def test_what_cannot_be_served_is_refused(caucus, operator):
    operator.prepare()
    caucus.refused(2, "FILE.toml|config", "serve")
    caucus.refused(2, "missing.toml", "serve missing.toml")

    def refused(settings, pattern, command="serve f.toml"):
        write("f.toml", settings)
        caucus.refused(2, pattern, command)
    refused(SETTINGS + "[run]\nrepeats = 3\n", "run.repeats")
    refused(SETTINGS + "[run]\nregret = true\n", "run.regret")
    refused(SETTINGS.replace('mode = "synchronous"', 'name = "em-kofl"'), "'em-kofl' cannot be served")
    refused(SETTINGS + "quorum = 3\n", "server.quorum")
    refused(SETTINGS + "quorun = 1\n", "did you mean 'quorum'")
    refused(SETTINGS + "quorun = 1\n", "did you mean 'quorum'", "run f.toml --data all.csv")
    refused(SETTINGS + 'tokens = "none.txt"\n', "none.txt")
    refused(SETTINGS + 'tls = {key = "k"}\n', "server.tls")
    refused(SETTINGS, "server.listen.*server.tls", "serve f.toml --listen 0.0.0.0:0")
    caucus("cert init keys --client c01 --client c02")
    refused(SETTINGS + 'tls = {cert = "keys/server.pem", key = "keys/server.key"}\n',
            "server.listen.*client_ca", "serve f.toml --listen 0.0.0.0:0")
    refused(SETTINGS + 'http = "0.0.0.0:0"\n', "server.http.*--insecure")
    refused(SETTINGS, "--listen", "serve f.toml --listen 7070")
    refused(SETTINGS, "--json", "serve f.toml --json f.toml")
    refused(re.sub("scale_from.*\n", "", SETTINGS), "data.scale_from")
    refused('[server]\nclients = ["c01"]\n', "server.max_abs_target")
    refused(re.sub("clients.*\n", "", SETTINGS), "server.clients")
    for names in ("[]", "3", "[3, []]", '"a b"'):
        refused(re.sub("clients = .*", f"clients = {names}", SETTINGS), r"f.toml:[0-9]+: server.clients")
    refused(SETTINGS.replace('mode = "synchronous"', "sample = 100"), "algorithm.sample: 100 of .* models; J must not exceed K")
    refused(SETTINGS + '[[space]]\nkind = "linear"\nradii = [0]\n', "space 'linear U=0'.*positive")
    write("tokens", f"c01 {'0' * 64}\n")
    refused(SETTINGS + 'tokens = "tokens"\n', "no token of 'c02'")


def test_printed_configurations_are_files(caucus, operator):
    operator.prepare()
    printed = caucus("serve f.toml --store other.db --print-config")
    assert 'store = "other.db"' in printed.splitlines()
    write("g.toml", printed)
    assert caucus("serve g.toml --print-config") == printed
    assert not os.path.exists("other.db"), "a store was made"


def test_a_run_ignores_the_servers_table(caucus, operator):
    operator.prepare()
    write("run.toml", SETTINGS[:SETTINGS.index("[server]")])
    caucus("run f.toml --data all.csv --clients 2 --json with.json")
    caucus("run run.toml --data all.csv --clients 2 --json without.json")
    assert not differences(results("with.json"), results("without.json"))


def test_a_server_that_waits_can_be_asked_and_stopped(caucus, operator):
    operator.prepare()
    operator.serve("--http localhost:0")
    http = re.search(r"event=http address=localhost:(\d+) ", read("serve.log"))[1]
    assert get(http, "/healthz").splitlines()[-1] == "ok"
    assert re.search('^caucus_client_connected{client="c01"} 0', get(http, "/metrics"), re.MULTILINE)
    status = get(http, "/status")
    assert read_json(status)["phase"].startswith("waiting")
    said = operator.status()
    assert re.search("^batch 0, waiting", said, re.MULTILINE)
    assert re.search("^c02 *expected", said, re.MULTILINE)
    assert operator.status("--json -") == status, "status and /status differ"
    watcher = caucus.start(f"status --server localhost:{operator.port} --watch --json -", out="watched.txt",
                           log="watch.log")
    wait_until(lambda: read("watched.txt").count("\n") >= 2, 30, "there is nothing to watch")
    watcher.terminate()
    assert read_json(read("watched.txt").splitlines()[0])["phase"].startswith("waiting")

    caucus.refused(3, "in use", "serve f.toml")
    caucus.refused(3, "nothing has been learned yet", "export f.db -o model.json")
    second = caucus.run(f"serve f.toml --store second.db --listen localhost:{operator.port}")
    assert second.returncode == 4 and second.stderr.count("caucus: error: ") == 1, second.stderr

    assert operator.server.terminate() == 0
    assert "continues when it is served again" in read("serve.log")
    assert read("serve.out") == "", "a result of nothing"
    caucus.refused(4, "does not answer", f"status --server localhost:{operator.port}")
    replace("f.toml", '"c02"', '"c03"')
    operator.serve()  # nothing has begun that other settings could spoil
    assert "c03" in operator.status()


def test_the_log_is_json_where_it_is_asked_for(operator):
    operator.prepare()
    write("f.toml", SETTINGS + "[federation]\ndropout = 0.5\n")
    operator.serve("--log-json")
    operator.join_both()
    operator.end_all()
    events = [json.loads(line) for line in read("serve.log").splitlines()]
    assert len(events) >= 5
    assert all({"time", "level", "event"} <= set(event) for event in events)
    assert any(event["event"] == "joined" and event["client"] == "c01" and event["software"].startswith("caucus join")
               for event in events)
    assert "federation.dropout is ignored" in read("serve.log")


def test_whoever_knows_what_it_means_may_be_insecure(operator):
    operator.prepare()
    write("f.toml", SETTINGS.replace("localhost:0", "0.0.0.0:0") + 'http = "0.0.0.0:0"\n')
    operator.serve("--insecure")
    assert re.search("level=warning event=http .*open_to_others=true", read("serve.log"))
    operator.join_both()
    operator.end_all()


def test_a_federation_has_the_arithmetic_of_its_server(caucus, operator):
    """The bits are those of one variant of the arithmetic: every process must use the server's variant."""
    portable = {"CAUCUS_SIMD": "portable"}
    operator.prepare()
    operator.serve("--json served.json", env=portable)
    operator.join_both()
    operator.end_all()
    caucus("run f.toml --clients-from data --json run.json", env=portable)
    assert not differences(results("run.json"), results("served.json"))
    caucus("run f.toml --clients-from data --json here.json")
    if not differences(results("here.json"), results("run.json")):
        pytest.skip("this machine has the portable variant only")
    caucus.refused(2, "'portable' variant.*CAUCUS_SIMD=portable", "serve f.toml")
    caucus("export f.db -o model.json")
    caucus("export f.db -o portable.json", env=portable)
    assert read("model.json") == read("portable.json"), "an export depends on who asks"


def test_a_full_disk_ends_the_server_and_costs_nothing(caucus, operator):
    operator.prepare(3000)
    caucus("run f.toml --clients-from data --json run.json")
    # The clients look for the next server where the first one was.
    write("f.toml", SETTINGS.replace("localhost:0", f"localhost:{free_port()}") + "snapshot_every = 100000\n")
    operator.serve(limit=limit_of(resource.RLIMIT_FSIZE, 600 * 1024))
    operator.join_both()
    assert operator.server.wait() == 3, operator.server.last_words()
    assert len(re.findall("^caucus: error: .*room on the disk", read("serve.log"), re.MULTILINE)) == 1
    assert read("serve.out") == ""
    operator.serve("--json served.json")
    operator.end_all()
    assert not differences(results("run.json"), results("served.json"))


def test_a_finished_store_tells_its_result_again(caucus, operator):
    operator.prepare()
    operator.serve("--json first.json --model-out model.json --report report.html")
    operator.join_both()
    operator.end_all()
    assert "fomd-oms" in read("serve.out")
    assert re.search("client +examples +RMSE +federated +alone +last target.*\n.*\nc01 ", read("serve.out"))
    page = read("report.html")
    assert "</html>" in page and "Losses of each client" in page
    write("second.json", caucus("serve f.toml --json -"))
    first = results("first.json")
    assert not differences(first, results("second.json"))
    write("other.toml", SETTINGS.replace('"c02"', '"c03"'))
    caucus.refused(2, "other settings", "serve other.toml --store f.db")
    write("data/c01.csv.c01.join", "no rows\n")  # as a client leaves it that was killed
    caucus("run f.toml --clients-from data --json run.json --model-out run-model.json")
    assert not differences(first, results("run.json"))
    assert read("run-model.json") == re.sub(' "run": ".*",?\n', "", read("model.json"))
    caucus("export f.db -o exported.json")
    assert read("exported.json") == read("model.json")
    score = caucus.run("predict --model exported.json --data all.csv --out forecasts.csv")
    assert score.returncode == 0 and "mean squared error" in score.stderr
    caucus.refused(3, "", "export all.csv -o x.json")
    caucus.refused(3, "missing.db: there is no store", "export missing.db -o x.json")
    caucus.refused(2, "port 0", "status --server localhost:0")


def test_a_model_can_be_exported_while_the_server_goes_on(caucus, operator):
    operator.prepare(20000)
    replace("f.toml", 'mode = "synchronous"', 'sample = 2\n[schedule]\nkind = "adaptive-first-order"')
    operator.serve()
    operator.join_both()
    wait_until(lambda: caucus.run("export f.db -o model.json").returncode == 0, 20, "no model is exported", every=0.02)
    assert operator.server.alive(), "the run had finished before"
    caucus("predict --model model.json --data data/c01.csv")
    assert "running" in operator.status()
    operator.server.signal(signal.SIGINT)
    operator.server.ends_well()
