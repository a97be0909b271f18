"""Fixtures for the end-to-end tests, and what ctest needs to run each case as a test of its own.

By hand: python3 -m pytest tests/e2e [-k WORD] [--caucus build/bin/caucus]

CMake lists the cases at configure time with --ctest-list. A module or a case states how ctest runs it:
    pytest.mark.ctest(label="full", timeout=1200, lock="install", sanitized=False, cost=60)
sanitized=False leaves the case out of the builds with sanitizers. ctest starts the cases of the highest cost first. A run in which every case is skipped
ends with code 77, which ctest counts as skipped.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

from federation import Federation
from program import Caucus

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def pytest_addoption(parser):
    parser.addoption("--caucus", help="the program under test (BUILD/bin/caucus)")
    parser.addoption("--build-dir", default=str(ROOT / "build"), help="the build directory (build)")
    parser.addoption("--compiler", default="c++", help="the compiler for programs that use the library (c++)")
    parser.addoption("--ctest-list", metavar="FILE", help="write the cases and their properties for CMake")


# --- ctest ----------------------------------------------------------------------------------------

def ctest_line(item):
    """Returns NAME|NODE|LABEL|TIMEOUT|LOCK|SANITIZED|COST for CMake."""
    marks = {}
    for mark in reversed(list(item.iter_markers("ctest"))):  # the closest mark wins
        marks.update(mark.kwargs)
    file, case = item.nodeid.split("::")
    name = file.removesuffix("_test.py") + "." + case.removeprefix("test_").replace("[", ".").rstrip("]")
    return "|".join([name, item.nodeid, marks.get("label", ""), str(marks.get("timeout", 300)),
                     marks.get("lock", ""), "yes" if marks.get("sanitized", True) else "no", str(marks.get("cost", 0))])


def pytest_collection_finish(session):
    file = session.config.getoption("--ctest-list")
    if file:
        lines = [ctest_line(item) for item in session.items]
        pathlib.Path(file).write_text("\n".join(lines) + "\n")


def pytest_sessionfinish(session):
    if session.config.getoption("--ctest-list"):
        return
    counts = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if counts.get("skipped") and not any(counts.get(kind) for kind in ("passed", "failed", "error")):
        session.exitstatus = SKIPPED


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds the ends of the logs in the test's directory to the report of a failure."""
    report = (yield).get_result()
    if report.when == "call" and report.failed:
        for log in sorted(pathlib.Path().glob("*.log")):
            lines = log.read_text(errors="replace").splitlines()[-5:]
            report.sections.append((f"end of {log}", "\n".join(lines)))


# --- networks -------------------------------------------------------------------------------------

@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a case marked network_namespace as a second pytest inside namespaces of mounts, processes and networks.
    They end with their first process, so that nothing is left behind and names cannot collide."""
    if not pyfuncitem.get_closest_marker("network_namespace") or os.environ.get("CAUCUS_INSIDE"):
        return None
    os.environ["PATH"] += ":/usr/sbin:/sbin"  # not in everybody's
    for tool in ("ip", "tc", "unshare", "nsenter"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is missing")
    apart = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.getuid() != 0:
        apart += ["--user", "--map-root-user"]
    possible = subprocess.run([*apart, "true"], capture_output=True, text=True)
    if possible.returncode != 0:
        pytest.skip(f"there are no namespaces: {possible.stderr.strip()}")
    program = pyfuncitem.funcargs["caucus"].path
    inner = subprocess.run([*apart, sys.executable, "-m", "pytest", "-q", "-rs", f"--caucus={program}",
                            f"--rootdir={ROOT}/tests/e2e", f"{ROOT}/tests/e2e/{pyfuncitem.nodeid}"],
                           capture_output=True, text=True, env={**os.environ, "CAUCUS_INSIDE": "1"})
    if inner.returncode == SKIPPED:
        pytest.skip(inner.stdout.strip().splitlines()[-2])
    assert inner.returncode == 0, inner.stdout + inner.stderr
    print(inner.stdout)
    return True  # the case has run


# --- fixtures -------------------------------------------------------------------------------------

@pytest.fixture(autouse=True)
def directory():
    """Every case runs in an empty directory of its own, which is deleted afterwards."""
    before = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory(prefix="caucus-", ignore_cleanup_errors=True) as path:
        os.chdir(path)
        try:
            yield pathlib.Path(path)
        finally:
            os.chdir(before)


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def build(request):
    return pathlib.Path(request.config.getoption("--build-dir")).resolve()


@pytest.fixture(scope="session")
def compiler(request):
    return request.config.getoption("--compiler")


@pytest.fixture(scope="session")
def program(request, build):
    path = pathlib.Path(request.config.getoption("--caucus") or build / "bin/caucus").resolve()
    assert path.exists(), f"there is no {path}; build it, or name another program with --caucus"
    return path


@pytest.fixture
def caucus(program, directory):
    """Runs the program; the processes that the test has started and left running end with the test."""
    with Caucus(program) as runner:
        yield runner


@pytest.fixture
def remove():
    """Returns what removes the files, or the empty directories, that match patterns."""
    def every(*patterns):
        for pattern in patterns:
            for path in pathlib.Path().glob(pattern):
                path.rmdir() if path.is_dir() else path.unlink()
    return every


@pytest.fixture
def federation(caucus):
    return Federation(caucus)


@pytest.fixture(scope="session")
def sanitized():
    return bool(os.environ.get("CAUCUS_SANITIZED"))


@pytest.fixture
def data_set():
    """Returns the path of a data set of the paper; skips the test where it is absent."""
    folder = pathlib.Path(os.environ.get("CAUCUS_DATA_DIR") or ROOT.parent / "shared/data").resolve()

    def find(name, extension="csv.gz"):
        path = folder / f"{name}.{extension}"
        if not path.exists():
            pytest.skip(f"there is no {path.name} in {folder}; CAUCUS_DATA_DIR may name another directory")
        return path
    return find
