"""The report, a page of charts. What only a browser can tell needs chromium."""
import base64
import hashlib
import json
import pathlib
import re
import shutil
import subprocess

import pytest

from program import read, write

needs_browser = pytest.mark.skipif(not shutil.which("chromium"),
                                   reason="chromium is not installed, so no page is looked at")


@pytest.fixture
def result(caucus):
    """result.json of a run with everything that a report shows."""
    caucus("data generate linear --rows 2000 --out data.csv")
    caucus("run --data data.csv --spaces linear --radii 0.5,1 --spaces gaussian --widths 1,4 --features 20 "
           "--algorithm fomd-oms --algorithm nco-oms --repeats 3 --regret --json result.json")


@pytest.fixture
def reproduction(caucus):
    """The report of a result of `caucus reproduce`, with names that want to be markup."""
    axis = {"label": "MSE", "scale": "log"}
    write("reproduction.json", json.dumps({
        "version": "0.1.0", "reproduce": "table3",
        "config": {"command": "caucus reproduce <b>table3</b>", "repeats": 10},
        "tables": [{"title": "Errors", "note": "", "columns": ["data", "ours"],
                    "rows": [["<script>alert(1)</script>", 0.02]]}],
        "charts": [{"title": "Errors", "note": "", "x": {"label": "N", "scale": "log"}, "y": axis, "series": [
            {"name": "<img src=x onerror=alert(1)>", "x": [1, 10, 100], "y": [0.1, 0.2, 0.4],
             "low": [0.05, 0.1, 0.3], "high": [0.2, 0.3, 0.5], "style": "line"},
            {"name": "bound", "x": [1, 100], "y": [1, 2], "style": "dashed"}]}],
        "verdicts": [{"claim": "true", "holds": True, "evidence": ""},
                     {"claim": "open", "holds": None, "evidence": ""}],
        "skipped": [], "seconds": 1.5}))
    caucus("report reproduction.json")


def test_a_saved_result_becomes_one_file_that_names_no_other(caucus, result):
    assert caucus("report result.json") == "result.html\n", "the page's name is not told"
    caucus("report result.json -o page.html")
    page = read("page.html")
    assert read("result.html") == page, "two pages of one result differ"
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|<link|<img|@import|url\(| src=| href=", page), "it refers to something"
    lines = page.splitlines()
    assert sum("<svg " in line for line in lines) == 2 * sum("</details>" in line for line in lines) > 0


def test_the_script_is_the_one_that_the_policy_allows(caucus, result):
    caucus("report result.json")
    page = read("result.html")
    allowed = re.search("script-src 'sha256-([^']*)'", page)[1]
    script = re.search("<script>(.*?)</script>", page, re.DOTALL)[1]
    assert allowed == base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def test_what_is_no_result_is_refused(caucus, result):
    write("unequal.json", '{"results": [{"algorithm": "a", "curve": {"round": [1, 2], "loss": [1]}}]}\n')
    caucus.refused(3, r"unequal.json: results\[0\].curve.loss: has 1", "report unequal.json")
    write("other.json", '{"format": "caucus-model"}\n')
    caucus.refused(3, "other.json.*expected a result", "report other.json")
    write("cut.json", read("result.json")[:1000])
    caucus.refused(3, "cut.json:[0-9]+: ends before its JSON does", "report cut.json")
    write("deep.json", "[" * 200000)
    caucus.refused(3, "deep.json:1: ends before its JSON does", "report deep.json")
    write("nested.json", '{"results": [{"algorithm": "a"}], "config": {"a": ' + "[" * 200000 + "]" * 200000 + "}}")
    caucus("report nested.json")  # deep nesting where anything may stand
    caucus.refused(3, "absent.json", "report absent.json")
    caucus.refused(3, "nowhere", "report result.json -o nowhere/page.html")
    caucus.refused(2, "is the result itself", "report result.json -o ./result.json")
    shutil.copy("result.json", "result.html")
    caucus.refused(2, "is the result itself", "report result.html")
    caucus.refused(2, "required", "report -o page.html")


# --- in a browser ---------------------------------------------------------------------------------

def browser(page, *options):
    """Loads a page; returns it as it ended up, and what the browser logged."""
    here = pathlib.Path.cwd()
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={here}/profile",
                           "--enable-logging=stderr", "--v=0", "--window-size=1000,800", *options,
                           f"file://{here}/{page}"], capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, f"the browser failed: {done.stderr}"
    return done.stdout, done.stderr


