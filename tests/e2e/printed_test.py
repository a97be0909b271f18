"""A printed configuration is the same run: random settings, run directly and through --print-config."""
import random
import sys

import pytest

from program import change_target, differences, stable, write

SETTINGS_PER_CASE = 10
BASELINES = ["em-kofl", "vm-kofl", "pm-kofl", "pof-mkl"]
OF_ONE_SPACE = ["ofskl", "fed-omd", "fedposgd"]


def maybe(draw, flag, *values, chance=0.5):
    """Returns the flag with one of the values, or leaves the setting unset."""
    return [flag, str(draw.choice(values))] if draw.random() < chance else []


def space(draw, one=False):
    kind = draw.choice(["linear", "gaussian", "laplacian", "cauchy"])
    words = ["--spaces", kind]
    if kind == "linear":
        words += ["--radii", "0.7"] if one else maybe(draw, "--radii", "0.5", "0.25,1.75", "0.1:1.0:3")
        words += ["--intercept"] if draw.random() < 0.3 else []
    else:
        words += ["--widths", "2"] if one else maybe(draw, "--widths", "0.3", "1,2", "1,2,4", "0.7,1.4,2.8", chance=0.8)
        words += maybe(draw, "--features", 3, 20) + maybe(draw, "--radius", 0.3, 1.7, chance=0.3)
        words += ["--independent-base"] if draw.random() < 0.2 else []
    return words + maybe(draw, "--constraint", "ball", "box", chance=0.3)


MODELS = """import sys
sys.stdin.readline()
for line in sys.stdin:
    print(*(len(name) / 9 for name in line.split(",")[0].split()), flush=True)
"""


def experts(draw, of_classes):
    if of_classes or draw.random() < 0.3:
        words = ["--spaces", "experts", "--expert-names", "a,model-2", "--expert-command", f"'{sys.executable}' models.py"]
        return words + maybe(draw, "--expert-timeout", 30, 2.5)
    words = ["--spaces", "experts", "--expert-columns", draw.choice(["2..3", "4", "2,5..6"])]
    return words + (["--experts-as-features"] if draw.random() < 0.5 else [])


def schedule(draw):
    kind = draw.choice(["", "adaptive", "adaptive-first-order", "theory", "constant"])
    words = ["--schedule", kind] if kind else []
    if kind == "constant":
        words += ["--eta", str(draw.uniform(0.01, 2)), "--lambda", str(draw.uniform(0.01, 0.5))]
    if kind == "theory":
        words += maybe(draw, "--horizon", "rounds", "examples") + maybe(draw, "--gradient-scale", 0.7, 3)
    if kind in ("constant", "theory"):
        words += maybe(draw, "--feature-bound", "auto", 1.3) + maybe(draw, "--label-bound", "auto", 1.7)
        words += maybe(draw, "--loss-bound", 2.9, chance=0.3)
    if kind in ("", "adaptive"):
        words += maybe(draw, "--min-batch", 1, 5, "auto") + maybe(draw, "--growth", 0.1, chance=0.3)
        words += maybe(draw, "--mode", "synchronous", "asynchronous", chance=0.3)
        words += ["--no-personal"] if draw.random() < 0.3 else []
    return words + maybe(draw, "--fixed-share", 0.003, chance=0.3)


def raw(draw):
    """Settings of columns, which take tables of numbers as raw ones."""
    words = maybe(draw, "--impute", "mean", "none", "drop", chance=0.3) + maybe(draw, "--hash-columns", 3, chance=0.3)
    words += maybe(draw, "--drop", "9", "9,10", chance=0.3) + maybe(draw, "--numbers", "8", chance=0.2)
    words += maybe(draw, "--categories", "7", "7=1|2", chance=0.2)
    return words + (["--no-scale"] if draw.random() < 0.3 else [])


