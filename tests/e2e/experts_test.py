"""Experts whose forecasts a program makes."""
import os
import sys

import pytest

from federation import start_server
from program import differences, read, read_json, results, rows_of, stable, write, write_rows

PROGRAM = '''
import csv, sys
asked = open(sys.argv[1], "a")
for row in csv.DictReader(sys.stdin):
    assert "target" not in row
    x = [float(row[f"x{k}"]) for k in (1, 2, 3)]
    forecasts = {"good": float(row["hint"]), "fair": float(row["hint"]) + 0.3 * x[0], "bad": x[1], "worse": -x[2]}
    print(row["experts"], file=asked, flush=True)
    print(*[forecasts[name] for name in row["experts"].split()], flush=True)
'''
NAMES = "worse,bad,fair,good"


def make_data(caucus, classes=False, rows=900):
    """Rows of ten numbers, a hint of the target, and the target."""
    caucus(f"data generate linear --rows {rows} --out raw.csv")
    header, *lines = rows_of("raw.csv")
    target = (lambda y: int(float(y) > 0.5)) if classes else float
    hint = (lambda y: 0.9 if float(y) > 0.5 else 0.2) if classes else (lambda y: round(float(y) + 0.01, 3))
    write_rows("data.csv", [[*[f"x{k + 1}" for k in range(10)], "hint", "target"],
                            *([*line[:10], hint(line[10]), target(line[10])] for line in lines)])
    write("models.py", PROGRAM)


def command(log="asked.txt"):
    return ["--spaces", "experts", "--expert-names", NAMES, "--expert-command", f"{sys.executable} models.py {log}"]


def test_only_the_experts_that_are_held_are_asked(caucus):
    make_data(caucus)
    done = caucus.run("run", "--data", "data.csv", "--clients", "3", *command(), "--json", "asked.json")
    assert done.returncode == 0, done.stderr
    questions = read("asked.txt").splitlines()
    assert len(questions) == 900 and all(len(names.split()) == 2 for names in questions), "J = 2"
    result = read_json("asked.json")
    assert result["results"][0]["spaces"] == NAMES.split(",")
    probabilities = result["results"][0]["probabilities"]
    assert max(probabilities) == probabilities[3] > 0.9, "the good expert is not found"
    assert result["data"]["features"] == 11


def test_a_model_with_asked_experts_predicts(caucus):
    make_data(caucus)
    caucus("run --data data.csv --no-personal --model-out model.json", *command())
    caucus.refused(2, "--expert-command: is missing: the model asks worse", "predict --model model.json --data data.csv")
    asks = ["--expert-command", f"{sys.executable} models.py predicted.txt"]
    caucus("predict --model model.json --data data.csv --out predictions.csv", *asks)
    forecasts = [float(row[0]) for row in rows_of("predictions.csv")[1:]]
    targets = [float(row[11]) for row in rows_of("data.csv")[1:]]
    assert all(abs(f - y) < 0.05 for f, y in zip(forecasts, targets)), "the good expert does not predict"
    write_rows("features.csv", [row[:11] for row in rows_of("data.csv")])
    caucus("predict --model model.json --data features.csv --out again.csv", *asks)
    assert read("again.csv") == read("predictions.csv")


def test_a_program_and_columns_give_the_same_bits(caucus):
    make_data(caucus)
    header, *rows = rows_of("data.csv")
    write_rows("columns.csv", [[*header[:11], *NAMES.split(","), "target"],
                               *([*row[:11], -float(row[2]), row[1], float(row[10]) + 0.3 * float(row[0]), row[10],
                                  row[11]] for row in rows)])
    words = ["--feature-range", "-1,1", "--spaces", "linear", "--regret"]
    for program, file, names in ((True, "data.csv", command()),
                                 (False, "columns.csv", ["--spaces", "experts", "--expert-columns", NAMES])):
        done = caucus.run("run", "--data", file, *words, *names, "--json", f"{program}.json")
        assert done.returncode == 0, done.stderr
    assert not differences(results("True.json"), results("False.json"))


def test_a_forecast_of_a_class_is_its_probability(caucus):
    make_data(caucus, classes=True)
    classes = PROGRAM.replace("print(*[forecasts", 'forecasts["bad"] = forecasts["worse"] = 0\n    print(*[forecasts')
    write("models.py", classes.replace('float(row["hint"]) + 0.3 * x[0]', 'int(float(row["hint"]) > 0.5)'))
    done = caucus.run("run", "--data", "data.csv", "--loss", "logistic", "--no-personal", *command(), "--json", "classes.json")
    assert done.returncode == 0, done.stderr
    result = read_json("classes.json")["results"][0]
    assert result["accuracy"] > 0.9 and result["log_loss"] < 0.3
    write("models.py", PROGRAM)
    done = caucus.run("run", "--data", "data.csv", "--loss", "logistic", *command())
    assert done.returncode == 3 and "the probability of class 1" in done.stderr, done.stderr


