"""Tables as people have them: names, dates, missing values and mistakes, without preparation."""
import gzip
import math
import os
import random
import re

import pytest

from program import differences, learned, read, read_json, results, rows_of, write, write_rows

WINDS = ["N", "NNW", "E", "S", "calm"]


def stations(path, rows, seed, columns=("time", "temp", "wind", "open", "pm10", "no2"), header=True):
    """Writes hourly rows of a station: the target depends on the hour, the wind and two numbers."""
    draw = random.Random(seed)
    table = []
    for n in range(rows):
        temp, pm10, wind, door = draw.gauss(10, 8), draw.lognormvariate(3, 1), draw.choice(WINDS), draw.random() < 0.5
        no2 = 30 + 20 * math.sin(n % 24 / 24 * 2 * math.pi) + 0.1 * pm10 - 0.5 * temp
        no2 += {"N": 10, "calm": 25}.get(wind, 0) + 5 * door + draw.gauss(0, 3)
        cells = {"time": f"2013-03-{n // 24 % 28 + 1:02} {n % 24:02}:00", "temp": f"{temp:.1f}", "wind": wind,
                 "open": "Yes" if door else "no", "pm10": "NA" if draw.random() < 0.1 else f"{pm10:.1f}",
                 "no2": f"{no2:.2f}", "station": path.split("/")[-1].split(".")[0]}
        table.append([cells[name] for name in columns])
    write_rows(path, [list(columns), *table] if header else table)


def score(caucus, command, *arguments, **options):
    """Returns the error of a run relative to that of the best constant."""
    result = caucus.json("run", *command.split(), *arguments, **options)
    return result["results"][0]["mse"]["mean"] / result["yardsticks"]["mean_predictor"]


# --- at the first attempt --------------------------------------------------------------------------

def test_a_raw_table_gives_a_useful_result_at_the_first_attempt(caucus):
    stations("plant.csv", 1200, 1)
    assert score(caucus, "--data plant.csv --min-batch 1") < 0.25
    said = caucus.run("run --data plant.csv").stderr
    assert "predicts column 6 'no2' (number, " in said
    assert "from 5 columns: 2 numbers, 1 boolean, 1 category, 1 time" in said


def test_concatenated_stations_are_read_from_a_pipe(caucus, data_set):
    texts = [gzip.open(data_set(f"air/{name}"), "rt").read() for name in ("Dingling", "Dongsi")]
    write("all.csv", "".join(texts))
    with open("all.csv") as pipe:
        assert score(caucus, "--data - --target NO2", stdin=pipe) < 0.3
    with open("all.csv") as pipe:
        result = caucus.json("run --data - --target NO2 --partition column:station --lags 2", stdin=pipe)
    assert result["data"]["clients"] == 2
    assert result["results"][0]["mse"]["mean"] < 0.15 * result["yardsticks"]["mean_predictor"]


@pytest.mark.parametrize("name, words", [("mushroom", "(2 names) from 21 columns: 21 categories"),
                                         ("credit.g", "(2 names) from 20 columns: 7 numbers, 13 categories"),
                                         ("pendigits", "(10 names) from 16 columns: 16 numbers")])
def test_arff_is_read_without_preparation(caucus, data_set, name, words):
    said = caucus.run("run --json result.json --data", data_set(f"classes/{name}", "arff.gz"))
    assert said.returncode == 0 and words in said.stderr


def test_scaling_needs_no_flag(caucus):
    stations("plant.csv", 600, 1)
    scaled = caucus.json("run --data plant.csv --feature-range -1,1 --label-range 0,1")["results"][0]["mse"]
    assert caucus.json("run --data plant.csv")["results"][0]["mse"] == scaled
    raw = caucus.json("run --data plant.csv --no-scale")["results"][0]["mse"]["mean"]
    assert raw > 10 * scaled["mean"], "in squared units of the target"


# --- twelve messy tables ---------------------------------------------------------------------------

def numbers(rows=60):
    return "".join(f"{n % 7},{n % 5},{n % 11}\n" for n in range(rows))


