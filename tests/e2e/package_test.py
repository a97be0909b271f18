"""The installed package: programs outside of the tree compile against it, learn and take part in a federation."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from federation import start_server
from program import Caucus, read, read_json, write

pytestmark = pytest.mark.ctest(timeout=600, lock="install", sanitized=False)


def must_run(*words, **options):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, text=True, capture_output=True,
                          timeout=500, **options)
    assert done.returncode == 0, f"{words} ended with {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture
def prefix(build, directory):
    must_run("cmake", "--install", build, "--prefix", directory / "prefix")
    return directory / "prefix"


@pytest.fixture
def compiled(prefix, compiler, directory):
    """Returns what copies a project out of the tree, compiles it and gives the folder of its programs."""
    def compile(project):
        shutil.copytree(project, directory / "project")
        must_run("cmake", "-S", "project", "-B", "built", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}")
        must_run("cmake", "--build", "built")
        return directory / "built"
    return compile


@pytest.fixture
def serve(prefix):
    """Starts the installed program as the server of two clients that measure one number each."""
    with Caucus(prefix / "bin/caucus") as installed:
        def start():
            write("server.toml", '[server]\nclients = ["c01", "c02"]\nmax_abs_target = 1\nmax_feature_norm = 1\n')
            return start_server(installed, "serve server.toml --listen localhost:0 --store run.db --json serve.json")
        start.run = installed
        yield start


def test_the_installed_package_serves_a_consumer(root, build, prefix, compiled):
    for file in prefix.glob("lib*/**/*.cmake"):
        text = read(file)
        assert str(root) not in text and str(build) not in text, f"{file} points back into the tree"
    headers = {path.relative_to(prefix / "include").as_posix() for path in prefix.glob("include/**/*") if path.is_file()}
    assert headers == {f"caucus/{path.name}" for path in (root / "include/caucus").glob("*.hpp")}
    programs = compiled(root / "tests/consumer")
    version = re.search(r"\d+\.\d+\.\d+", must_run(prefix / "bin/caucus", "--version")).group()
    assert must_run(programs / "library") == f"huber:0.5 0.375 0.5\nloss\n0.6 0.8\n{version} is {version}\n"


def test_the_selector_example_learns(root, compiled):
    said = must_run(compiled(root / "examples/selector") / "selector")
    errors = [abs(float(error)) for error in re.findall(r"error ([-+.\d]+)", said)]
    assert len(errors) == 10 and errors[0] > 0.5 and max(errors[1:]) < 0.1, said
    probabilities = [float(line.split()[-1]) for line in said.splitlines()[10:]]
    assert len(probabilities) == 9 and abs(sum(probabilities) - 1) < 0.01, said
    assert max(probabilities) > 0.5, said


def test_the_client_example_federates(root, compiled, serve):
    program = compiled(root / "examples/client") / "client"
    server = serve()
    clients = [serve.run.start_other([program, server.address, name], f"{name}.out", f"{name}.log")
               for name in ("c01", "c02")]
    for process in [*clients, server]:
        process.ends_well()
    result = read_json("serve.json")
    assert 900 < result["data"]["used"] <= 1000  # the last few rows of a client would not hide each other
    assert result["results"][0]["mse"]["mean"] < 0.05
    assert "no answer" not in read("c01.out")
    assert subprocess.run([program], capture_output=True).returncode == 2


def test_an_application_keeps_its_own_loop_and_channel(root, compiled, serve):
    program = compiled(root / "tests/consumer") / "own_loop"
    server = serve()
    clients = [serve.run.start_other([program, server.address, name], f"{name}.out", f"{name}.log")
               for name in ("c01", "c02")]
    for process in [*clients, server]:
        process.ends_well()
    for name in ("c01", "c02"):
        assert read(f"{name}.out") == "200 readings, error fell, own calls answered, own timeout kept\n"


def test_snippets_of_the_api_page_compile(root, compiled):
    page = read(root / "docs/api.md")
    snippets = re.findall(r"^```cpp\n(.*?)^```", page, re.M | re.S)
    headers = {path.name for path in (root / "include/caucus").glob("*.hpp")}
    assert headers == set(re.findall(r"\b\w+\.hpp", "".join(re.findall(r"^## .*", page, re.M))))
    os.mkdir("page")
    for number, snippet in enumerate(snippets):
        write(f"page/snippet{number}.cpp", snippet)
    write("page/CMakeLists.txt", """cmake_minimum_required(VERSION 3.25)
project(page LANGUAGES CXX)
find_package(caucus 0.1 REQUIRED COMPONENTS client)
file(GLOB snippets *.cpp)
add_library(page OBJECT ${snippets})
target_link_libraries(page PRIVATE caucus::client)
""")
    compiled(pathlib.Path("page"))


@pytest.mark.ctest(timeout=60, lock="")
@pytest.mark.parametrize("example,most", [("selector", 15), ("client", 20)])
def test_the_readme_shows_the_example(root, example, most):
    readme = read(root / "README.md")
    program = read(root / f"examples/{example}/main.cpp")
    assert len(program.splitlines()) <= most
    assert f"```cpp\n{program}```" in readme, f"README.md does not show examples/{example}/main.cpp as it is"
    assert read(root / f"examples/{example}/CMakeLists.txt") in readme
