"""The command line: help, results in JSON, configurations, models, and ways to read data."""
import os
import shutil
import subprocess

import pytest

from program import at, change_target, differences, read, read_json, rows_of, stable, write, write_rows


@pytest.fixture
def linear(caucus):
    """Returns what writes data.csv, a linear problem of ten features."""
    return lambda rows=400: caucus("data generate linear --out data.csv --rows", rows)


def test_every_command_helps_with_an_example(caucus):
    for command in ("", "run", "predict", "data", "data info", "data convert", "data split", "data generate", "cert",
                    "cert init", "cert add", "advise", "completion", "man", "report", "reproduce", "serve", "join",
                    "status", "export"):
        assert "Example" in caucus(command, "--help"), f"{command} --help has no example"
    name, version = caucus("--version").split()
    assert name == "caucus" and len(version.split(".")) == 3 and version[0].isdigit()


def test_serve_accepts_the_configuration_that_its_help_shows(caucus, linear):
    shown = caucus("serve --help")
    lines = shown[shown.index("  [data]"):shown.index("The table also takes")].rstrip().splitlines()
    write("federation.toml", "\n".join(lines) + "\n")
    linear()
    caucus("data info data.csv --ranges ranges.csv")
    printed = caucus("serve federation.toml --print-config")
    for key in (line.split("=")[0].strip() for line in lines if "=" in line):
        assert key in printed, key


def test_data_alone_runs_with_the_default_candidates(caucus, linear):
    linear()
    result = caucus.json("run --data data.csv")["results"][0]
    assert result["spaces"][0] == "linear U=inf"
    assert result["spaces"][8] == "gaussian width=64"
    assert result["schedule"] == "adaptive"
    assert result["sample"] == 2
    assert "fomd-oms" in caucus("run --data data.csv")


def test_json_follows_the_contract(caucus, linear):
    linear(403)
    result = caucus.json("run --data data.csv --spaces linear --radii 0.5,1 --repeats 3 --regret")
    assert result["data"]["rows"] == 403
    assert result["data"]["used"] == 400
    assert result["data"]["features"] == 10
    assert result["results"][0]["rounds"] == 40
    for path in ("version", "config.data.file", "yardsticks.mean_predictor", "yardsticks.best_in_hindsight[0]"):
        assert at(result, path) is not None
    for path in ("algorithm", "uploads", "mse.mean", "mse.sd", "mse.values[2]", "loss.mean", "per_client_loss[9]",
                 "seconds.min", "upload_bits_per_client_round", "download_bits_per_client_round", "probabilities[1]",
                 "regret[1].space", "regret[1].best_loss", "regret[1].regret", "curve.round[0]", "curve.loss[0]",
                 "curve.regret[0]", "curve.probabilities[0][0]"):
        assert not isinstance(at(result["results"][0], path), (dict, list))


def test_the_same_seed_gives_the_same_json_on_any_number_of_threads(caucus, linear):
    linear(1000)
    common = ("run --data data.csv --spaces linear --radii 0.1:1:10 --spaces gaussian --widths 1,4 --features 20 "
              "--algorithm fomd-oms --algorithm nco-oms --repeats 6 --regret ")
    caucus(common + "--seed 5 --threads 1 --json one.json")
    caucus(common + "--seed 5 --threads 2 --json two.json")
    caucus(common + "--seed 5 --threads 2 --json again.json")
    assert not differences(stable("one.json"), stable("two.json")), "threads change results"
    assert not differences(stable("two.json"), stable("again.json")), "equal runs differ"
    caucus(common + "--seed 6 --json other.json")
    assert differences(stable("one.json"), stable("other.json")), "the seed does nothing"


def test_a_printed_configuration_runs_the_same(caucus, linear):
    linear()
    common = ("run --data data.csv --feature-range -1,1 --label-range 0,1 --spaces linear --radii 0.5,1 --intercept "
              "--spaces laplacian --widths 1,2 --features 10 --radius 2 --constraint box --sample 3 "
              "--rounds-per-upload 2 --min-batch 1 --clients 5 --repeats 2 --seed 3 --dropout 0.1 --loss huber:0.5 ")
    printed = caucus(common + "--print-config")
    write("run.toml", printed)
    assert caucus("run run.toml --print-config") == printed, "printing is not stable"
    caucus(common + "--json flags.json")
    caucus("run run.toml --json file.json")
    assert not differences(stable("flags.json"), stable("file.json")), "the file and the flags differ"


def test_flags_win_over_the_file(caucus, linear):
    linear()
    write("run.toml", caucus("run --data data.csv --spaces linear --radii 0.5,1 --schedule theory --horizon examples "
                             "--print-config"))
    new = caucus("run run.toml --clients 4 --spaces gaussian --widths 3 --features 7 --schedule constant --eta 1 "
                 "--lambda 0.1 --print-config")
    assert "clients = 4" in new.splitlines()
    assert 'kind = "gaussian"' in new
    assert "linear" not in new, "the file's space is still there"
    assert "horizon" not in new, "the file's horizon is still there"
    same = caucus("run run.toml --schedule theory --print-config")
    assert same == read("run.toml"), "the same schedule lost its horizon"


