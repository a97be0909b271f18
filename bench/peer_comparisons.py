"""Comparisons with programs from PyPI; each runs in its own process."""

from harness import NotMeasured
from rows import CAUCUS, LINEAR, against, kernel_pair, mse_note, time_text
from table import Row


def peer_row(harness, label, ours, name, script, target=None, **flags):
    """Runs a program in its own process; if it cannot run, the row gives the reason."""
    time = ours["ns_per_example"]
    seconds = harness.seconds * harness.passes
    try:
        theirs = harness.peer(script, data=harness.elevators, seconds=seconds, **flags)
    except NotMeasured as reason:
        return Row(label, time_text(time), name, target=target, note=str(reason))
    note = mse_note(ours, theirs)
    return against(label, time, name, theirs["ns_per_example"], target=target, note=note)


def kernel_peer(harness, *peer, **rest):
    return peer_row(harness, "kernels K=8 J=2", kernel_pair(harness)[0], *peer, **rest)


def numpy(harness):
    yield kernel_peer(harness, "NumPy loop", "numpy_loop.py", target=180)


def sklearn(harness):
    one, ten = "scikit-learn, one kernel, one at a time", "the same, ten at a time"
    yield kernel_peer(harness, one, "sklearn_peer.py", target=700, rows=3000)
    yield kernel_peer(harness, ten, "sklearn_peer.py", at_a_time=10)


def river(harness):
    for name, selection in (("BanditRegressor", "bandit"), ("EWARegressor", "ewa")):
        yield kernel_peer(
            harness, f"River's {name}", "river_peer.py", target=200, selection=selection
        )


def vw(harness):
    flags = {**LINEAR, "models": 1, "sample": 1}
    ours = harness.best([(CAUCUS, {})], data=harness.elevators, **flags)[0]
    for name, steps in (("plain steps", "sgd"), ("its default", "default")):
        yield peer_row(
            harness, "linear K=1", ours, f"Vowpal Wabbit, {name}", "vw_peer.py", 1, steps=steps
        )
