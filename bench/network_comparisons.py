"""A federation on loopback against targets, and beside a bare gRPC echo of the same messages."""

from table import Row


def network(harness):
    modes = {
        "plain": {},
        "tls": {"tls": 1},
        "stored": {"commit_every": 100},
        "each": {"commit_every": 1},
        "echo": {"mode": "echo"},
        "barrier": {"mode": "barrier"},
    }
    results = harness.best(
        [("federation", flags) for flags in modes.values()], key="mean_us", seconds=1 if harness.quick else 3
    )
    of = dict(zip(modes, results))
    yield rate("10 clients, J = 2, 400 floats a message", of["plain"], 1200)
    yield rate("the same with TLS", of["tls"], 700)
    yield rate("the same, a durable commit every 100 batches", of["stored"], 1000)
    yield rate("the same, every batch durable", of["each"], None)
    yield overhead("gRPC echo of the same messages", of["plain"], of["echo"], None)
    yield overhead("the same, answered when all streams have sent", of["plain"], of["barrier"], None)
    for tls in (0, 1):
        yield memory(harness.run("federation", clients=500, tls=tls, seconds=2 if harness.quick else 5), tls)


def memory(crowd, tls):
    kilobytes = crowd["server_kb_per_client"]
    return Row(
        f"500 clients{' with TLS' if tls else ''}, memory of the server per client",
        ours=f"{kilobytes:.0f} KB",
        against="200 KB",
        theirs="200 KB",
        ratio=kilobytes / 200,
        ratio_is="of it",
        target=1,
        at_most=True,
        note=f"{crowd['batches_per_second']:.0f} batches/s",
    )


def rate(label, result, target):
    per_second = result["batches_per_second"]
    return Row(
        label,
        ours=f"{per_second:.0f} batches/s",
        against=f"{target} batches/s" if target else "",
        theirs=f"{target}" if target else "",
        ratio=per_second / target if target else None,
        target=1 if target else None,
        note=f"a batch: p50 {result['p50_us']:.0f} us, p99 {result['p99_us']:.0f} us",
    )


def overhead(name, ours, echo, target):
    return Row(
        "10 clients",
        ours=f"{ours['batches_per_second']:.0f} batches/s",
        against=name,
        theirs=f"{echo['batches_per_second']:.0f} a second",
        ratio=echo["batches_per_second"] / ours["batches_per_second"],
        ratio_is="times its time",
        target=target,
        at_most=True,
    )
