"""`caucus cert`: the certificates, keys and tokens of a federation."""
import hashlib
import os
import pathlib

import pytest

from program import read, write


def files():
    """Returns the content of every file below, and the directories."""
    return {path: path.read_bytes() if path.is_file() else None for path in pathlib.Path().rglob("*")}


@pytest.fixture
def refused(caucus):
    """Expects an error with code 2 or 3 that changes no file."""
    def check(pattern, *arguments):
        before = files()
        caucus.refused((2, 3), pattern, "cert", *arguments)
        assert files() == before, f"cert {arguments} changed files"
    return check


@pytest.fixture
def under_umask():
    """Returns a function that sets the umask until the end of the test."""
    before = os.umask(0o022)
    os.umask(before)
    yield os.umask
    os.umask(before)


def assert_mode(path, mode):
    assert oct(os.stat(path).st_mode & 0o7777) == oct(mode), path


def assert_hash_in_tokens(client):
    token = read(f"certs/{client}.token").replace("\n", "")
    line = f"{client} {hashlib.sha256(token.encode()).hexdigest()}"
    assert line in read("certs/tokens").splitlines()


def test_init_writes_all_that_server_and_clients_need(caucus, under_umask):
    under_umask(0o022)
    said = caucus("cert", "init", "certs", "--client", "c01", "--client", "c02")
    assert sorted(os.listdir("certs")) == [
        "c01.key", "c01.pem", "c01.token", "c02.key", "c02.pem", "c02.token", "ca.key", "ca.pem", "server.key",
        "server.pem", "tokens"]
    certs = pathlib.Path("certs")
    for path in certs.glob("*.pem"):
        assert_mode(path, 0o644)
        assert "BEGIN CERTIFICATE" in read(path)
        assert "PRIVATE" not in read(path)
    for path in [*certs.glob("*.key"), *certs.glob("*.token"), certs / "tokens"]:
        assert_mode(path, 0o600)
    assert_hash_in_tokens("c01")
    assert_hash_in_tokens("c02")
    for path in certs.glob("*.token"):
        secret = read(path).strip()
        assert secret and secret not in said and secret not in read("certs/tokens"), f"{path} is not secret"


def test_init_says_what_to_write_where(caucus):
    said = caucus("cert", "init", "my certs", "--client", "c01", "--days", "1")
    lines = said.splitlines()
    assert '  tokens = "my certs/tokens"' in lines
    assert ('  tls = {cert = "my certs/server.pem", key = "my certs/server.key", client_ca = "my certs/ca.pem"}'
            in lines)
    parts = ["caucus join", "--client c01", "--token 'my certs/c01.token'", "--ca 'my certs/ca.pem'",
             "--cert 'my certs/c01.pem'", "--key 'my certs/c01.key'"]
    assert any(all(part in line for part in parts) for line in lines), said
    assert "my certs: wrote 8 files, valid for 1 day" in said


def test_secrets_stay_secret_under_any_umask(caucus, under_umask):
    under_umask(0)
    caucus("cert", "init", "certs", "--client", "c01")
    assert_mode("certs/ca.key", 0o600)
    assert_mode("certs/c01.token", 0o600)
    for path in pathlib.Path("certs").iterdir():
        path.chmod(0o666)
    caucus("cert", "init", "certs", "--client", "c01", "--force")
    for path in ("certs/ca.key", "certs/c01.key", "certs/c01.token"):
        assert_mode(path, 0o600)


def test_init_replaces_nothing_unless_forced(caucus, refused):
    os.mkdir("certs")
    write("certs/server.key", "mine\n")
    refused(r"certs/server.key: already exists.*--force", "init", "certs", "--client", "c01")
    caucus("cert", "init", "certs", "--client", "c01", "--force")
    refused("already exists", "init", "certs", "--client", "c01")
    before = read("certs/ca.pem")
    caucus("cert", "init", "certs", "--client", "c01", "--force")
    assert read("certs/ca.pem") != before, "the authority is the same"
    assert_hash_in_tokens("c01")


def test_add_signs_further_clients(caucus, refused):
    caucus("cert", "init", "certs", "--client", "c01")
    authority = ["certs/ca.pem", "certs/ca.key", "certs/server.pem", "certs/c01.pem"]
    before = [read(path) for path in authority]
    said = caucus("cert", "add", "certs", "--client", "c02", "--client", "c03")
    assert [read(path) for path in authority] == before
    assert "--token certs/c02.token" in said
    for client in ("c01", "c02", "c03"):
        assert_hash_in_tokens(client)
    assert_mode("certs/tokens", 0o600)
    assert_mode("certs/c03.key", 0o600)
    refused("'c02' is in certs/tokens already", "add", "certs", "--client", "c04", "--client", "c02")


def test_bad_requests_leave_nothing(refused):
    refused("a/b", "init", "certs", "--client", "a/b")
    refused("'ca' would have the files of the authority", "init", "certs", "--client", "ca")
    refused("'c01' is given twice", "init", "certs", "--client", "c01", "--client", "c01")
    refused("'localhost:7070' is not a host", "init", "certs", "--host", "localhost:7070")
    refused("days", "init", "certs", "--days", "0")
    refused("days", "init", "certs", "--days", "1000000")
    refused("dir", "init")
    refused("client", "add", "certs")
    refused("certs", "add", "certs", "--client", "c01")
    refused("did you mean '--client'", "init", "certs", "--clinet", "c01")
    write("file", "x\n")
    refused("file.*not a directory", "init", "file")
    refused("file", "init", "file/below")


def test_add_needs_the_whole_authority(caucus, refused):
    caucus("cert", "init", "certs")
    os.rename("certs/ca.key", "saved")
    refused("certs/ca.key: cannot be read", "add", "certs", "--client", "c01")
    caucus("cert", "init", "other")
    write("certs/ca.key", read("other/ca.key"))
    refused("certs/ca.key: does not belong to", "add", "certs", "--client", "c01")
    os.rename("saved", "certs/ca.key")
    with open("certs/tokens", "a") as tokens:
        tokens.write("c09 abc\n")
    refused("certs/tokens:2: ", "add", "certs", "--client", "c01")


def test_a_flag_takes_one_value_and_the_directory_may_come_last(caucus):
    caucus("cert", "init", "--client", "c01", "--host", "server.example", "certs")
    assert os.path.exists("certs/c01.pem")
    assert not os.path.exists("certs/certs.pem"), "the directory was taken for a client"
