"""`./dev demo` and `./dev demo --network`."""
import subprocess

import pytest

pytestmark = pytest.mark.ctest(sanitized=False, timeout=120)


def printed(script, program):
    done = subprocess.run([script, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_demo_shows_that_collaboration_helps(root, program):
    said = printed(root / "tools/demo", program)
    assert "the error with collaboration is\n  13% lower than without" in said
    assert "<svg " in (root / "build/demo/curves.svg").read_text()


def test_the_network_demo_ends_with_the_simulations_bits(root, program):
    assert "equal the simulation's, bit for bit" in printed(root / "tools/demo_network", program)