RUNS = {
    "constant columns": "a,b,c\n" + "".join(f"3,{n % 5},{n % 7}\n" for n in range(60)),
    "ten thousand categories": "c,x,y\n" + "".join(f"k{n % 10000},{n % 9},{n % 13}\n" for n in range(20000)),
    "unicode and a byte order mark": "\ufeffstraße,größe\n" + "".join(f"{'ü' if n % 3 else '北'},{n % 5}\n" for n in range(60)),
    "duplicate names": "x,x,y\n" + numbers(),
    "quotes with newlines": 'note,x,y\n' + "".join(f'"a\n{n % 3}",{n % 5},{n % 7}\n' for n in range(60)),
    "missing targets": "x,y\n" + "".join(f"{n % 7},{'' if n % 3 == 0 else n % 5}\n" for n in range(60)),
    "line ends of Windows": "x;y\r\n" + "".join(f"{n % 7},5;{n % 5},25\r\n" for n in range(60)),
    "an empty last column": "a,b,c,\n" + numbers().replace("\n", ",\n"),
}
REFUSED = {
    "mixed types": ("x,y\n1,2\n2,3\n3,4\nERR,5\n", 3, r"t\.csv:5: column 1 'x': holds 'ERR' .*--numbers x"),
    "ragged rows": ("a,b,c\n1,2,3\n4,5\n", 3, r"t\.csv:3: has 2 fields; expected 3"),
    "1e308": ("x,y\n1e308,1\n2,2\n", 3, r"t\.csv:3: column 1 'x': '1e\+308' does not fit a float"),
    "only one column": ("y\n1\n2\n", 3, "has no column left for a feature"),
    "an empty file": ("", 3, r"t\.csv: is empty"),
    "only a header": ("a,b\n", 3, "has a header but no rows"),
    "an identifier as the target": ("x,id\n" + "".join(f"{n},row{n}\n" for n in range(30)), 3,
                                    "column 2 'id': has 30 different texts; expected a --target"),
    "no value of the target": ("x,y\n1,NA\n2,NA\n", 3, "column 2 'y': has no values; expected another --target"),
    "parquet": ("PAR1\x15\x04", 3, "Parquet.*to_csv"),
    "infinity": ("x,y\n1,1\ninf,2\n", 3, r"t\.csv:3: column 1 'x': 'inf' is not a finite number"),
    "an open quote": ('x,y\n"1,2\n3,4\n', 3, r"t\.csv:2: .*unclosed quote"),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_messy_table_runs(caucus, name):
    last = 4 if name == "an empty last column" else 0
    write("t.csv", RUNS[name])
    caucus("run --data t.csv --clients 2 --json result.json", *(["--target", last - 1] if last else []))
    assert math.isfinite(read_json("result.json")["results"][0]["mse"]["mean"])
    if name == "line ends of Windows":
        assert "2 to" not in caucus("data info t.csv") and "0.5 to 6.5" in caucus("data info t.csv")


@pytest.mark.parametrize("name", REFUSED)
def test_a_messy_table_gets_one_line(caucus, name):
    text, code, pattern = REFUSED[name]
    write("t.csv", text)
    caucus.refused(code, pattern, "run --data t.csv --clients 1")


def test_all_problems_are_listed_at_once(caucus):
    write("t.csv", "id,size,num,size,y\na,1,1,2,3\nb,2,inf,2,3\nc,ERR,3,2\nd,4,4,2,5\n")
    info = caucus("data info t.csv")
    for words in ("t.csv:4: has 4 fields; expected 5", "t.csv:3: column 3 'num': 'inf'",
                  "column 4 'size' has the name of column 2"):
        assert words in info
    assert "3 problems:" in info


def test_info_says_what_happens_to_each_column(caucus):
    stations("plant.csv", 600, 1)
    info = caucus("data info plant.csv --drop temp")
    for pattern in (r"1 +time +time +2013-03-01 to 2013-03-25 +6 features|time.*features",
                    r"temp +number .*left out: as asked", r"wind +category +5: .*5 features",
                    r"open +boolean +2: .*feature", r"pm10 +number +[\d.]+% .*2 features", r"no2 +number .*target"):
        assert re.search(pattern, info), f"{pattern} in\n{info}"


def test_a_forgotten_target_is_said(caucus):
    write("t.csv", "x,kind_a,kind_b\n" + "".join(f"{n % 7},{n % 2},{1 - n % 2}\n" for n in range(60)))
    said = caucus.run("run --data t.csv --clients 2").stderr
    assert "predicts column 3 'kind_b'" in said
    assert "has only the values 0 and 1, like 1 column before it; if it is not meant, give --target NAME" in said


# --- what is learned is used ----------------------------------------------------------------------

def test_a_model_encodes_new_rows_as_in_training(caucus):
    stations("plant.csv", 1000, 1)
    caucus("run --data plant.csv --min-batch 1 --model-out model.json")
    plain = caucus("predict --model model.json --data plant.csv").split()
    header, *rows = rows_of("plant.csv")
    order = [5, 2, 0, 4, 1, 3]
    write_rows("other.csv", [[row[k] for k in order] + ["x"] for row in ([*header], *rows)])
    write("other.csv", read("other.csv").replace(",x\n", ",more\n", 1))
    assert caucus("predict --model model.json --data other.csv").split() == plain
    with open("plant.csv") as pipe:
        assert caucus("predict --model model.json --data -", stdin=pipe).split() == plain
    # New levels, missing values and no target do no harm.
    write_rows("new.csv", [header[:-1], *[row[:-1] for row in rows[:3]], ["", "?", "SSW", "", "NA"]])
    forecasts = caucus("predict --model model.json --data new.csv").split()
    assert forecasts[:4] == plain[:4] and len(forecasts) == 5
    write_rows("worse.csv", [header, ["2013-03-01 00:00", "cold", *rows[0][2:]]])
    caucus.refused(3, r"worse.csv:2: column 2 'temp': holds 'cold'", "predict --model model.json --data worse.csv")


def test_lags_of_a_model_need_the_past_in_the_file(caucus):
    stations("plant.csv", 800, 3)
    caucus("run --data plant.csv --lags 2 --clients 1 --min-batch 1 --predictions p.csv --model-out model.json")
    rows = read("plant.csv").splitlines(keepends=True)
    write("late.csv", "".join([rows[0], *rows[-10:]]))
    whole = caucus("predict --model model.json --data plant.csv").split()
    late = caucus("predict --model model.json --data late.csv").split()
    assert late[3:] == whole[-8:] and late[1] != whole[-10]


# --- a federation ---------------------------------------------------------------------------------

PLAN = """[data]
target = "no2"
feature_range = [-1, 1]
label_range = [0, 1]
scale_from = "ranges.csv"
categories = ["wind=N|NNW|calm", "open", "station"]
hash_columns = 4
missing = ["pm10"]
time = "time"
lags = {lags}
impute = "{impute}"
[algorithm]
mode = "synchronous"
[[space]]
kind = "linear"
[[space]]
kind = "gaussian"
widths = [2, 8]
features = 20
"""


@pytest.mark.parametrize("lags, impute", [(0, "mean"), (1, "drop")])
def test_sites_with_raw_tables_of_any_order_learn_what_a_simulation_learns(caucus, federation, lags, impute):
    os.mkdir("data")
    names = ["time", "temp", "wind", "open", "pm10", "no2", "station"]
    for site in range(1, 6):
        columns = random.Random(site).sample(names, len(names))
        stations(f"data/c{site:02}.csv", 150 + 20 * site, site, [*columns, "time"][:len(names)])
    write("ranges.csv", "column,minimum,maximum\ntemp,-10,30\npm10,0,200\nno2,0,100\n")
    clients = ", ".join(f'"c{site:02}"' for site in range(1, 6))
    write("federation.toml", PLAN.format(lags=lags, impute=impute) + f"[server]\nclients = [{clients}]\n")
    caucus("run federation.toml --clients-from data --json run.json --model-out run-model.json")
    federation.serve()
    federation.join_all()
    federation.end_all()
    federation.assert_same_results()
    caucus("export run.db -o served-model.json")
    assert not differences(learned("run-model.json"), learned("served-model.json"))
    assert results("run.json")
    assert (caucus("predict --model run-model.json --data data/c03.csv")
            == caucus("predict --model served-model.json --data data/c03.csv"))
    assert read_json("serve.json")["data"]["clipped"] > 0