MEASURE = """<script>
  // Every chart is there twice, and the style sheet shows the one that fits the window.
  const shown = selector => [...document.querySelectorAll(selector)].filter(svg => svg.getClientRects().length);
  const empty = shown("svg").filter(svg => {
    const box = svg.getBoundingClientRect();
    const drawn = [...svg.querySelectorAll("path, rect")].some(part => {
      const ink = part.getBoundingClientRect();
      return ink.width > 0 || ink.height > 0;
    });
    return box.width < 100 || box.height < 50 || !drawn;
  });
  const asked = shown("svg[data-x]").filter(svg => {
    const box = svg.getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + box.width / 3, clientY: box.top + 40 }));
    const readout = svg.closest("figure").querySelector(".readout");
    const answers = !readout.hidden && /\\d/.test(readout.textContent) && svg.querySelector(".rule") !== null;
    svg.dispatchEvent(new PointerEvent("pointerleave"));
    return answers && readout.hidden;
  });
  const wide = document.documentElement.scrollWidth > window.innerWidth;
  document.body.dataset.measured = `charts=${shown("svg").length} empty=${empty.length} answer=${asked.length} wide=${wide}`;
</script>
"""


def measured(page, *options):
    """Counts the charts of a page, those that are empty, and those that answer to the pointer. The page's own policy
    would not run this script, so a copy without the policy is measured."""
    lines = [line for line in read(page).splitlines(keepends=True) if "Content-Security-Policy" not in line]
    write("measured.html", "".join(lines) + MEASURE)
    return re.search('data-measured="([^"]*)"', browser("measured.html", "--dump-dom", *options)[0])[1]


def look_at(page, charts, answers):
    """So many charts are drawn, of which so many answer to the pointer. Returns the page as it ended up."""
    expected = f"charts={charts} empty=0 answer={answers} wide=false"
    dom, log = browser(page, "--dump-dom")
    assert "CONSOLE" not in log, "messages on the console"
    assert measured(page) == expected
    assert measured(page, "--window-size=500,800") == expected, "in a narrow window"
    picture = pathlib.Path.cwd() / "page.png"
    browser(page, f"--screenshot={picture}")
    assert picture.stat().st_size > 20000, "the picture is empty"
    return dom


@needs_browser
def test_charts_of_a_run_are_drawn_without_a_word_on_the_console(caucus, result):
    caucus("report result.json")
    look_at("result.html", charts=10, answers=5)


@needs_browser
def test_charts_of_a_reproduction_are_drawn_and_its_names_stay_text(reproduction):
    dom = look_at("reproduction.html", charts=1, answers=0)
    assert not re.search("<img|<b>", dom), "a name became markup"


@needs_browser
def test_the_browser_tests_can_fail(reproduction):
    page = read("reproduction.html")
    write("forbidden.html", re.sub("script-src '[^']*'", "script-src 'none'", page))
    assert "CONSOLE" in browser("forbidden.html", "--dump-dom")[1], "a forbidden script goes unnoticed"
    blank = [re.sub("<rect [^>]*>", "", re.sub("<path [^>]*>", "", line, count=1), count=1)
             for line in page.splitlines(keepends=True)]
    write("blank.html", "".join(blank))
    assert measured("blank.html") == "charts=1 empty=1 answer=0 wide=false", "an empty chart goes unnoticed"