def settings(draw):
    """Returns the flags of a run; every setting is left unset in some of them."""
    algorithms = draw.choice([[], ["fomd-oms"], ["fomd-oms", "nco-oms"], ["fomd-oms", draw.choice(BASELINES)],
                              [draw.choice(BASELINES)], [draw.choice(OF_ONE_SPACE)]])
    only_baselines = bool(algorithms) and "fomd-oms" not in algorithms
    one = bool(algorithms) and algorithms[0] in OF_ONE_SPACE
    words = [word for name in algorithms for word in ("--algorithm", name)]
    if one:
        words += space(draw, one=True)
    elif draw.random() < 0.85:
        words += [word for _ in range(draw.randint(1, 3)) for word in space(draw)]
    words += [] if only_baselines else schedule(draw)
    if set(algorithms) & {*BASELINES, *OF_ONE_SPACE}:
        words += maybe(draw, "--weight-rate", 0.3) + maybe(draw, "--model-rate", 0.21)
        words += maybe(draw, "--regularization", 0.003) + maybe(draw, "--exploration", 0.7)
    loss = draw.choice(["square", "", "absolute", "huber", "huber:0.3", "pinball:0.7", "logistic", "hinge", "classes"])
    words += ["--loss", loss] if loss else []
    if "--spaces" in words and not one and draw.random() < 0.2:
        words += experts(draw, loss in ("logistic", "hinge"))
    words += ["--data", "classes.csv" if loss in ("logistic", "hinge", "classes") else "numbers.csv"]
    words += maybe(draw, "--classes", "0,1", "1,0,more") if loss == "classes" else []
    if loss not in ("logistic", "hinge"):
        words += maybe(draw, "--label-range", "0,1", "-0.3,0.9")
    words += maybe(draw, "--feature-range", "-1,1", "0,0.7") + maybe(draw, "--target", "last", 11, chance=0.2)
    words += raw(draw) if draw.random() < 0.5 else []
    words += maybe(draw, "--clients", 1, 3, 7) + maybe(draw, "--dropout", 0.2, chance=0.2)
    words += maybe(draw, "--partition", "shuffle", "blocks", "dirichlet:0.7", chance=0.4)
    words += maybe(draw, "--rounds-per-upload", 1, 4, chance=0.4) + maybe(draw, "--sample", 1, 2, 3, chance=0.2)
    words += maybe(draw, "--seed", 7, 2**64 - 1, chance=0.4) + maybe(draw, "--repeats", 2, chance=0.3)
    words += maybe(draw, "--threads", 1, 2, chance=0.3) + (["--regret"] if draw.random() < 0.2 else [])
    return words


@pytest.mark.ctest(timeout=1200)
@pytest.mark.parametrize("case", range(6))
def test_random_settings_run_the_same_when_they_are_printed(caucus, case):
    caucus("data generate linear --rows 150 --out numbers.csv")
    change_target("numbers.csv", "classes.csv", lambda y: 1 if y > 0.5 else 0)
    write("models.py", MODELS)
    draw = random.Random(case)
    compared = 0
    while compared < SETTINGS_PER_CASE:
        words = settings(draw)
        direct = caucus.run("run", *words, "--json", "direct.json")
        printed = caucus.run("run", *words, "--print-config")
        if direct.returncode != 0:  # the settings are impossible, such as a sample of more than all spaces
            assert direct.returncode == 2, f"{words}: {direct.stderr}"
            continue
        assert printed.returncode == 0, f"{words}: {printed.stderr}"
        write("printed.toml", printed.stdout)
        caucus("run printed.toml --json again.json")
        assert not differences(stable("direct.json"), stable("again.json")), words
        assert caucus("run printed.toml --print-config") == printed.stdout, words
        compared += 1


def test_a_sample_left_unset_is_the_one_that_is_printed(caucus):
    """Three kernels whose widths are in ratio 2 share their angles if J = 2 is half of them or more."""
    caucus("data generate linear --rows 300 --out data.csv")
    run = "run --data data.csv --spaces gaussian --widths 1,2,4"
    caucus(f"{run} --json unset.json")
    caucus(f"{run} --sample 2 --json two.json")
    assert not differences(stable("unset.json"), stable("two.json"))


def test_a_printed_server_configuration_prints_itself(caucus):
    draw = random.Random(1)
    for _ in range(10):
        lines = ["[data]", "feature_range = [-1, 1]", "label_range = [0, 1]", "[server]",
                 'clients = ["c01", "c02", "c03"]']
        for key, value in (("quorum", 2), ("deadline_ms", 500), ("durability", 3), ("snapshot_every", 10),
                           ("label_delay", 0), ("features", 4), ("max_abs_target", 1.5), ("max_feature_norm", 2.5),
                           ("violations", 1), ("linger_ms", 0), ("listen", '"localhost:0"'), ("store", '"x.db"')):
            lines += [f"{key} = {value}"] if draw.random() < 0.5 else []
        if draw.random() < 0.5:
            lines += ["[[space]]", 'kind = "gaussian"', "widths = [1, 2, 4]"]
        write("run.toml", "\n".join(lines) + "\n")
        done = caucus.run("serve run.toml --print-config")
        if done.returncode == 2:  # what these settings bound is not known
            continue
        assert done.returncode == 0, done.stderr
        write("printed.toml", done.stdout)
        assert caucus("serve printed.toml --print-config") == done.stdout
