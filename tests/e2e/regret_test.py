"""What a server knows of its regret without a row, beside what `caucus run --regret` computes from all rows."""
import pytest

from program import read, read_json


def regret_of(caucus, federation, learning):
    """Plays a federation, and returns its regret and that of a simulation with all rows."""
    federation.learning = learning
    federation.make_files(2, 1200, unequal=False)
    federation.configure(2)
    caucus("run federation.toml --clients-from data --json run.json --regret")
    federation.serve()
    federation.join_all()
    federation.end_all()
    served, run = (read_json(file)["results"][0] for file in ("serve.json", "run.json"))
    assert served["loss"]["mean"] == run["loss"]["mean"]
    return served["regret"], run["regret"]


KERNELS = """[[space]]
kind = "linear"
radii = [0.5, inf]
[[space]]
kind = "gaussian"
radius = 1
widths = [1, 8]
features = 20
"""
UNBOUNDED = """[[space]]
kind = "gaussian"
widths = [8]
features = 20
"""


def test_a_server_knows_its_regret_exactly_if_clients_report_all(caucus, federation):
    served, run = regret_of(caucus, federation, '[algorithm]\nmode = "synchronous"\nmin_batch = 1\nsample = 4\n'
                            + KERNELS)
    assert len(served) == len(run) == 4
    for known, exact in zip(served, run):
        assert known["space"] == exact["space"]
        assert known["examples"] == 1200 and known["exact"] is True
        assert known["best_loss"] == pytest.approx(exact["best_loss"], rel=1e-6)
        assert abs(known["best_loss"] - exact["best_loss"]) <= known["gap"] + exact["gap"]
        assert known["regret"] == pytest.approx(exact["regret"], abs=1e-6 * exact["best_loss"])
    assert read_json("serve.json")["yardsticks"]["best_in_hindsight"]
    table = read("serve.out")
    assert "regret: exact, from the clients' sums over all 1,200 examples" in table
    assert "(best in hindsight)" in table
    caucus("report serve.json -o page.html")
    assert "Regret against each space" in read("page.html")


def test_a_server_leaves_out_a_regret_of_too_few_digits(caucus, federation):
    served, run = regret_of(caucus, federation, '[algorithm]\nmode = "synchronous"\nmin_batch = 1\nsample = 2\n'
                            '[[space]]\nkind = "linear"\n' + UNBOUNDED)
    assert served[0]["best_loss"] == pytest.approx(run[0]["best_loss"], rel=1e-6)
    assert served[1]["regret"] is None and served[1]["examples"] == 1200 and served[1]["exact"] is False


def test_a_server_says_that_its_regret_is_not_exact_where_rows_are_hidden(caucus, federation):
    served, run = regret_of(caucus, federation, '[algorithm]\nmode = "synchronous"\n' + KERNELS)
    linear = [space["space"].startswith("linear") for space in run]
    assert [space["regret"] is not None for space in served] == linear, "only linear spaces send all coordinates"
    for known, exact in zip(served, run):
        assert known["exact"] is False
        if known["regret"] is not None:  # no value of these rows is rare
            assert known["best_loss"] == pytest.approx(exact["best_loss"], rel=1e-6)
    assert "best_in_hindsight" not in read_json("serve.json")["yardsticks"]
    table = read("serve.out")
    told = "regret: from the clients' sums over 1,200 of 1,200 examples, in which rare values may be replaced"
    assert told in " ".join(table.split())
    caucus("report serve.json -o page.html")
    assert "best model of all spaces" not in read("page.html")


def test_a_server_that_forgets_has_no_regret(caucus, federation):
    federation.learning = "[schedule]\nfixed_share = 0.01\n"
    federation.make_files(2, 400, unequal=False)
    federation.configure(2)
    federation.serve()
    federation.join_all()
    federation.end_all()
    assert "regret" not in read_json("serve.json")["results"][0]
