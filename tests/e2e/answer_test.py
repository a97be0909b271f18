"""What a run answers: the paragraph, its numbers against the forecasts themselves, and the width of the tables."""
import math
import re

import pytest

from program import read, read_json, rows_of

LINES = {
    "default": "",
    "one-client": "--clients 1",
    "few-clients": "--clients 5 --partition blocks",
    "many-clients": "--clients 100 --min-batch 1",
    "regret": "--regret --repeats 2",
    "algorithms": "--spaces gaussian --algorithm fomd-oms --algorithm nco-oms --algorithm em-kofl --algorithm pof-mkl "
                  "--repeats 2 --regret",
    "absolute": "--loss absolute",
    "pinball": "--loss pinball:0.1 --regret",
    "theory": "--schedule theory --feature-range -1,1 --label-range 0,1 --partition blocks",
    "many-spaces": "--spaces linear --radii 0.1:3:40 --spaces laplacian --widths 1,2 --algorithm fomd-oms "
                   "--algorithm nco-oms",
    "units": "--feature-range 0,1 --label-range 0,1",
    "diverged": "--schedule constant --eta 1 --lambda 1e9",
}


@pytest.fixture
def data(caucus):
    caucus("data generate kernel --rows 2000 --features 2 --noise 0.1 --out data.csv")


def value(text):
    """The number that was printed as "1,234.5", "−0.1" or "1.2 × 10⁻⁷"."""
    return float(text.replace(",", "").replace("−", "-"))


def test_no_line_is_wider_than_eighty_letters(caucus, data):
    for name, flags in LINES.items():
        for line in caucus("run --data data.csv", *flags.split()).splitlines():
            assert len(line) <= 80, f"{name}: {line}"


def test_no_printed_number_has_a_long_exponent(caucus, data):
    caucus("data generate kernel --rows 4000 --features 2 --noise 0.3 --out clear.csv")
    printed = caucus("run --data clear.csv --clients 2 --min-batch 1 --report page.html --json result.json")
    least = min(p for p in read_json("result.json")["results"][0]["probabilities"] if p > 0)
    assert least < 1e-20, "the test has no tiny number"
    assert not re.search(r"\de-\d\d", printed), printed
    assert not re.search(r"\de-\d\d|10⁻[1-9][0-9]", read("page.html"))
    assert "< 1e-6" in printed


@pytest.mark.parametrize("flags", ["--partition blocks", "--partition blocks --schedule theory",
                                   "--label-range 0,1 --feature-range 0,1", "--loss absolute", "--clients 3"],
                         ids=["blocks", "theory", "scaled", "absolute", "shuffled"])
def test_errors_in_the_units_of_the_target_are_those_of_the_forecasts(caucus, data, flags):
    scale = "" if "range" in flags else "--no-scale"
    caucus(f"run --data data.csv {scale} {flags} --json result.json --predictions forecasts.csv")
    result = read_json("result.json")
    found = result["results"][0]
    unit = result["data"]["target_unit"]
    header, *rows = rows_of("forecasts.csv")
    rows = [dict(zip(header, row)) for row in rows]
    errors = [float(row["forecast"]) - float(row["target"]) for row in rows]
    targets = [float(row["target"]) for row in rows]
    mean = sum(targets) / len(targets)
    variance = sum((y - mean) ** 2 for y in targets) / len(targets)
    mse = sum(error ** 2 for error in errors) / len(errors)
    assert found["rmse"] == pytest.approx(math.sqrt(mse), rel=1e-4)
    assert found["mae"] == pytest.approx(sum(map(abs, errors)) / len(errors), rel=1e-4)
    assert found["r2"] == pytest.approx(1 - mse / variance, rel=1e-3, abs=1e-4)
    assert found["baselines"]["constant"] * unit ** 2 == pytest.approx(variance, rel=1e-4)
    if "blocks" in flags:
        last, squares = {}, 0.0
        for row in sorted(rows, key=lambda row: int(row["round"])):
            y = float(row["target"])
            squares += (y - last.get(row["client"], 0.0)) ** 2
            last[row["client"]] = y
        assert found["baselines"]["persistence"] == pytest.approx(squares / len(rows), rel=1e-4)
        assert "repeating the last value" in result["answer"]
    for client in found["clients"]:
        own = [error for error, row in zip(errors, rows) if row["client"] == client["name"]]
        assert client["rmse"] == pytest.approx(math.sqrt(sum(e ** 2 for e in own) / len(own)), rel=1e-4)


