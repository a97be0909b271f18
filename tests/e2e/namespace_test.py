"""A server and clients in network namespaces of their own, joined by links that are slow, lossy or cut; all with
TLS, client certificates and tokens. A machine that does not allow it skips the cases."""
import re
import shlex
import subprocess
import time

import pytest

from federation import CONSTANT_GAUSSIAN, KEYS_OF_SERVER, Federation
from program import read, wait_until, write

pytestmark = [pytest.mark.network_namespace, pytest.mark.ctest(sanitized=False, cost=15)]


def try_command(command):
    """Returns an empty text, or what a command that fails says."""
    done = subprocess.run(shlex.split(command), capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr.strip() or f"{command} failed"


def command(text):
    said = try_command(text)
    assert not said, said


def skip_unless(said, what):
    if said:
        pytest.skip(f"{what}: {said}")


class Network(Federation):
    """Each client has a link to the server, on which the server is 10.0.J.1 and the client 10.0.J.2. The interface
    on both sides has the client's name."""

    listen_host = "0.0.0.0"

    def inside(self, name):
        return ("nsenter", f"--net=/run/netns/{name}")

    def server_host(self, name):
        return f"10.0.{int(name[1:])}.1"

    def make_links(self, clients):
        skip_unless(try_command("mount -t tmpfs tmpfs /run"), "no file system for the namespaces' names")
        skip_unless(try_command("ip netns add server"), "no named network namespaces")
        command("ip -n server link set lo up")
        for j in range(1, clients + 1):
            name = f"c{j:02}"
            command(f"ip netns add {name}")
            skip_unless(try_command(f"ip -n server link add {name} type veth peer name {name} netns {name}"),
                        "no veth pairs")
            command(f"ip -n server address add 10.0.{j}.1/24 dev {name}")
            command(f"ip -n {name} address add 10.0.{j}.2/24 dev {name}")
            command(f"ip -n server link set {name} up")
            command(f"ip -n {name} link set {name} up")

    def prepare(self, clients, rows):
        """Makes the network, the data, the keys and the simulation's result."""
        self.learning = "[algorithm]\nsample = 2\n" + CONSTANT_GAUSSIAN
        self.make_links(clients)
        self.make_files(clients, rows)
        self.make_keys(clients, "localhost", *(f"10.0.{j}.1" for j in range(1, clients + 1)))
        self.configure(clients, KEYS_OF_SERVER)
        self.simulate()

    def on_links(self, action, what):
        """Runs `tc -n NAMESPACE ACTION dev INTERFACE WHAT` for both sides of every link; returns why not."""
        for name in self.names():
            for side in ("server", name):
                said = try_command(f"tc -n {side} {action} dev {name} {what}")
                if said:
                    return said
        return ""

    def make_slow(self):
        """Where the kernel has no netem, a line of few bits per second is slow and uneven too: a packet waits for
        those before it, each of another length."""
        if self.on_links("qdisc add", "root netem delay 20ms 10ms"):
            skip_unless(self.on_links("qdisc add", "root tbf rate 200kbit burst 1600 latency 2s"),
                        "no netem and no tbf")

    def make_lossy(self):
        """Where the kernel has no netem, a filter of classic BPF drops what comes in: it loads a random number, and
        drops the packet (2) if the number is below 5% of 2^32, else passes it (0)."""
        if self.on_links("qdisc add", "root netem loss 5%"):
            said = self.on_links("qdisc add", "clsact") or self.on_links(
                "filter add", "ingress bpf da bytecode '4,32 0 0 4294963256,53 1 0 214748365,6 0 0 2,6 0 0 0'")
            skip_unless(said, "no netem and no BPF filter")

    def cut(self, name):
        """The server has no way to the client any more; the client hears nothing."""
        command(f"ip -n server link set {name} down")

    def mend(self, name):
        command(f"ip -n server link set {name} up")


@pytest.fixture
def network(caucus):
    return Network(caucus)


def test_delay_and_jitter_change_nothing(network):
    network.prepare(3, 300)
    network.make_slow()
    network.serve()
    network.join_all()
    network.end_all()
    network.assert_same_results()
    network.assert_all_counted()


def test_loss_changes_nothing(network):
    network.prepare(3, 600)
    network.make_lossy()
    network.serve()
    network.join_all()
    network.end_all()
    network.assert_same_results()
    network.assert_all_counted()


def test_a_server_listens_on_a_name_that_the_hosts_file_has_twice(network):
    write("hosts", "10.0.1.1 twice\n10.0.2.1 twice\n" * 2)
    skip_unless(try_command("mount --bind hosts /etc/hosts"), "no hosts file of its own")
    found = subprocess.run(["getent", "ahosts", "twice"], capture_output=True, text=True).stdout
    if len(re.findall("STREAM", found)) != 4:
        pytest.skip("the system's resolver names every address once")
    network.listen_host = "twice"
    network.prepare(2, 50)
    network.serve()
    network.join_all()
    network.end_all()
    network.assert_same_results()


def test_a_cut_link_holds_the_run_up_until_it_is_mended(network):
    network.prepare(3, 12000)
    network.serve()
    network.join_all()
    network.until_batch(500)
    network.cut("c03")
    time.sleep(1)
    batch = network.batch()
    # The side that waits for an acknowledgement gives up after 10 s; the other one may have nothing to wait for.
    wait_until(lambda: "event=disconnected client=c03" in read("serve.log") + read("c03.log"), 20, "nobody notices",
               every=0.1)
    assert network.batch() == batch, "the run goes on without c03"
    network.mend("c03")
    network.end_all()
    network.assert_same_results()
    network.assert_all_counted()


def test_at_the_deadline_the_run_goes_on_without_those_who_are_cut_off(caucus, network):
    """A fourth client is expected and never comes. So every batch lasts until its deadline, and the server can be
    asked for the last numbers when the others have finished."""
    network.prepare(3, 1800)
    network.configure(4, KEYS_OF_SERVER, "quorum = 1", "deadline_ms = 20")
    caucus("cert add keys --client c04")
    network.serve()
    network.join_all()
    network.until_batch(50)
    network.cut("c03")
    time.sleep(5)

    def clients(status):
        return {client["name"]: client for client in status["clients"]}
    away = clients(network.status())
    assert away["c03"]["lag"] > 50, "the run waits for c03"
    network.mend("c03")

    def finished():
        status = network.status()
        assert status, "the server has ended"
        return status if sum(c["state"] == "finished" for c in status["clients"]) >= 3 else None
    status = wait_until(finished, 60, "the run does not come to an end", every=0.2)
    end = clients(status)
    assert end["c03"]["counted"] > away["c03"]["counted"], "c03 does not return"
    counted = 0
    for name in network.names():  # one example per report; a late one is counted as late, and not as an example
        client = end[name]
        assert client["reports"] == client["counted"], client
        # A report that has become late before it could be sent is not sent.
        assert client["examples"] - client["counted"] - client["late"] >= 0, f"{name} is counted twice: {client}"
        counted += client["counted"]
    assert counted == status["forecasts"]
    for process in network.clients.values():
        process.ends_well()