@pytest.mark.parametrize("answer,said", [
    ("print('?')", "answered '?'; expected 2 numbers, the forecasts of "),
    ("print(1)", "answered '1'; expected 2 numbers"),
    ("print(1, 2, 3)", "answered '1 2 3'; expected 2 numbers"),
    ("print('1 2\\n3 4')", "had written more than one line for the row before"),
    ("print('nan 1')", "answered 'nan 1'"),
    ("sys.exit(5)", "ended with status 5"),
    ("os.kill(os.getpid(), 9)", "ended with s"),
    ("time.sleep(60)", "has not answered within 0.2 seconds"),
], ids=["no_number", "too_few", "too_many", "two_lines", "nan", "exits", "is_killed", "sleeps"])
def test_a_program_that_fails_gets_one_line(caucus, answer, said):
    caucus("data generate linear --rows 50 --out data.csv")
    write("models.py", f"import os, sys, time\nsys.stdin.readline()\nfor line in sys.stdin:\n    {answer}\n"
                       "    sys.stdout.flush()\n")
    done = caucus.run("run", "--data", "data.csv", *command(), "--expert-timeout", "0.2" if "sleep" in answer else "60",
                      "--json", "result.json")
    assert done.returncode == 3 and said in done.stderr, done.stderr
    said_by_caucus = [line for line in done.stderr.splitlines() if line.startswith("caucus: error")]
    assert len(said_by_caucus) == 1 and "error: --expert-command: data.csv:" in said_by_caucus[0], done.stderr
    assert "result.json" not in os.listdir(), "there is a result without forecasts"


def test_wrong_settings_of_experts_are_refused(caucus):
    caucus("data generate linear --rows 50 --out data.csv")
    run = "run --data data.csv --spaces experts"
    caucus.refused(2, "no columns are named", run)
    caucus.refused(2, "expert-command: nothing makes the predictions", f"{run} --expert-names a,b")
    caucus.refused(2, "has both columns and a command", f"{run} --expert-columns 1 --expert-command true")
    caucus.refused(2, "expert-names: 2 names; expected 1", f"{run} --expert-columns 1 --expert-names a,b")
    caucus.refused(2, "'a' is named twice", f"{run} --expert-names a,a --expert-command true")
    caucus.refused(2, "has no timeout", f"{run} --expert-columns 1 --expert-timeout 3")
    caucus.refused(3, "ended with status 127", f"{run} --expert-names a,b --expert-command /no/program", one_line=False)


def test_a_served_run_asks_as_a_simulated_one_does(caucus):
    make_data(caucus, rows=600)
    caucus("data info data.csv --ranges ranges.csv")
    caucus("data split data.csv --clients 3 --out sites")
    write("served.toml", f"""[data]
feature_range = [-1, 1]
label_range = [0, 1]
scale_from = "ranges.csv"
[[space]]
kind = "linear"
[[space]]
kind = "experts"
names = [{", ".join(f'"{name}"' for name in NAMES.split(","))}]
[algorithm]
mode = "synchronous"
[server]
clients = ["c01", "c02", "c03"]
""")
    asks = ["--expert-command", f"{sys.executable} models.py joined.txt"]
    done = caucus.run("run", "served.toml", "--clients-from", "sites", "--expert-command",
                      f"{sys.executable} models.py simulated.txt", "--json", "run.json")
    assert done.returncode == 0, done.stderr
    server = start_server(caucus, "serve served.toml --store run.db --json serve.json --listen localhost:0")
    clients = [caucus.start("join --server", f"localhost:{server.port}", "--client", name, "--data", f"sites/{name}.csv",
                            *asks, out=f"{name}.out", log=f"{name}.log") for name in ("c01", "c02", "c03")]
    for process in (*clients, server):
        process.ends_well()
    assert not differences(results("run.json"), results("serve.json"))
    assert read_json("serve.json")["results"][0]["spaces"][1:] == NAMES.split(",")
    assert sorted(read("joined.txt").split("\n")) == sorted(read("simulated.txt").split("\n"))


def test_a_client_is_told_that_it_needs_a_program(caucus):
    make_data(caucus, rows=100)
    write("served.toml", """[[space]]
kind = "experts"
names = ["a", "b"]
[server]
clients = ["c01"]
features = 11
max_abs_target = 2
max_feature_norm = 9
""")
    server = start_server(caucus, "serve served.toml --store run.db --listen localhost:0")
    join = f"join --server localhost:{server.port} --client c01 --data data.csv"
    caucus.refused(2, "--expert-command: is missing: the run asks 2 experts, the first is a", join, one_line=False)
    server.kill()