def test_options_before_any_space_apply_to_all_that_have_them(caucus, linear):
    linear()
    assert "features = 11" in caucus("run --data data.csv --features 11 --print-config").splitlines()
    caucus.refused(2, "expert-columns", "run --data data.csv --expert-columns 1..2")


def test_models_predict_in_original_units(caucus):
    caucus("data generate linear --rows 4000 --out raw.csv")
    change_target("raw.csv", "data.csv", lambda y: 1000 + 50 * y)
    caucus("run --data data.csv --feature-range -1,1 --label-range 0,1 --spaces linear --radii 0.5,1 --intercept "
           "--spaces gaussian --widths 2 --schedule constant --eta 1 --lambda 0.2 --loss-bound 4 "
           "--model-out model.json --predictions forecasts.csv --json result.json")
    score = caucus.run("predict --model model.json --data data.csv --out with.csv")
    assert score.returncode == 0 and "mean squared error" in score.stderr
    write_rows("features.csv", [row[:10] for row in rows_of("data.csv")])
    without = caucus("predict --model model.json --data features.csv")
    assert read("with.csv") == without, "the target column changes predictions"
    predictions = [float(row[0]) for row in rows_of("with.csv")[1:]]
    targets = [float(row[10]) for row in rows_of("data.csv")[1:]]
    assert len(predictions) == len(targets) == 4000
    mean = sum(targets) / 4000
    variance = sum((y - mean) ** 2 for y in targets) / 4000
    assert sum((p - y) ** 2 for p, y in zip(predictions, targets)) / 4000 < 0.5 * variance, "predictions are poor"

    forecasts = [(float(row[4]), float(row[5])) for row in rows_of("forecasts.csv")[1:]]
    assert len(forecasts) == 4000
    span = max(targets) - min(targets)
    error = sum(((a - b) / span) ** 2 for a, b in forecasts) / 4000  # in the scale of the run
    assert error == pytest.approx(read_json("result.json")["results"][0]["mse"]["mean"], rel=0.001)


def test_classification_reports_accuracy_in_both_conventions(caucus):
    caucus("data generate classify --rows 3000 --out data.csv")
    change_target("data.csv", "signs.csv", lambda y: int(2 * y - 1))
    for loss in ("logistic", "hinge"):
        for file in ("data", "signs"):
            caucus(f"run --data {file}.csv --loss {loss} --spaces linear --radii 1,4 --schedule constant --eta 1 "
                   f"--lambda 0.5 --model-out {file}.model --json {file}.json")
            result = read_json(f"{file}.json")["results"][0]
            assert 0.6 < result["accuracy"] <= 1
            assert "log_loss" in result
            score = caucus.run(f"predict --model {file}.model --data {file}.csv --out {file}.out").stderr
            accuracy = [line.split()[1] for line in score.splitlines() if "accuracy" in line]
            assert accuracy and float(accuracy[0].rstrip(",%")) > 0.6, score
        assert not differences(stable("data.json"), stable("signs.json")), "the conventions differ"
        assert rows_of("data.out")[2][0] in ("0", "1")
        assert rows_of("signs.out")[2][0] in ("-1", "1")
    change_target("data.csv", "other.csv", lambda y: y + 1)
    caucus.refused(3, "label is", "run --data other.csv --loss logistic")


def test_split_files_give_the_same_clients(caucus, linear):
    linear(405)
    caucus("data split data.csv --clients 10 --out clients")
    assert sorted(os.listdir("clients")) == [f"c{j:02}.csv" for j in range(1, 11)]
    result = caucus.json("run --clients-from clients")
    assert result["data"]["rows"] == 405 and result["data"]["used"] == 405
    assert result["results"][0]["rounds"] == 41
    assert result["data"]["clients"] == 10


def test_the_ranges_of_another_file_scale_the_same(caucus, linear):
    linear()
    write("half.csv", "".join(read("data.csv").splitlines(keepends=True)[:201]))
    assert "400 rows, 11 columns" in caucus("data info data.csv --ranges ranges.csv")
    common = "run --data half.csv --feature-range -1,1 --label-range 0,1 --spaces linear --radii 0.5,1 "
    caucus(common + "--scale-from data.csv --json a.json")
    caucus(common + "--scale-from ranges.csv --json b.json")
    caucus(common + "--json c.json")
    assert not differences(stable("a.json"), stable("b.json"))
    assert differences(stable("a.json"), stable("c.json")), "the ranges were not used"


