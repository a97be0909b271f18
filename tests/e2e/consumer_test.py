"""A project outside of the tree that knows nothing but the installed package."""
import shutil
import subprocess

import pytest

from program import read

pytestmark = pytest.mark.ctest(sanitized=False, timeout=600, lock="install")


def command(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_installed_package_serves_a_consumer(root, build, compiler, directory):
    prefix = directory / "prefix"
    command("cmake", "--install", build, "--prefix", prefix)
    for file in prefix.glob("lib*/**/*.cmake"):
        assert str(root) not in read(file) and str(build) not in read(file), f"{file} points back into the tree"
    shutil.copytree(root / "tests/consumer", "consumer")
    command("cmake", "-S", "consumer", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}")
    command("cmake", "--build", "build")
    assert command("build/consumer") + command("build/application") == read("consumer/expected.txt")
    if (build / "bin/caucus").exists():
        command(prefix / "bin/caucus", "--help")
