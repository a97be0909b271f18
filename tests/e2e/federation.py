"""A server and clients as processes, and their results beside those of a simulation.

The words of logs and messages that tests wait for stand here, so that a change of them is made once."""
import pathlib
import re
import time

from program import differences, free_port, read, read_json, results, wait_until, write

LISTENING = re.compile(r'listening on ([^\s"]*:\d+)(?=[\s"])')
RUN_HAS_FINISHED = " event=finished "
REPORT_REJECTED = "event=rejected"
NOT_ACKNOWLEDGED = "have not acknowledged that"  # the server exits before all clients have acknowledged the End

# Small batches, of which there are many, so that much can happen between them.
LINEAR = '[schedule]\nkind = "adaptive-first-order"\n[[space]]\nkind = "linear"'
CONSTANT_GAUSSIAN = ('[schedule]\nkind = "constant"\neta = 1\nlambda = 0.5\n'
                     '[[space]]\nkind = "gaussian"\nfeatures = 20')
KEYS_OF_SERVER = ('tokens = "keys/tokens"\n'
                  'tls = {cert = "keys/server.pem", key = "keys/server.key", client_ca = "keys/ca.pem"}')


def name_of(number):
    return f"c{number:02}"


def start_server(caucus, command, *arguments, may_end=False, log="serve.log", **options):
    """Starts `caucus serve` and waits until it listens; its address and port are then known. With `may_end`, a
    server that ends at once, because its run has finished, is no failure."""
    before = len(LISTENING.findall(read(log))) if options.get("append_log") else 0
    server = caucus.start(command, *arguments, out="serve.out", log=log, **options)

    def listens():
        return len(LISTENING.findall(read(log))) > before or not server.alive()
    wait_until(listens, 20, lambda: f"the server does not listen: {server.last_words()}", every=0.02)
    said = LISTENING.findall(read(log))
    if len(said) > before:
        server.address = said[-1]
        server.port = int(said[-1].rpartition(":")[2])
    else:
        assert may_end, f"the server has ended: {server.last_words()}"
    return server


class Federation:
    """Writes data and configuration, starts server and clients, and compares what they learn. A subclass may
    place the processes elsewhere."""

    listen_host = "localhost"

    def __init__(self, caucus):
        self.caucus = caucus
        self.port = free_port()  # the server returns to it after it was killed
        self.server = None
        self.clients = {}
        self.learning = ""
        self.server_limit = None

    # --- places ---------------------------------------------------------------------------------

    def inside(self, _name):
        """Returns the command that runs another one in the place of a client or of "server"."""
        return ()

    def server_host(self, _name):
        """Returns the host by which a client knows the server."""
        return "localhost"

    # --- files ----------------------------------------------------------------------------------

    def make_files(self, clients, rows, unequal=True):
        """Writes data/c01.csv and so on, and the ranges of all of them. One is shorter, if unequal: it runs out of
        data before the others."""
        self.caucus("data generate kernel --out all.csv --rows", rows)
        self.caucus("data info all.csv --ranges ranges.csv")
        self.caucus("data split all.csv --out data --clients", clients)
        if unequal:
            lines = read("data/c02.csv").splitlines(keepends=True)
            write("data/c02.csv", "".join(lines[:rows // clients // 2]))

    def configure(self, clients, *server_lines):
        names = ", ".join(f'"{name_of(j)}"' for j in range(1, clients + 1))
        lines = ["[data]", "feature_range = [-1, 1]", "label_range = [0, 1]", 'scale_from = "ranges.csv"',
                 self.learning, "[server]", f"clients = [{names}]", *server_lines]
        write("federation.toml", "\n".join(lines) + "\n")

    def make_keys(self, clients, *hosts):
        flags = [word for j in range(1, clients + 1) for word in ("--client", name_of(j))]
        flags += [word for host in hosts for word in ("--host", host)]
        self.caucus("cert init keys", *flags)

    def keys_of(self, name):
        """Returns the flags of a client, if there are keys."""
        if not pathlib.Path("keys").is_dir():
            return []
        return ["--token", f"keys/{name}.token", "--ca", "keys/ca.pem", "--cert", f"keys/{name}.pem",
                "--key", f"keys/{name}.key"]

    def names(self):
        return sorted(path.stem for path in pathlib.Path("data").glob("*.csv"))

    @staticmethod
    def rows_of(name):
        return sum(not re.match("[a-z]", line) for line in read(f"data/{name}.csv").splitlines())

    def examples(self):
        return sum(self.rows_of(path.stem) for path in pathlib.Path("data").glob("c*.csv"))

    # --- processes ------------------------------------------------------------------------------

    def simulate(self):
        self.caucus("run federation.toml --clients-from data --json run.json")

    def serve(self):
        """Starts the server, or starts it again."""
        self.server = start_server(
            self.caucus, "serve federation.toml --store run.db --json serve.json --listen",
            f"{self.listen_host}:{self.port}", may_end=True, append_log=True, inside=self.inside("server"),
            limit=self.server_limit)

    def join(self, name, *flags):
        self.clients[name] = self.caucus.start(
            "join --patience 60 --server", f"{self.server_host(name)}:{self.port}", "--client", name, "--data",
            f"data/{name}.csv", *self.keys_of(name), *flags, out=f"{name}.out", log=f"{name}.log", append_log=True,
            inside=self.inside(name))

    def join_all(self):
        for name in self.names():
            self.join(name)

    def kill_hard(self, name):
        """Kills a client or "server". Returns False if it had ended well by itself or was about to: a client has
        printed its summary then."""
        process = self.server if name == "server" else self.clients.get(name)
        if process is None:
            return False
        code = process.kill()
        if code == 137 and (name == "server" or read(process.out) == ""):
            return True
        assert code in (0, 137), f"{name} failed with {code}: {process.last_words()}"
        if name == "server":
            self.server = None
        else:
            del self.clients[name]
        return False

    def nobody_failed(self):
        for process in self.clients.values():
            if not process.alive():
                process.ends_well()

    def end_all(self):
        """Waits until the server and all clients have ended well."""
        while self.server and self.server.alive():
            self.nobody_failed()
            time.sleep(0.05)
        if self.server:
            self.server.ends_well()
        for process in self.clients.values():
            process.ends_well()

    # --- results --------------------------------------------------------------------------------

    def served(self):
        return read_json("serve.json")

    def assert_same_results(self):
        """The server has learned what the simulation has, to the last bit."""
        assert not differences(results("run.json"), results("serve.json"))

    def assert_all_counted(self):
        assert self.served()["data"]["used"] == self.examples()

    def status(self):
        """Returns what the server says about itself, or nothing while it does not answer."""
        keys = self.keys_of("c01")
        done = self.caucus.run("status --json - --server", f"localhost:{self.port}", *keys,
                               *(["--client", "c01"] if keys else []), inside=self.inside("server"))
        return read_json(done.stdout) if done.returncode == 0 else {}

    def batch(self):
        return self.status().get("batch", 0)

    def until_batch(self, batch):
        """Waits until that batch is open."""
        def reached():
            if self.batch() >= batch:
                return True
            assert self.server.alive(), f"the server has ended before batch {batch}: {self.server.last_words()}"
            return False
        wait_until(reached, 60, f"batch {batch} is not reached")
