"""`caucus predict`: the personal layer of a client, and intervals."""
import gzip
import json
import os
import re

import pytest

from program import read, read_json, rows_of, write, write_rows

SETTINGS = """[data]
feature_range = [-1, 1]
label_range = [0, 1]
scale_from = "ranges.csv"
[algorithm]
mode = "synchronous"
rounds_per_upload = 60
[[space]]
kind = "linear"
"""
BEFORE, AFTER = 240, 60  # rows of a client before and after the end of the federation; four batches and one


STATE = "data/c01.csv.c01.join"


@pytest.fixture
def expected(caucus, federation):
    """Plays a federation of two sites of different height, which ends before the last rows of its first client.
    Returns the forecasts that this client would go on to give: with one space they depend on no draw."""
    caucus("data generate linear --out all.csv --rows", 2 * (BEFORE + AFTER))
    caucus("data info all.csv --ranges ranges.csv")
    header, *rows = rows_of("all.csv")
    first, second = rows[0::2], [[*row[:-1], float(row[-1]) + 0.7] for row in rows[1::2]]
    first[BEFORE + 3][0], first[BEFORE + 7][-1] = 1000, -1000  # which are clipped
    for folder, end in (("data", BEFORE), ("whole", BEFORE + AFTER)):
        os.mkdir(folder)
        for name, own in (("c01", first), ("c02", second)):
            write_rows(f"{folder}/{name}.csv", [header, *own[:end]])
    write_rows("rest.csv", [header, *first[BEFORE:]])
    write_rows("features.csv", [row[:-1] for row in (header, *first[BEFORE:])])
    write("federation.toml", SETTINGS + '[server]\nclients = ["c01", "c02"]\n')
    caucus("run federation.toml --clients-from whole --predictions forecasts.csv")
    federation.serve()
    federation.join_all()
    federation.end_all()
    caucus("export run.db -o model.json")
    return [row[4] for row in rows_of("forecasts.csv")[1:] if row[1] == "1" and int(row[2]) > BEFORE]


def test_a_client_predicts_offline_as_in_the_federation(caucus, expected):
    assert len(expected) == AFTER
    state = read(STATE)
    plain = caucus("predict --model model.json --data rest.csv").split()[1:]
    personal = caucus("predict --model model.json --data rest.csv --client-state", STATE).split()[1:]
    assert personal == expected
    assert all(one != other for one, other in zip(personal, plain))
    # Without targets the layer learns nothing more, so the forecast of a row does not depend on rows before it.
    blind = caucus("predict --model model.json --data features.csv --client-state", STATE).split()[1:]
    assert blind[0] == expected[0] and blind[1:] != expected[1:]
    write("backwards.csv", "\n".join(read("features.csv").splitlines()[:0:-1]) + "\n")
    assert caucus("predict --model model.json --data backwards.csv --client-state", STATE).split()[1:] == blind[::-1]
    assert read(STATE) == state


def test_a_state_that_does_not_belong_to_the_model_is_refused(caucus, expected):
    def refused(pattern, model, state):
        caucus.refused(3, pattern, f"predict --data rest.csv --model {model} --client-state", state)

    refused("missing.join: there is no such file", "model.json", "missing.join")
    refused("is not the saved state of a client", "model.json", "rest.csv")
    caucus("run --data whole/c01.csv --spaces linear --model-out simulated.json")
    refused("is of run [0-9a-f]{32}, the model of no served run", "simulated.json", STATE)
    write("other.json", re.sub('"run": "..', '"run": "zz', read("model.json")))
    refused("is of run [0-9a-f]{32}, the model of run zz", "other.json", STATE)
    header = read(STATE).splitlines()[0]
    write("young.join", header + "\n")
    refused("young.join: has no personal layer", "model.json", "young.join")
    write("damaged.join", read(STATE).replace("personal ", "personal 00", 1))
    refused("damaged.join:.* is damaged", "model.json", "damaged.join")


@pytest.mark.parametrize("name, flags", [("elevators", ""), ("elevators", "--min-batch 1"), ("bank", ""),
                                         ("bank", "--min-batch 1"), ("calhousing14000", ""),
                                         ("calhousing14000", "--min-batch 1")])
def test_intervals_hold_targets_of_real_rows(caucus, data_set, name, flags):
    """The second half of the file is held out."""
    with gzip.open(data_set(name), "rt") as file:
        rows = file.readlines()
    write("all.csv", "".join(rows))
    write("seen.csv", "".join(rows[:len(rows) // 2]))
    write("unseen.csv", "".join(rows[len(rows) // 2:]))
    caucus("data info all.csv --ranges ranges.csv")
    caucus("run --data seen.csv --feature-range -1,1 --label-range 0,1 --scale-from ranges.csv --model-out model.json",
           *flags.split())
    said = caucus.run("predict --model model.json --data unseen.csv --interval 0.9 --out p.csv").stderr
    inside = float(re.search(r"([\d.]+)% of the targets lie in the intervals of 90%", said)[1])
    print(f"{name} {flags}: {inside}%")
    assert 85 <= inside <= 95
    forecasts = [[float(cell) for cell in row] for row in rows_of("p.csv")[1:]]
    counted = sum(low <= float(row.rsplit(",", 1)[1]) <= high
                  for (_, low, high), row in zip(forecasts, rows[len(rows) // 2:]))
    assert inside == pytest.approx(100 * counted / len(forecasts), abs=0.01)


def test_intervals_need_what_only_some_models_have(caucus):
    caucus("data generate linear --rows 600 --out data.csv")
    for flags, model in (("", "model"), ("--schedule theory", "theory"), ("--loss absolute", "absolute")):
        caucus(f"run --data data.csv --spaces linear --model-out {model}.json {flags}")
    predict = "predict --data data.csv --interval"
    forecasts = rows_of(write("p.csv", caucus(predict + " 0.5 --model model.json")))
    assert forecasts[0] == ["prediction", "lower", "upper"]
    narrow, wide = (float(rows_of(write("p.csv", caucus(f"{predict} {p} --model model.json")))[1][2])
                    for p in (0.5, 0.99))
    assert narrow < wide
    plain = caucus("predict --data data.csv --model model.json").split()
    assert [row[0] for row in forecasts] == plain
    for model in ("theory", "absolute"):
        caucus.refused(3, f"{model}.json: has no error bars", f"{predict} 0.5 --model {model}.json")
    old = read_json("model.json")
    del old["error_bars"]  # as versions before this one wrote it
    write("old.json", json.dumps(old))
    assert caucus("predict --data data.csv --model old.json").split() == plain
    caucus.refused(3, "old.json: has no error bars", predict + " 0.5 --model old.json")
    for wrong in ("0", "1", "-1", "nan", "x", "90%"):
        caucus.refused(2, "--interval", f"{predict} {wrong} --model model.json")
    caucus.refused(2, "--interval: .*--client-state", predict + " 0.9 --model model.json --client-state x.join")
    for change in ({"variance": -1}, {"factor": [1, 2]}, {"factor": [0.0] * len(old["scaling"]["minimum"])}):
        broken = read_json("model.json")
        broken["error_bars"].update(change)
        write("broken.json", json.dumps(broken))
        caucus.refused(3, "broken.json: error_bars", predict + " 0.9 --model broken.json")
