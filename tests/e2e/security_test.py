"""Keys and tokens: who may take part in a federation, and that no secret is told."""
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from federation import KEYS_OF_SERVER, LINEAR, start_server
from program import read


@pytest.fixture
def secured(federation):
    """A federation of two clients with keys, not yet served."""
    federation.learning = LINEAR
    federation.make_files(2, 200)
    federation.make_keys(2)
    federation.configure(2, KEYS_OF_SERVER)
    return federation


def test_keys_and_tokens_open_the_door(secured):
    secured.simulate()
    secured.serve()
    secured.join_all()
    secured.end_all()
    secured.assert_same_results()


def assert_nothing_secret(*said):
    """No token and no line of a key is in a log or in what was printed."""
    texts = [*said, *(read(path) for pattern in ("*.log", "*.out") for path in pathlib.Path().glob(pattern))]
    for path in [*pathlib.Path("keys").glob("*.token"), *pathlib.Path("keys").glob("*.key")]:
        secrets = [line for line in read(path).splitlines() if not line.startswith("-----")]
        assert secrets
        for secret in secrets:
            assert not any(secret in text for text in texts), f"what is in {path} is told"


def test_wrong_keys_and_tokens_do_not(caucus, secured):
    secured.serve()
    caucus("cert init other --client c01")
    server = f"localhost:{secured.port}"
    said = []
    for what, flags in {
            "no TLS": "",
            "no certificate": "--token keys/c01.token --ca keys/ca.pem",
            "a foreign authority": "--token keys/c01.token --ca other/ca.pem --cert keys/c01.pem --key keys/c01.key",
            "a foreign certificate":
                "--token keys/c01.token --ca keys/ca.pem --cert other/c01.pem --key other/c01.key",
            "another's certificate":
                "--token keys/c01.token --ca keys/ca.pem --cert keys/c02.pem --key keys/c02.key",
            "another's token": "--token keys/c02.token --ca keys/ca.pem --cert keys/c01.pem --key keys/c01.key",
            "no token": "--ca keys/ca.pem --cert keys/c01.pem --key keys/c01.key"}.items():
        done = caucus.run(f"join --server {server} --client c01 --data data/c01.csv --patience 2 {flags}")
        assert done.returncode == 4, f"{what}: {done.stderr}"
        assert len(re.findall("^caucus: error: .*: .*; ", done.stderr, re.MULTILINE)) == 1, f"{what}: {done.stderr}"
        said.append(done.stderr)
    assert_nothing_secret(*said)

    ask = f"status --server {server} --ca keys/ca.pem --cert keys/c01.pem --key keys/c01.key "
    done = caucus.run(ask)
    assert done.returncode == 4 and done.stdout == ""
    assert re.search("gives no status.*token", done.stderr, re.DOTALL)
    assert "c02" in caucus(ask + "--client c01 --token keys/c01.token")
    named = caucus.run(ask + "--client c01")
    assert named.returncode == 2, "a name without a token"
    secured.join_all()
    secured.end_all()
    assert_nothing_secret(done.stderr, named.stderr)


WITHOUT_CERTIFICATES = KEYS_OF_SERVER.replace(', client_ca = "keys/ca.pem"', "")


def test_a_server_that_strangers_can_reach_requires_client_certificates(caucus, secured):
    secured.configure(2, WITHOUT_CERTIFICATES)
    done = caucus.run("serve federation.toml --listen 0.0.0.0:0")
    assert done.returncode == 2
    assert re.search("server.listen: others can reach .* without a certificate; expected server.tls.client_ca there, "
                     "a proxy .*, or --insecure$", done.stderr.strip())


@pytest.mark.parametrize("host, certificates, warns", [("0.0.0.0", False, True), ("0.0.0.0", True, False),
                                                       ("localhost", False, False)])
def test_a_server_that_strangers_can_reach_without_a_certificate_warns(caucus, secured, host, certificates, warns):
    secured.configure(2, KEYS_OF_SERVER if certificates else WITHOUT_CERTIFICATES)
    start_server(caucus, "serve federation.toml --insecure --listen", f"{host}:0")
    warnings = re.findall("level=warning event=exposed .*grow its memory.*client_ca.*proxy", read("serve.log"))
    assert len(warnings) == warns


def expire(name):
    """Signs the certificate once more, valid until now."""
    request = subprocess.run(["openssl", "x509", "-x509toreq", "-in", f"keys/{name}.pem", "-signkey",
                              f"keys/{name}.key", "-copy_extensions", "copyall"], capture_output=True)
    signed = subprocess.run(["openssl", "x509", "-req", "-copy_extensions", "copyall", "-CA", "keys/ca.pem", "-CAkey",
                             "keys/ca.key", "-days", "0", "-out", "expired.pem"], input=request.stdout,
                            capture_output=True)
    if request.returncode or signed.returncode:
        pytest.skip(f"this openssl cannot do it: {(request.stderr + signed.stderr).decode().splitlines()[-1]}")
    shutil.move("expired.pem", f"keys/{name}.pem")


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is missing")
def test_expired_certificates_are_refused(caucus, secured):
    """Their owner refuses them, because only the owner can say why; what others do is in the unit tests."""
    expire("c01")
    time.sleep(1.1)  # certificates know whole seconds
    secured.serve()
    done = caucus.run(f"join --server localhost:{secured.port} --client c01 --data data/c01.csv",
                      *secured.keys_of("c01"))
    assert done.returncode == 2 and "--cert keys/c01.pem: has expired; " in done.stderr
    assert secured.server.terminate() == 0
    expire("server")
    time.sleep(1.1)
    done = caucus.run("serve federation.toml --store other.db")
    assert done.returncode == 2 and "keys/server.pem: has expired; " in done.stderr
