"""What a curious server can compute from the messages of a run: tests/attacks carries the attacks out. Each of them finds
rows where it should, and none in the messages of the default. docs/privacy.md explains them."""
import pathlib
import re
import subprocess

import pytest

pytestmark = pytest.mark.ctest(sanitized=False, timeout=900)

SHORT = ["rows", 1000, "clients", 10, "min_batch", 10]  # sums over 10 to 23 rows
DEFAULT = ["rows", 1000, "clients", 1]  # batches of up to about 200 rows


@pytest.fixture
def attack(pytestconfig):
    """Returns the share of the rows that an attack finds."""
    program = pathlib.Path(pytestconfig.getoption("--build-dir")) / "bin/caucus_attacks"

    def share(name, *options):
        done = subprocess.run([program, name, *map(str, options)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        print(done.stdout)
        found, rows = re.fullmatch(rf"{name}: (\d+) of (\d+) rows\n", done.stdout).groups()
        assert int(rows) > 0
        return int(found) / int(rows)
    return share


def test_gradients_of_single_rows_are_the_rows(attack):
    assert attack("gradients", "schedule", "constant", "rows", 100, "starts", 20) > 0.9


def test_sums_over_few_rows_tell_the_rows(attack):
    assert attack("span", *SHORT) > 0.5


@pytest.mark.ctest(label="full")
def test_many_sums_over_many_rows_tell_rows(attack):
    """54 coordinates of each of two kernels, and 60 rows of four numbers: no row lies in a small range, but the rows
    follow from all sums together."""
    many = ["features", 3, "frequencies", 25, "rows", 120, "clients", 2, "steps", 500]
    assert attack("batch", *many, "min_batch", 60) > 0
    assert attack("batch", *many) == 0


def test_a_value_of_one_row_tells_the_row_unless_it_is_hidden(attack):
    rare = ["rare_every", 61, "rows", 1000, "clients", 1]
    assert attack("rare", *rare, "min_batch", 22) > 0.005  # one row in 61 has the value
    assert attack("rare", *rare) == 0


@pytest.mark.parametrize("name", ["span", "likely", "rare"])
@pytest.mark.parametrize("features", [3, 10])
def test_the_default_tells_no_generated_row(attack, name, features):
    assert attack(name, *DEFAULT, "features", features, "starts", 200) == 0


@pytest.mark.parametrize("name", ["span", "likely", "rare"])
def test_the_default_tells_no_row_of_elevators(attack, data_set, name):
    assert attack(name, "data", data_set("elevators"), *DEFAULT, "starts", 200) == 0


@pytest.mark.ctest(label="full")
@pytest.mark.parametrize("features", [3, 10])
def test_the_default_tells_no_generated_row_to_who_solves_for_all(attack, features):
    assert attack("batch", *DEFAULT, "features", features, "steps", 300) == 0


@pytest.mark.ctest(label="full")
def test_the_default_tells_no_row_of_elevators_to_who_solves_for_all(attack, data_set):
    assert attack("batch", "data", data_set("elevators"), *DEFAULT, "steps", 300) == 0


@pytest.mark.ctest(label="full")
def test_attacks_find_rows_of_elevators_where_they_should(attack, data_set):
    elevators = ["data", data_set("elevators")]
    assert attack("gradients", *elevators, "schedule", "constant", "rows", 200, "starts", 20) > 0.9
    assert attack("span", *elevators, *SHORT) > 0.5
