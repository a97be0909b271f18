"""The server beside a log that nobody reads, strangers, and a proxy in front."""
import fcntl
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import time

import pytest

from federation import CONSTANT_GAUSSIAN, LINEAR
from program import free_port, read, wait_until, write

# --- a client that speaks HTTP/2 by hand ------------------------------------------------------------


def frame(kind, flags, stream, content):
    return struct.pack(">I", len(content))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + content


def header(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def field(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


def refused_hello(port, name):
    """Says Hello as a client that is not in server.clients; returns what the server answers."""
    headers = b"".join(header(*pair) for pair in [
        (b":method", b"POST"), (b":scheme", b"http"), (b":path", b"/caucus.v1.Federation/Join"),
        (b":authority", b"x"), (b"content-type", b"application/grpc"), (b"te", b"trailers")])
    hello = field(1, b"\x08\x01" + field(2, name.encode()))
    message = b"\0" + struct.pack(">I", len(hello)) + hello
    with socket.create_connection(("localhost", port), timeout=20) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + frame(1, 4, 1, headers)
                           + frame(0, 0, 1, message))
        heard = b""
        while b"grpc-status" not in heard and b"is not a client of this run" not in heard:
            more = connection.recv(65536)
            assert more, f"the server ended the connection: {heard}"
            heard += more
        return heard


# --- a log that nobody reads ------------------------------------------------------------------------

def full_pipe():
    """Returns both ends of a pipe into which nothing more can be written."""
    reading, writing = os.pipe()
    flags = fcntl.fcntl(writing, fcntl.F_GETFL)
    fcntl.fcntl(writing, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    try:
        while True:
            os.write(writing, b"x" * 4096)
    except BlockingIOError:
        pass
    fcntl.fcntl(writing, fcntl.F_SETFL, flags)
    return reading, writing


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_log_that_nobody_reads_stops_nothing(caucus, federation):
    federation.learning = CONSTANT_GAUSSIAN
    federation.make_files(2, 40_000)
    federation.configure(2)
    reading, writing = full_pipe()
    server = subprocess.Popen([str(caucus.path), "serve", "federation.toml", "--store", "run.db", "--listen",
                               f"localhost:{federation.port}"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=writing)
    try:
        wait_until(lambda: is_open(federation.port), 20, "the server does not listen")
        federation.join_all()
        federation.server = None
        wait_until(lambda: federation.batch() >= 2, 60, "no batch is closed")
        for n in range(200):
            assert b"is not a client of this run" in refused_hello(federation.port, f"stranger{n}")
        before = federation.batch()
        wait_until(lambda: federation.batch() > before, 60, "no batch is closed after the refusals")
        begun = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0
        assert time.monotonic() - begun < 10
    finally:
        server.kill()
        server.wait()
        os.close(reading)
        os.close(writing)


# --- a store that is taken away ---------------------------------------------------------------------

def test_a_removed_store_is_noticed_and_told_in_one_line(federation):
    federation.learning = CONSTANT_GAUSSIAN
    federation.make_files(2, 40_000)
    federation.configure(2, "snapshot_every = 20")
    federation.serve()
    federation.join_all()
    federation.until_batch(2)
    os.rename("run.db", "elsewhere.db")
    assert federation.server.wait(60) != 0
    errors = [line for line in read("serve.log").splitlines() if line.startswith("caucus: error: ")]
    assert len(errors) == 1 and "was removed, renamed or replaced" in errors[0], errors


def test_secret_files_are_for_their_owner_only(caucus, federation):
    before = os.umask(0)
    try:
        federation.learning = CONSTANT_GAUSSIAN
        federation.make_files(2, 40_000)
        federation.make_keys(2)
        federation.configure(2, 'tokens = "keys/tokens"')
        os.rename("keys", "keys-of-clients")  # else clients would use TLS
        os.mkdir("keys")
        shutil.copy("keys-of-clients/tokens", "keys/tokens")
        os.chmod("keys/tokens", 0o600)
        federation.serve()
        names = federation.names()
        for name in names:
            federation.clients[name] = caucus.start(
                "join --patience 60 --server", f"localhost:{federation.port}", "--client", name, "--data",
                f"data/{name}.csv", "--token", f"keys-of-clients/{name}.token", "--state", f"{name}.state",
                out=f"{name}.out", log=f"{name}.log")
        wait_until(lambda: all(pathlib.Path(f"{name}.state").exists() for name in names), 60, "no state is written")
    finally:
        os.umask(before)
    secret = ["run.db", "run.db-wal", "run.db-lock", *(f"{name}.state" for name in names),
              *(str(path) for path in pathlib.Path("keys-of-clients").iterdir() if path.suffix in (".key", ".token"))]
    for path in secret:
        assert os.stat(path).st_mode & 0o777 == 0o600, path


def test_a_key_that_others_can_read_draws_one_warning(caucus, federation):
    federation.learning = LINEAR
    federation.make_files(2, 200)
    federation.make_keys(2)
    federation.configure(2, 'tokens = "keys/tokens"\ntls = {cert = "keys/server.pem", key = "keys/server.key"}')
    os.chmod("keys/server.key", 0o640)
    federation.serve()
    federation.join_all()
    federation.end_all()
    assert read("serve.log").count("others can read it; it should have mode 0600") == 1
    assert "others can read" not in read("c01.log")


# --- a proxy in front -------------------------------------------------------------------------------

@pytest.fixture
def nginx(caucus, root):
    """Starts nginx with the example's configuration before a server on this port; returns its own port."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is absent (Debian's package nginx); the proxy's configuration is not tested")

    def start(server_port):
        port = free_port()  # another one: the server has its own
        here = pathlib.Path().resolve()
        text = (root / "examples/nginx/caucus.conf").read_text()
        for old, new in {"127.0.0.1:7070": f"127.0.0.1:{server_port}", "listen 8443": f"listen 127.0.0.1:{port}",
                         "/etc/caucus/keys": f"{here}/keys"}.items():
            assert old in text
            text = text.replace(old, new)
        write("caucus.conf", text)
        places = "".join(f"{kind}_temp_path {here}/nginx-{kind};\n"
                         for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        write("nginx.conf", f"daemon off; master_process off; pid {here}/nginx.pid; error_log {here}/nginx.log;\n"
              f"events {{}}\nhttp {{ access_log off;\n{places}include {here}/caucus.conf; }}\n")
        process = caucus.start_other([program, "-c", f"{here}/nginx.conf", "-e", f"{here}/nginx.log"],
                                     "nginx.out", "nginx-start.log")
        wait_until(lambda: is_open(port) or not process.alive(), 20, "nginx does not listen")
        assert process.alive(), read("nginx-start.log") + read("nginx.log")
        return port
    return start


def test_a_federation_runs_through_nginx(caucus, federation, nginx):
    federation.learning = LINEAR
    federation.make_files(3, 600)
    federation.make_keys(3)
    federation.configure(3, 'tokens = "keys/tokens"')
    federation.simulate()
    federation.serve()
    federation.port = nginx(federation.port)
    done = caucus.run("join --patience 2 --client c01 --data data/c01.csv --token keys/c01.token --ca keys/ca.pem",
                      "--server", f"localhost:{federation.port}")
    assert done.returncode == 4, f"without a certificate: {done.stderr}"
    federation.join_all()
    federation.end_all()
    federation.assert_same_results()
    federation.assert_all_counted()
