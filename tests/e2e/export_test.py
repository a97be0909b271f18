"""What an export says about the model, and models as they were after earlier batches."""
import re
import shutil

from federation import LINEAR
from program import change_target, learned, read, read_json, rows_of, write_rows

SIZES = [400, 600, 900, 1300, 2400]
UNEQUAL = '[algorithm]\nmode = "synchronous"\npersonal = false\n[schedule]\nfixed_share = 0.001'


def make_unequal_files(federation):
    """Five sites of different sizes. The targets of the first two grow where those of the others fall."""
    federation.make_files(5, sum(SIZES), unequal=False)
    header, *rows = rows_of("all.csv")
    ends = [float(row[-1]) for row in rows]
    for j, size in enumerate(SIZES, 1):
        write_rows(f"data/c{j:02}.csv", [header, *rows[:size]])
        rows = rows[size:]
    for name in ("c01", "c02"):
        change_target(f"data/{name}.csv", f"data/{name}.csv", lambda y: min(ends) + max(ends) - y)


def variance(numbers):
    mean = sum(numbers) / len(numbers)
    return sum((y - mean) ** 2 for y in numbers) / len(numbers)


def test_an_export_warns_of_each_site_for_which_a_constant_is_better(caucus, federation):
    federation.learning = UNEQUAL
    make_unequal_files(federation)
    federation.configure(5)
    federation.serve()
    federation.join_all()
    federation.end_all()
    exported = caucus.run("export run.db -o model.json")
    ran = caucus.run("run federation.toml --clients-from data --model-out simulated.json --predictions given.csv")
    assert learned("simulated.json") == learned("model.json")
    assert read_json("simulated.json")["clients"] == read_json("model.json")["clients"]
    note, said = ran.stderr.split("\n", 1)
    assert note.startswith("caucus: note: predicts column ") and said == exported.stderr
    model = read_json("model.json")
    label = model["scaling"]["target_column"]
    unit = (model["scaling"]["maximum"][label] - model["scaling"]["minimum"][label]) ** 2
    assert [site["name"] for site in model["clients"]] == federation.names()
    given = rows_of("given.csv")[1:]
    for j, site in enumerate(model["clients"], 1):
        rows = [row for row in given if row[1] == str(j)][-site["examples"]:]
        error = sum((float(row[4]) - float(row[5])) ** 2 for row in rows) / len(rows) / unit
        assert abs(site["error"] / error - 1) < 1e-4, site
        assert abs(site["constant"] * unit / variance([float(row[5]) for row in rows]) - 1) < 1e-4, site
        assert len(rows) >= SIZES[j - 1] // 5
    worse = {site["name"] for site in model["clients"] if site["error"] > site["constant"]}
    assert {"c01", "c02"} <= worse and "c05" not in worse
    warned = re.findall(r"^caucus: warning: (c\d+): .*worse than the best constant", exported.stderr, re.MULTILINE)
    assert sorted(worse) == sorted(warned) and len(exported.stderr.splitlines()) >= 6, exported.stderr
    old = {site["name"] for site in model["clients"] if site["since"] > 5 * site["examples"]}
    assert "c01" in old and "c05" not in old
    assert set(re.findall(r"(c\d+): .* of others were learned later", exported.stderr)) == old
    assert "worse than the best constant" in caucus.run("predict --model model.json --data data/c01.csv").stderr
    assert "worse" not in caucus.run("predict --model model.json --data data/c05.csv").stderr


def test_the_model_after_an_earlier_batch_is_that_which_was_exported_then(caucus, federation):
    federation.learning = LINEAR
    federation.make_files(3, 12000)
    federation.configure(3, "snapshot_every = 1000000")
    federation.serve()
    federation.join_all()
    federation.until_batch(100)
    assert federation.server.terminate() == 0
    shutil.copy("run.db", "then.db")
    federation.serve()
    federation.end_all()
    caucus("export then.db -o then.json")
    refusal = caucus.refused(2, "--at: the model after batch 0 is not kept; expected 1 to ",
                             "export then.db -o x.json --at 0")
    last = int(refusal.split()[-1])
    caucus("export then.db -o last.json --at", last)
    assert read("last.json") == read("then.json")
    caucus("export then.db -o earlier.json --at 65")
    assert read("earlier.json") != read("then.json")
    for batch in (1, 2, 7, 56, 80):  # replayed from the copy, and kept by the store that has forgotten the reports
        caucus("export then.db -o replayed.json --at", batch)
        said = caucus.run("export run.db -o kept.json --at", batch).stderr
        assert read("kept.json") == read("replayed.json")
    assert "c01" in said, "a kept model has its scores"
    refusal = caucus.refused(2, "the model after batch 65 is not kept; expected 64, 80, ",
                             "export run.db -o x.json --at 65")
    end = refusal.split()[-1]
    caucus("export run.db -o whole.json")
    caucus("export run.db -o end.json --at", end)
    assert read("end.json") == read("whole.json")
    caucus.refused(2, f"expected {end}$", "export run.db -o x.json --at", int(end) + 1)
    forecasts = caucus("predict --model kept.json --data data/c01.csv").splitlines()
    assert len(forecasts) == len(read("data/c01.csv").splitlines())
