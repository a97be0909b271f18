"""The errors of the command line: one line that says where, what and what was expected, and no file left behind."""
import os
import pathlib
import re
import resource
import time

import pytest

from program import limit_of, listing, read, rows_of, write, write_rows


@pytest.fixture
def linear(caucus):
    """Returns what writes data.csv, a linear problem of ten features."""
    return lambda rows=400: caucus("data generate linear --out data.csv --rows", rows)


def change_line(number, pattern, replacement, path):
    """Copies data.csv with one line changed."""
    lines = read("data.csv").splitlines()
    lines[number - 1] = re.sub(pattern, replacement, lines[number - 1], count=1)
    write(path, "\n".join(lines) + "\n")


def test_bad_data_is_named_by_file_and_line(caucus, linear):
    linear(40)
    caucus.refused(3, "absent.csv", "run --data absent.csv --json out.json")
    write("empty.csv", "")
    caucus.refused(3, "empty.csv", "run --data empty.csv --json out.json")
    change_line(5, ",[^,]*$", "", "short.csv")
    caucus.refused(3, "short.csv:5.*10.*11", "run --data short.csv --json out.json --model-out m.json")
    change_line(6, "$", ",1", "long.csv")
    caucus.refused(3, "long.csv:6", "run --data long.csv --predictions p.csv")
    change_line(7, "^[^,]*", "abc", "text.csv")
    caucus.refused(3, "text.csv:7.*abc", "run --data text.csv --json out.json")
    for word in ("inf", "-inf", "1e999"):
        change_line(8, "^[^,]*", word, "number.csv")
        caucus.refused(3, "number.csv:8", "run --data number.csv --json out.json")
    caucus.refused(3, "nosuch", "run --data data.csv --target nosuch")
    caucus.refused(3, "99", "run --data data.csv --target 99")
    caucus.refused(3, "40 rows", "run --data data.csv --clients 41 --json out.json")
    write("data.csv.gz", "garbage")
    caucus.refused(3, "data.csv.gz", "run --data data.csv.gz")
    caucus.refused(3, "clients", "run --clients-from clients")
    caucus.refused(3, "model", "predict --model data.csv --data data.csv")


def test_impossible_parameters_are_refused(caucus, linear):
    linear()
    run = "run --data data.csv --json out.json --spaces linear --radii "
    caucus.refused(2, "J >= 2", run + "0.5,1 --sample 1")
    caucus.refused(2, "J must not exceed K", run + "0.5,1 --sample 3")
    caucus.refused(2, "radius is 0", run + "0,1")
    caucus.refused(2, "radius is -1", run + "-1,1")
    caucus.refused(2, "radii", run + "1:2")
    caucus.refused(2, "feature-range", "run --data data.csv --feature-range 1,0")
    caucus.refused(2, "clients", "run --data data.csv --clients 0")
    caucus.refused(2, "error: --growth: 3", "run --data data.csv --growth 3")
    write("growth.toml", "[data]\nfile = 'data.csv'\n[algorithm]\ngrowth = 3\n")
    caucus.refused(2, "error: growth.toml:4: algorithm.growth: 3", "run growth.toml")
    caucus.refused(2, "error: --growth: 4", "run growth.toml --growth 4")
    caucus.refused(2, "sample", "run --data data.csv --sample x")
    caucus.refused(2, "dropout", "run --data data.csv --dropout 1.5")
    caucus.refused(2, "loss", "run --data data.csv --loss cubic")
    caucus.refused(2, "did you mean '--sample'", "run --data data.csv --smaple 2")
    caucus.refused(2, "did you mean 'run'", "rum --data data.csv")
    caucus.refused(2, "algorithm", "run --data data.csv --algorithm fomd")
    caucus.refused(2, "data", "run")
    caucus.refused(2, "T = 40 is less than K = 50", run + "0.1:5:50 --schedule theory")
    caucus.refused(2, "rows", "data generate linear --rows 0 --out d.csv")
    caucus.refused(2, "nosuch", "data generate nosuch --out d.csv")
    caucus.refused(2, "J must not exceed K", "advise --clients 3 --models 4 --rounds 100 --sample 5")


