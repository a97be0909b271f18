"""What a terminal sees: help and tables as wide as it is, progress, and what Ctrl-C leaves."""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

import pytest

from program import listing, write

COMMANDS = ["", "run", "predict", "data", "data info", "data convert", "data split", "data generate", "data ranges", "data ranges merge",
            "cert", "cert init",
            "cert add", "advise", "completion", "man", "report", "reproduce", "serve", "join", "status", "export"]


class Terminal:
    """Runs the program with a terminal of a given width as its output and errors."""

    def __init__(self, caucus, columns):
        self.caucus = caucus
        self.main, self.side = pty.openpty()
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def start(self, command):
        popen = subprocess.Popen(self.caucus.words(command, []), stdin=subprocess.DEVNULL, stdout=self.side,
                                 stderr=self.side)
        os.close(self.side)
        return popen

    def text(self):
        """Returns everything up to the end of the process."""
        parts = []
        while True:
            try:
                part = os.read(self.main, 65536)
            except OSError:  # the other side is closed
                part = b""
            if not part:
                os.close(self.main)
                return b"".join(parts).decode().replace("\r\n", "\n")
            parts.append(part)

    def run(self, command):
        popen = self.start(command)
        text = self.text()
        return popen.wait(), text


def drawn(text):
    """Returns the lines as they stay on the screen."""
    return [line.split("\r")[-1].replace("\033[K", "") for line in text.split("\n")]


@pytest.mark.parametrize("columns", [50, 80, 120])
def test_help_fits_the_terminal(caucus, columns):
    for command in COMMANDS:
        code, text = Terminal(caucus, columns).run(f"{command} --help")
        assert code == 0
        for line in text.split("\n"):
            assert len(line) <= columns, f"{command}: {line}"
        assert command == "" or f"Usage: caucus {command}" in text


def test_help_is_grouped(caucus):
    shown = caucus("run --help")
    titles = [title for title in ("Data:", "Federation:", "Algorithm:", "Schedule:", "Run:", "Spaces:", "Output:")
              if f"\n{title}\n" in shown]
    assert len(titles) == 7


def test_a_result_is_as_wide_as_the_terminal(caucus):
    caucus("data generate linear --rows 2000 --out data.csv")
    flags = "run --data data.csv --spaces gaussian --algorithm fomd-oms --algorithm em-kofl --algorithm pof-mkl"
    heights = {}
    for columns in (50, 80, 160):
        shown = drawn(Terminal(caucus, columns).run(flags)[1])
        lines = [line for line in shown if not line.startswith("caucus: note: ")]
        assert max(map(len, lines)) <= columns
        heights[columns] = len(lines)
    assert heights[160] < heights[80] < heights[50]


def test_a_terminal_sees_progress_and_a_file_does_not(caucus):
    caucus("data generate linear --rows 200000 --out data.csv")
    caucus("data generate linear --rows 1000000 --out large.csv")
    caucus("run --data data.csv --clients 2 --model-out model.json")
    for command in ("run --data data.csv --repeats 4 --threads 1", "data convert data.csv out.csv.gz",
                    "data split large.csv --out parts", "predict --model model.json --data data.csv --out forecasts.csv"):
        code, text = Terminal(caucus, 80).run(command)
        assert code == 0, text
        assert re.search(r"\d+% ", text) and "\033[K" in text, f"{command} shows no progress"
        quiet = caucus.run(command.replace("parts", "more"))
        assert "\033" not in quiet.stderr + quiet.stdout


@pytest.mark.parametrize("command", ["run --data data.csv --repeats 1000 --threads 1 --json result.json --report r.html",
                                     "reproduce lower-bound --threads 1 --json found.json"],
                         ids=["run", "reproduce"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["int", "term"])
def test_an_interrupted_command_says_that_it_kept_nothing(caucus, command, number):
    caucus("data generate linear --rows 20000 --out data.csv")
    before = listing()
    terminal = Terminal(caucus, 80)
    popen = terminal.start(command)
    time.sleep(0.7)
    assert popen.poll() is None, "it ended before it could be interrupted"
    popen.send_signal(number)
    text = terminal.text()
    assert popen.wait() == -number
    last = [line for line in drawn(text) if line.strip()][-1]
    assert re.fullmatch(r"caucus: interrupted; .*nothing was written", last), text
    assert listing() == before


def test_an_interrupted_conversion_leaves_no_file(caucus):
    os.mkfifo("pipe.csv")
    done = caucus.start("data convert pipe.csv out.csv", out="out.txt", log="log.txt")
    with open("pipe.csv", "w") as pipe:
        pipe.write("a,b\n1,2\n")
        pipe.flush()
        time.sleep(0.3)
        done.signal(signal.SIGINT)
        assert done.wait() == 128 + signal.SIGINT
    assert "interrupted; nothing was written" in open("log.txt").read()
    assert not [name for name in listing() if "out.csv" in name]


def test_completion_offers_the_words_of_a_flag(caucus):
    write("completion.sh", caucus("completion bash"))

    def completed(*words):
        script = ('source completion.sh; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(); _caucus; '
                  'echo "${COMPREPLY[@]}"')
        return subprocess.run(["bash", "-c", script, "bash", *words], check=True, text=True,
                              capture_output=True).stdout.split()
    assert completed("caucus", "run", "--schedule", "") == ["adaptive", "adaptive-first-order", "theory", "constant"]
    assert completed("caucus", "run", "--mode", "s") == ["synchronous"]
    assert completed("caucus", "run", "--algorithm", "em") == ["em-kofl"]
    assert completed("caucus", "run", "--loss", "h") == ["huber", "hinge"]
    assert completed("caucus", "run", "--rounds-per-upload", "") == ["growing"]
    assert completed("caucus", "run", "--spaces", "g") == ["gaussian"]
    assert completed("caucus", "reproduce", "table") == ["table3", "table4"]
    assert "linear" in completed("caucus", "data", "generate", "")
    assert completed("caucus", "completion", "f") == ["fish"]
    assert completed("caucus", "run", "--data", "compl") == ["completion.sh"]
    assert "-l schedule -r -f -a 'adaptive adaptive-first-order theory constant'" in caucus("completion fish")


def test_every_command_has_a_manual_page(caucus):
    caucus("man --out man1")
    assert sorted(os.listdir("man1")) == sorted("-".join(["caucus", *command.split()]) + ".1" for command in COMMANDS)
    for command in COMMANDS:
        page = caucus("man", *command.split())
        assert page == open("man1/" + "-".join(["caucus", *command.split()]) + ".1").read()
        for flag in re.findall(r"^  (?:-h, )?(--[a-z0-9-]+)", caucus(f"{command} --help"), re.MULTILINE):
            assert flag.replace("-", "\\-") in page, f"{command}: {flag} is not in its page"
    caucus.refused(2, "'caucus runs' is not a command; did you mean 'caucus run'", "man runs")
