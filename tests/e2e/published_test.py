"""Published values on the data sets of the paper, which are not part of this repository: they are looked for in
CAUCUS_DATA_DIR, else beside the repository."""
import pytest

pytestmark = pytest.mark.ctest(sanitized=False)

THEORY = "--spaces linear --radii 0.1:1.0:10 --schedule theory --horizon examples --feature-bound 1 "
BOTH = "--algorithm fomd-oms --algorithm nco-oms "
KERNELS = ("--spaces gaussian --widths 0.5,1,2,4,8,16,32,64 --features 100 --radius 2 --sample 2 --schedule constant "
           "--eta 16 --lambda 1 --loss-bound 3 ")


class Published:
    """Runs ten repetitions and collects what deviates from the published mean squared errors."""

    def __init__(self, caucus, data_set):
        self.caucus = caucus
        self.data_set = data_set
        self.wrong = []

    def errors(self, name, flags):
        scale = ["--feature-range", "0,1" if name == "tomshardware" else "-1,1", "--label-range", "0,1"]
        if name == "calhousing14000":
            scale += ["--scale-from", self.data_set("calhousing")]
        result = self.caucus.json(f"run --repeats 10 {flags} --data", self.data_set(name), *scale)
        return [run["mse"]["mean"] for run in result["results"]]

    def expect(self, name, values, flags, percent=None):
        """One value for each algorithm: within so many per cent, or at most the value."""
        found = self.errors(name, flags)
        assert len(found) == len(values)
        for value, expected in zip(found, values):
            deviation = 100 * (value / expected - 1)
            said = f"{name} {flags}: MSE {value:.5f}, expected {expected:.5f}, {deviation:+.1f}%"
            print(said)
            if deviation > (percent or 0) or (percent and deviation < -percent):
                self.wrong.append(said)


@pytest.fixture
def published(caucus, data_set):
    expected = Published(caucus, data_set)
    yield expected
    assert not expected.wrong


# FOMD-OMS and NCO-OMS with J = K, then with J = 2. The target of tomshardware has few large values, so that ten
# repetitions still differ by several per cent.
@pytest.mark.parametrize("name, percent, all_models, two_models, scale", [
    pytest.param("elevators", 1.5, [.00979, .00991], [.01023, .01167], 1, id="elevators"),
    pytest.param("bank", 1.5, [.02009, .02157], [.02115, .02312], 1, id="bank"),
    pytest.param("ailerons", 1.5, [.19477, .19519], [.19809, .20331], 2, id="ailerons"),
    pytest.param("calhousing14000", 1.5, [.10140, .10183], [.10223, .10384], 1, id="calhousing"),
    pytest.param("tomshardware", 5, [.00090, .00093], [.00110, .00152], 1, id="tomshardware")])
def test_table_3(published, name, percent, all_models, two_models, scale):
    published.expect(name, all_models, THEORY + BOTH + f"--sample 10 --gradient-scale {scale}", percent)
    published.expect(name, two_models, THEORY + BOTH + "--sample 2 --gradient-scale 1", percent)


def test_kernels_on_elevators(published):
    published.expect("elevators", [.0030], KERNELS, 15)


def test_kernels_with_fewer_uploads(published):
    for rounds, value in {2: .0036, 5: .0053, 10: .0081, 20: .0114, 50: .0168}.items():
        published.expect("elevators", [value], KERNELS + f"--rounds-per-upload {rounds}", 15)


def test_linear_with_fewer_uploads(published):
    for rounds, value in {1: .01025, 2: .01088, 5: .01254, 10: .01427, 20: .01649, 50: .02051}.items():
        published.expect("elevators", [value],
                         THEORY + f"--sample 2 --gradient-scale 1 --rounds-per-upload {rounds}", 1.5)


@pytest.mark.parametrize("name, any_batch, hiding", [
    pytest.param("elevators", .00158, .00194, id="elevators"),
    pytest.param("bank", .0122, .0150, id="bank"),
    pytest.param("ailerons", .00297, .00364, id="ailerons"),
    pytest.param("calhousing14000", .0191, .0234, id="calhousing"),
    pytest.param("tomshardware", .000141, .000173, id="tomshardware")])
def test_the_default_with_nothing_to_tune(published, name, any_batch, hiding):
    """The errors of the schedule that it replaced, with 6% and, where examples are hidden, 30% of room."""
    published.expect(name, [any_batch], "--min-batch 1")
    published.expect(name, [hiding], "")


def test_first_order_is_within_ten_per_cent_of_tuned_constants(published):
    """The constants of the paper's grid, tuned, have .0031, .0181, .0043 and .0239 (reproduce table4)."""
    for name, value in {"elevators": .00341, "bank": .0199, "ailerons": .00473, "calhousing14000": .0263}.items():
        published.expect(name, [value], "--spaces gaussian --schedule adaptive-first-order")