def test_contradictions_are_refused(caucus, linear):
    linear()
    os.mkdir("clients")
    write("clients/a.csv", read("data.csv"))
    caucus.refused(2, "both a file and a directory", "run --data data.csv --clients-from clients")
    caucus.refused(2, "constant", "run --data data.csv --eta 3")
    caucus.refused(2, "adaptive", "run --data data.csv --loss-bound 3")
    caucus.refused(2, "horizon", "run --data data.csv --schedule constant --eta 1 --lambda 1 --horizon rounds")
    caucus.refused(2, "radii", "run --data data.csv --spaces gaussian --radii 1,2")
    caucus.refused(2, "widths", "run --data data.csv --spaces linear --widths 1,2")
    caucus.refused(2, "scale", "run --data data.csv --scale-from data.csv --no-scale")
    write("two.toml", '[data]\nfile = "data.csv"\nclients_from = "clients"\n')
    caucus.refused(2, "both a file and a directory", "run two.toml")
    write("rates.toml", '[data]\nfile = "data.csv"\n[schedule]\nkind = "theory"\neta = 2.0\n')
    caucus.refused(2, "constant", "run rates.toml")


def test_configuration_files_are_checked(caucus, linear):
    linear()
    write("key.toml", '[data]\nfile = "data.csv"\n[federation]\nclinets = 5\n')
    caucus.refused(2, "key.toml:4.*clinets.*did you mean 'clients'", "run key.toml")
    write("table.toml", "[federatoin]\nclients = 5\n")
    caucus.refused(2, "federatoin.*did you mean 'federation'", "run table.toml")
    write("broken.toml", "[data\nfile = 3\n")
    caucus.refused(2, "broken.toml:1", "run broken.toml")
    write("value.toml", '[federation]\nclients = "many"\n')
    caucus.refused(2, "value.toml:2.*clients.*many", "run value.toml")
    write("kind.toml", "[[space]]\nradii = [1.0]\n")
    caucus.refused(2, "kind", "run kind.toml")
    caucus.refused(2, "absent.toml", "run absent.toml")


def test_unwritable_output_is_refused_before_the_work(caucus, linear):
    linear()
    caucus.refused(3, "nowhere", "run --data data.csv --json nowhere/out.json")
    caucus.refused(3, "nowhere", "run --data data.csv --model-out nowhere/m.json")
    caucus.refused(3, "nowhere", "run --data data.csv --predictions nowhere/p.csv")
    caucus.refused(3, "nowhere", "data generate linear --out nowhere/d.csv")
    os.mkdir("taken")
    caucus.refused(3, "taken", "run --data data.csv --json taken")


def test_all_outputs_appear_or_none(caucus, linear):
    linear()
    run = "run --data data.csv "
    caucus.refused(3, "/dev/full", run + "--predictions p.csv --model-out m.json --json /dev/full")
    caucus.refused(3, "/dev/full", run + "--predictions p.csv --model-out /dev/full --json r.json")
    caucus.refused(3, "/dev/full", run + "--predictions /dev/full --model-out m.json --json r.json")
    write("r.json", "precious\n")
    caucus.refused(3, "nosuch", run + "--target nosuch --json r.json")
    assert read("r.json") == "precious\n", "an older result was destroyed"
    caucus.refused(2, "also given to", run + "--json a --model-out a")
    caucus.refused(2, "also given to", run + "--json ./a --predictions a")
    caucus.refused(2, "is read by this run", run + "--json ./data.csv")
    caucus.refused(2, "model-out", run + "--model-out -")


def test_a_run_that_is_killed_leaves_nothing(caucus):
    caucus("data generate linear --rows 200000 --out long.csv")
    before = listing()
    process = caucus.start("run --data long.csv --repeats 1000 --json never.json", out="/dev/null", log="/dev/null")
    time.sleep(1)
    assert process.alive()
    process.terminate()
    assert listing() == before


