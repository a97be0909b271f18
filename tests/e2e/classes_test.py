"""Targets of several classes: results, models, federations, and what cannot learn them."""
import gzip
import os
import pathlib

import pytest

from program import change_target, differences, learned, read_json, results, rows_of, write

DATA = pathlib.Path(os.environ.get("CAUCUS_DATA_DIR", pathlib.Path(__file__).parents[3] / "shared/data"))
NAMES = ["3", "5", "8"]


@pytest.fixture
def thirds(caucus):
    """Writes data.csv, whose target is 3, 5 or 8."""
    caucus("data generate linear --rows 1500 --out numbers.csv")
    change_target("numbers.csv", "data.csv", lambda y: 3 if y < -0.13 else 5 if y < 0.14 else 8)


def test_results_count_every_class(caucus, thirds):
    caucus("run --data data.csv --loss classes --min-batch 1 --json result.json --predictions forecasts.csv")
    result = read_json("result.json")["results"][0]
    pairs = [row[4:6] for row in rows_of("forecasts.csv")[1:]]
    assert result["accuracy"] == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
    assert result["accuracy"] > 0.6
    assert result["log_loss"] < 0.8
    assert [one["name"] for one in result["classes"]] == NAMES
    for one in result["classes"]:
        name = one["name"]
        assert one["examples"] == sum(b == name for _, b in pairs)
        assert one["predicted"] == sum(a == name for a, _ in pairs)
        assert one["right"] == sum(a == b == name for a, b in pairs)


def test_a_model_predicts_names_and_probabilities(caucus, thirds):
    caucus("run --data data.csv --loss classes --min-batch 1 --model-out model.json")
    done = caucus.run("predict --model model.json --data data.csv")
    header, *rows = [line.split(",") for line in done.stdout.splitlines()]
    assert header == ["prediction", "p 3", "p 5", "p 8"]
    targets = [row[-1] for row in rows_of("data.csv")[1:]]
    right = 0
    for row, target in zip(rows, targets, strict=True):
        probabilities = [float(p) for p in row[1:]]
        assert sum(probabilities) == pytest.approx(1)
        assert row[0] == NAMES[probabilities.index(max(probabilities))]
        right += row[0] == target
    assert right / len(rows) > 0.65
    assert f"accuracy {right / len(rows):.5g}"[:13] in done.stderr


@pytest.mark.parametrize("min_batch", ['"auto"', "1"])
def test_a_federation_has_the_bits_of_the_simulation(caucus, federation, min_batch):
    federation.learning = f'classes = ["3", "5", "8"]\n[algorithm]\nmode = "synchronous"\nmin_batch = {min_batch}'
    federation.make_files(3, 600)
    for name in federation.names():
        change_target(f"data/{name}.csv", f"data/{name}.csv", lambda y: 3 if y < 0.43 else 5 if y < 0.6 else 8)
    federation.configure(3)
    federation.simulate()
    federation.serve()
    federation.join_all()
    federation.end_all()
    assert not differences(results("run.json"), results("serve.json"))
    caucus("run federation.toml --clients-from data --model-out simulated.json")
    caucus("export run.db -o exported.json")
    assert not differences(learned("simulated.json"), learned("exported.json"))
    caucus("predict --model exported.json --data data/c01.csv --client-state data/c01.csv.c01.join --out p.csv")
    assert {row[0] for row in rows_of("p.csv")[1:]} <= set(NAMES)


def test_whatever_cannot_learn_classes_says_so_in_one_line(caucus, thirds):
    for words in ("--schedule theory", "--schedule adaptive-first-order", "--algorithm em-kofl", "--features 300"):
        caucus.refused(2, "classes cannot be learned by", f"run --data data.csv --loss classes {words}")
    caucus.refused(2, "--regret: it is not computed for classes", "run --data data.csv --loss classes --regret")
    caucus.refused(3, "the target '8' is not one of the classes", "run --data data.csv --classes 3,5")
    caucus.refused(2, "--classes: the loss is logistic", "run --data data.csv --classes 3,5 --loss logistic")
    caucus.refused(3, "more than 1000 different values", "run --data numbers.csv --loss classes")


def test_handwritten_digits_are_told_apart(caucus):
    path = DATA / "classes/pendigits.arff.gz"
    if not path.exists():
        pytest.skip("needs pendigits")
    lines = gzip.open(path, "rt").read().lower().split("@data", 1)[1].replace(" ", "").split()
    write("digits.csv", "\n".join(lines) + "\n")
    caucus("run --data digits.csv --feature-range=-1,1 --loss classes --min-batch 1 --json result.json")
    result = read_json("result.json")["results"][0]
    assert len(result["classes"]) == 10
    assert result["accuracy"] >= 0.96
    assert result["log_loss"] < 0.12