def test_experts_are_columns_of_the_file(caucus):
    """One expert is wrong by 0.01, the other one by 1."""
    caucus("data generate linear --rows 2000 --out raw.csv")
    header, *rows = rows_of("raw.csv")
    write_rows("data.csv", [[*header[:10], "good", "bad", "target"],
                            *([*row[:10], float(row[10]) + 0.01, float(row[10]) + 1, row[10]] for row in rows)])
    result = caucus.json("run --data data.csv --no-scale --spaces experts --expert-columns 11..12 --spaces linear "
                         "--schedule constant --eta 5 --lambda 0.01 --regret")
    run = result["results"][0]
    assert run["probabilities"][0] > 0.5, "the good expert is not chosen"
    assert run["regret"][0]["best_loss"] == pytest.approx(2000 * 0.01**2, rel=0.01)
    assert result["data"]["features"] == 10, "experts are counted as features"
    named = caucus.json("run --data data.csv --no-scale --spaces experts --expert-columns bad,good --experts-as-features "
                        "--regret")
    assert named["results"][0]["regret"][1]["best_loss"] == pytest.approx(2000 * 0.01**2, rel=0.01)
    assert named["data"]["features"] == 12, "experts are not features too"


def test_partitions_are_made_by_column_dirichlet_and_blocks(caucus):
    caucus("data generate linear --rows 600 --out raw.csv")
    header, *rows = rows_of("raw.csv")
    write_rows("data.csv", [["site", *header], *([(n + 2) % 3, *row] for n, row in enumerate(rows))])
    caucus("run --data data.csv --partition column:1 --json number.json")
    data = read_json("number.json")["data"]
    assert data["clients"] == 3 and data["features"] == 10
    caucus("run --data data.csv --partition column:site --json name.json")
    assert not differences(stable("number.json"), stable("name.json"))
    assert caucus.json("run --data data.csv --partition dirichlet:0.3 --clients 5")["data"]["used"] == 600
    assert caucus.json("run --data data.csv --partition blocks --clients 5")["results"][0]["rounds"] == 120


def test_all_formats_give_the_same_run(caucus, linear):
    linear(300)
    caucus("data convert data.csv data.csv.gz")
    caucus("data convert data.csv data.libsvm")
    rows = "".join(read("data.csv").splitlines(keepends=True)[1:])
    attributes = "".join(f"@attribute a{n} numeric\n" for n in range(1, 12))
    write("data.arff", f"@relation r\n{attributes}@data\n{rows}")
    write("bare.csv", rows)
    caucus("run --data data.csv --json base.json")

    def without_names(result):  # only some formats name the target
        return {path: value for path, value in stable(result).items() if path not in ("data.target", "answer")}
    for file in ("data.csv.gz", "data.libsvm", "data.arff", "bare.csv"):
        caucus("run --json other.json --data", file)
        assert not differences(without_names("base.json"), without_names("other.json")), file


def test_odd_names_and_huge_seeds_survive_the_configuration(caucus, linear):
    linear()
    odd = "d \x01\x7f \"q\" 's' \\ ü.csv"
    shutil.copy("data.csv", odd)
    write("run.toml", caucus("run --seed 18446744073709551615 --print-config --data", odd))
    caucus("run run.toml --json result.json")
    assert caucus("run run.toml --print-config") == read("run.toml")
    shutil.copy(b"data.csv", b"\xff\xfe.csv")
    caucus("run --json result.json --data", b"\xff\xfe.csv")
    write("empty.toml", "")
    caucus.refused(2, "none is given", "run empty.toml")
    caucus("run empty.toml --data data.csv --json result.json")


def test_completion_is_a_valid_script(caucus):
    write("completion.sh", caucus("completion bash"))
    subprocess.run(["bash", "-n", "completion.sh"], check=True)

    def completed(*words):
        script = ('source completion.sh; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(); _caucus; '
                  'echo "${COMPREPLY[0]}"')
        done = subprocess.run(["bash", "-c", script, "bash", *words], check=True, text=True, capture_output=True)
        return done.stdout.strip()
    assert completed("caucus", "run", "--sam") == "--sample"
    assert completed("caucus", "cert", "init", "--cl") == "--client"
    assert "complete -c caucus" in caucus("completion fish")
    assert "bashcompinit" in caucus("completion zsh")


def test_advice_follows_the_theory(caucus):
    advice = caucus.json("advise --clients 10 --models 100 --rounds 5000")
    assert advice["advised_sample"] == 10, "ceil(110 / 11) is 10"
    assert advice["sampling_price"] == pytest.approx(1.41421, rel=0.001)
    assert "gain of collaboration" in caucus("advise --clients 10 --models 100 --rounds 5000 --sample 2")
    advice = caucus.json("advise --clients 10 --models 4 --rounds 50 --rounds-per-upload 100")
    assert advice["upload_price"] == pytest.approx(7.0711, rel=0.001), "sqrt(T / R) with R = 1"


def test_a_hundred_thousand_clients_are_no_problem(caucus):
    caucus("data generate linear --rows 2000000 --features 4 --out data.csv")
    caucus("run --data data.csv --clients 100000 --spaces linear --radii 0.1:1:10 --json result.json")
    result = read_json("result.json")
    assert result["results"][0]["rounds"] == 20
    assert result["data"]["clients"] == 100000


def test_five_thousand_spaces_are_no_problem(caucus):
    caucus("data generate linear --rows 50000 --out data.csv")
    caucus("run --data data.csv --spaces linear --radii 0.001:5:5000 --regret --json result.json")
    assert isinstance(read_json("result.json")["results"][0]["regret"][4999]["regret"], float)