def test_every_claim_of_the_paragraph_is_in_the_numbers(caucus, data):
    printed = caucus("run --data data.csv --partition blocks --clients 3 --min-batch 1 --algorithm fomd-oms "
                     "--algorithm nco-oms --json result.json --report page.html")
    result = read_json("result.json")
    answer = result["answer"]
    best = min(result["results"], key=lambda one: one["mse"]["mean"])
    base, unit = best["baselines"], result["data"]["target_unit"]
    assert " ".join(printed.split("\n\n")[0].split()) == answer
    assert answer in read("page.html").replace("&#39;", "'")
    assert f"Of 2 algorithms {best['algorithm']} is the best" in answer
    rmse, below, constant = re.search(r"\(RMSE\) is (\S+) .*?, (\d+)% below the (\S+) of always", answer).groups()
    assert value(rmse) == pytest.approx(best["rmse"], rel=1e-3)
    assert value(constant) == pytest.approx(math.sqrt(base["constant"]) * unit, rel=1e-3)
    assert float(below) == pytest.approx(100 * (1 - best["rmse"] / (math.sqrt(base["constant"]) * unit)), abs=0.6)
    last = re.search(r"and (\d+)% below the (\S+) of repeating", answer)
    assert value(last[2]) == pytest.approx(math.sqrt(base["persistence"]) * unit, rel=1e-3)
    assert value(re.search(r"\(MAE\) is (\S+)", answer)[1]) == pytest.approx(best["mae"], rel=1e-3)
    assert value(re.search(r"R2 is (\d\.\d+)", answer)[1]) == pytest.approx(best["r2"], abs=6e-4)
    most = best["spaces"][max(range(len(best["spaces"])), key=lambda i: best["probabilities"][i])]
    assert re.search(f"models ({re.escape(most)} won|none won for sure: {re.escape(most)} )", answer)
    gains = {one["name"]: 1 - math.sqrt(one["given"] / one["alone"]) for one in best["clients"] if "alone" in one}
    if gains:
        told = re.search(r"from .* at site (\S+) to .* at site (\S+); (\d+) of (\d+) sites gain", answer)
        assert told.groups() == (min(gains, key=gains.get), max(gains, key=gains.get),
                                 str(sum(gain > 0 for gain in gains.values())), str(len(gains)))


def test_classes_are_told_as_shares_of_right_answers(caucus):
    caucus("data generate classify --rows 2000 --out data.csv")
    caucus("run --data data.csv --loss logistic --json result.json --predictions forecasts.csv")
    result = read_json("result.json")
    found = result["results"][0]
    rows = [row[-2:] for row in rows_of("forecasts.csv")[1:]]
    right = sum((float(score) > 0) == (float(label) > 0) for score, label in rows) / len(rows)
    ones = sum(float(label) > 0 for _, label in rows) / len(rows)
    assert found["accuracy"] == pytest.approx(right)
    assert found["baselines"]["accuracy"] == pytest.approx(max(ones, 1 - ones))
    assert found["baselines"]["log_loss"] == pytest.approx(-ones * math.log(ones) - (1 - ones) * math.log(1 - ones))
    assert f"{100 * right:.1f}% of the predicted classes are right" in result["answer"]
    assert not {"rmse", "mae", "r2"} & set(found)
    accuracies = [client["accuracy"] * client["examples"] for client in found["clients"]]
    assert sum(accuracies) / len(rows) == pytest.approx(right)


def test_noise_gets_advice_and_a_good_result_gets_none(caucus, data):
    assert caucus.json("run --data data.csv --clients 2 --min-batch 1")["advice"] == []
    lines = read("data.csv").splitlines()
    noise = [line.rsplit(",", 1)[0] + f",{math.sin(12.9898 * i * i) * 43758.5453 % 1}"
             for i, line in enumerate(lines[1:])]
    with open("noise.csv", "w") as file:
        file.write("\n".join([lines[0], *noise]) + "\n")
    advice = caucus.json("run --data noise.csv --spaces linear --clients 2")["advice"]
    assert any("less than 20% below" in line for line in advice)
    assert any("--spaces gaussian" in line for line in advice)
    assert "Next: " in caucus("run --data noise.csv --spaces linear --clients 2")
