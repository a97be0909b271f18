"""Rows that compare two programs."""

from table import Row

CAUCUS, PLAIN = "caucus_loop", "plain_loop"
KERNELS = {"spaces": "gaussian", "models": 8, "sample": 2, "features": 100}
LINEAR = {"spaces": "linear", "models": 10, "sample": 2, "eta": 1, "lambda": 0.1}


def time_text(nanoseconds):
    if nanoseconds < 1000:
        return f"{nanoseconds:.3g} ns"
    return f"{nanoseconds / 1000:.3g} us" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:.3g} ms"


def against(label, ours, other, theirs, **rest):
    """Both in nanoseconds per example."""
    return Row(
        label,
        ours=time_text(ours),
        against=other,
        theirs=time_text(theirs),
        ratio=theirs / ours,
        **rest,
    )


def mse_note(ours, theirs):
    """Adds the standard error of the mean if there are several repetitions."""

    def text(result):
        error = result.get("mse_error", 0)
        return f"{result['mse']:.5f}" + (f" (±{error:.5f})" if error > 0 else "")

    return f"MSE {text(ours)} and {text(theirs)}"


def pair(harness, **flags):
    return harness.best([(CAUCUS, {}), (PLAIN, {})], **flags)


def kernel_pair(harness):
    """The base setting of most comparisons: kernels, K = 8, J = 2, M = 10, N = 1."""
    return harness.remembered("kernels", lambda: pair(harness, data=harness.elevators, **KERNELS))


def against_plain(label, ours, plain, **rest):
    return against(
        label,
        ours["ns_per_example"],
        "plain C++ loop",
        plain["ns_per_example"],
        note=mse_note(ours, plain),
        **rest,
    )
