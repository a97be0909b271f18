"""`./dev demo` and `./dev demo --network`."""
import re
import subprocess

import pytest

pytestmark = pytest.mark.ctest(sanitized=False, timeout=120)


def printed(script, program):
    done = subprocess.run([script, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_demo_shows_that_collaboration_helps(root, program):
    said = printed(root / "tools/demo", program)
    gains = [int(gain) for gain in re.findall(r"the error with collaboration is\n  (\d+)% lower than without", said)]
    assert len(gains) == 2 and gains[0] >= 10 and gains[1] >= 30, said
    assert "<svg " in (root / "build/demo/curves.svg").read_text()


def test_the_network_demo_ends_with_the_simulations_bits(root, program):
    assert "equal the simulation's, bit for bit" in printed(root / "tools/demo_network", program)