def test_counts_are_strict(caucus, linear):
    linear(40)
    for count in ("-1", "99999999999999999999", "1.5", "x", ""):
        caucus.refused(2, "clients", "advise --models 10 --rounds 5 --clients", count)
        caucus.refused(2, "rows", "data generate linear --out d.csv --rows", count)
        caucus.refused(2, "clients", "data split data.csv --out clients --clients", count)
        caucus.refused(2, "clients", "run --data data.csv --clients", count)
    caucus.refused(2, "noise", "data generate linear --noise nan --out d.csv")
    caucus.refused(2, "noise", "data generate linear --noise 1e300 --out d.csv")
    caucus.refused(2, "features", "data generate linear --features 0 --out d.csv")
    caucus.refused(2, "adversary", "data generate linear --clients 3 --out d.csv")
    caucus.refused(2, r"expert-columns|1\.\.99999999999",
                   "run --data data.csv --spaces experts --expert-columns 1..99999999999")
    caucus.refused(2, "width", "run --data data.csv --spaces gaussian --widths 1e-310")
    caucus.refused(2, "given twice", "run --data data.csv --clients 2 --clients 3")
    caucus.refused(2, "given twice", "run --data data.csv --spaces linear --radii 1 --radii 2")
    caucus.refused(2, "needs a value", "run --data data.csv --spaces --json out.json")
    caucus.refused(2, "switch", "run --data data.csv --regret=maybe")
    printed = caucus("run --data data.csv --clients 4 --regret=false --print-config")
    assert re.search("^regret = false", printed, re.MULTILINE)
    caucus.refused(2, "no minimum", "run --data data.csv --loss linear --spaces linear --radii inf,1 "
                   "--loss-bound 1 --schedule constant --eta 1 --lambda 1 --regret")


def test_endless_files_end(caucus, linear):
    caucus.refused(2, "/dev/zero", "run /dev/zero")
    linear()
    caucus.refused(3, "", "predict --model /dev/null --data data.csv")
    caucus.refused(3, "is not JSON", "predict --model data.csv --data data.csv")


def test_a_model_is_used_only_on_its_columns(caucus, linear):
    linear()
    caucus("run --data data.csv --model-out model.json")
    rows = rows_of("data.csv")
    write_rows("exchanged.csv", [[row[1], row[0], "7", *row[2:]] for row in rows])
    write("exchanged.csv", read("exchanged.csv").replace("x2,x1,7", "x2,x1,more", 1))
    assert caucus("predict --model model.json --data exchanged.csv") == caucus("predict --model model.json --data data.csv")
    write_rows("renamed.csv", [["x0" if cell == "x1" else cell for cell in row] for row in rows])
    caucus.refused(3, "has no column 'x1'", "predict --model model.json --data renamed.csv --out p.csv")
    rows = rows[1:]  # without names
    narrow, end = os.pipe()
    with open(end, "w") as pipe:  # a pipe has room for the 30 KB
        pipe.write("".join(",".join(row[:5]) + "\n" for row in rows))
    caucus.refused(3, "columns", "predict --model model.json --data", f"/dev/fd/{narrow}", pass_fds=(narrow,))
    os.close(narrow)
    caucus.refused(3, "/dev/full", "predict --model model.json --data data.csv --out /dev/full")
    model = read("model.json")
    for pattern, replacement in (('"probability": [0-9.e-]*', '"probability": 2'),
                                 ('"probability": [0-9.e-]*', '"probability": 0.01'),
                                 (r'"weights": \[', '"weights": [1e308,'),
                                 ('"target_column": [0-9]*', '"target_column": 0'),
                                 ('"format_version": 3', '"format_version": 2'),
                                 ('"kind": "linear"', '"kind": "cubic"')):
        wrong = "\n".join(re.sub(pattern, replacement, line, count=1) for line in model.split("\n"))
        assert wrong != model, f"{pattern} is not in the model"
        write("wrong.json", wrong)
        caucus.refused(3, "wrong.json", "predict --model wrong.json --data data.csv --out p.csv")


def test_a_split_does_not_mix_with_an_older_one(caucus, linear):
    linear()
    caucus("data split data.csv --clients 9 --out clients")
    caucus.refused(2, r"c0[5-9]\.csv", "data split data.csv --clients 4 --out clients")
    caucus("data split data.csv --clients 9 --out clients")
    assert len(os.listdir("clients")) == 9
    os.symlink("nowhere", "clients/dangling.csv")
    caucus.refused(3, "dangling.csv", "run --clients-from clients")


def test_running_out_of_memory_is_an_error(caucus, linear, sanitized):
    if sanitized:
        pytest.skip("sanitizers reserve terabytes of addresses")
    linear(4000)
    done = caucus.run("run --data data.csv --spaces gaussian --features 1000000 --widths 1 --algorithm nco-oms "
                      "--clients 40 --repeats 4 --threads 3 --json out.json",
                      preexec_fn=limit_of(resource.RLIMIT_AS, 700000 * 1024))
    assert done.returncode == 5 and len(done.stderr.splitlines()) == 2, done.stderr  # after the note on the data
    assert not os.path.exists("out.json")


def test_a_full_disk_is_reported(caucus, linear):
    linear()
    assert pathlib.Path("/dev/full").is_char_device()
    caucus.refused(3, "/dev/full", "run --data data.csv --json /dev/full")
    caucus.refused(3, "/dev/full", "run --data data.csv --model-out /dev/full")
    caucus.refused(3, "/dev/full", "run --data data.csv --predictions /dev/full")
    caucus.refused(3, "/dev/full", "data generate linear --rows 5 --out /dev/full")
    caucus.refused(3, "/dev/full", "data info data.csv --ranges /dev/full")
    with open("/dev/full", "w") as full:
        done = caucus.run("run --data data.csv --json -", stdout=full)
    assert done.returncode == 3 and len(done.stderr.splitlines()) == 2, done.stderr  # after the note on the data


def test_a_file_that_may_not_grow_is_an_ordinary_error(caucus, linear):
    linear(4000)
    before = listing()
    done = caucus.run("run --data data.csv --predictions forecasts.csv --json result.json",
                      preexec_fn=limit_of(resource.RLIMIT_FSIZE, 16 * 1024))
    assert "forecasts.csv: cannot be written" in done.stderr
    assert done.returncode == 3
    assert listing() == before


def test_empty_values_are_refused(caucus, linear):
    linear(40)
    write("result.json", "{}")
    for flag in ("--json", "--report", "--model-out", "--predictions", "--data", "--spaces"):
        caucus.refused(2, f"{flag}.*empty", "run --data data.csv", flag, "")
    caucus.refused(2, "empty", "run", "")
    caucus.refused(2, "empty", "report", "")
    caucus.refused(2, "output.*empty", "report result.json -o", "")
    caucus.refused(2, "json.*empty", "reproduce lower-bound --quick --json", "")
    caucus.refused(2, "out.*empty", "data generate linear --out", "")
    caucus.refused(2, "model.*empty", "predict --data data.csv --model", "")


def test_what_is_no_json_is_named_by_line(caucus):
    write("bad.json", '{\n "results": [\n  1, x]\n}\n')
    caucus.refused(3, "bad.json:3: is not JSON at byte 22", "report bad.json")
    write("cut.json", '{\n "results": [')
    caucus.refused(3, "cut.json:2: ends before", "report cut.json")
    write("empty.json", "")
    caucus.refused(3, "empty.json:1: ends before", "report empty.json")
    caucus.refused(3, "bad.json:3", "predict --model bad.json --data bad.json")
    write("huge.json", '{"results": 1e999}\n')
    caucus.refused(3, "huge.json: has a number", "report huge.json")
    caucus.refused(3, "huge.json: has a number", "predict --model huge.json --data bad.json")


def test_an_error_counts_in_good_english(caucus, linear):
    linear(1)
    caucus.refused(3, "has 1 row;", "run --data data.csv")
    caucus.refused(3, "has 1 row;", "data split data.csv --clients 2 --out parts")


def test_data_in_place_of_a_configuration_is_pointed_out(caucus, linear):
    linear(40)
    caucus.refused(2, "data.csv:1.*--data", "run data.csv")
    write("data.toml", read("data.csv"))
    caucus.refused(2, "data.toml:1.*expected valid TOML", "run data.toml")
