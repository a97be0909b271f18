"""Runs what a Markdown page shows, in its order:

sh, bash    each block is a script, run in a copy of the repository whose build/ is the build directory
console     the lines after "$ "; what the commands print is not compared
toml        written to the name in its first line ("# name.toml"), then given to caucus run --print-config
cpp         compiled against the installed package, and run if it has a main that takes no arguments
cmake       configured and built beside the cpp block before it, which add_executable names
"""
import os
import pathlib
import re
import shutil
import subprocess
from dataclasses import dataclass

# Lines are not run if each of their commands is one of these: they would recurse, or leave the copy.
NOT_RUN = r"\s*(\./dev (setup|build|test|demo|full-test|bench|format|lint|asan|tsan|fuzz|clean)|git clone|cd)(\s|$)"
KINDS = {"sh": "sh", "bash": "sh", "shell": "sh", "console": "console", "shell-session": "console", "cpp": "cpp",
         "c++": "cpp", "cc": "cpp", "cxx": "cpp", "toml": "toml", "cmake": "cmake"}
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(readme LANGUAGES CXX)
find_package(caucus REQUIRED{components})
{add} block.cpp)
target_link_libraries(block PRIVATE caucus::{library})
"""


class Failure(Exception):
    """What is wrong: in which line of the page, and what the command printed."""

    def __init__(self, line, what, log=""):
        super().__init__(what)
        self.line, self.what, self.log = line, what, log


@dataclass
class Block:
    kind: str   # one of the values of KINDS, or empty
    line: int   # of its first line of content
    text: str


def blocks_of(markdown):
    """Returns the fenced blocks of a page."""
    blocks, fence, indent = [], "", 0
    for number, line in enumerate(markdown.replace("\r\n", "\n").splitlines(), start=1):
        if not fence:
            match = re.match(r"([ \t]*)(```+|~~~+)(.*)", line)
            if match and not (match[2][0] == "`" and "`" in match[3]):  # else it is code within a line
                indent, fence = len(match[1]), match[2]
                words = [word for word in re.split(r"[ \t{,]+", match[3]) if word]
                blocks.append(Block(KINDS.get(words[0].lower(), "") if words else "", number + 1, ""))
            continue
        text = re.sub(rf"^[ \t]{{0,{indent}}}", "", line)
        if text.strip().startswith(fence) and set(text.strip()) == {fence[0]}:
            fence = ""
        else:
            blocks[-1].text += text + "\n"
    if fence:
        raise Failure(blocks[-1].line - 1, f"the block opened in line {blocks[-1].line - 1} is never closed")
    return [block for block in blocks if block.kind]


def commands_of(block):
    """Returns the lines to run, one for each line of the block; what is not run becomes ":"."""
    lines, continued = [], False
    for line in block.text.splitlines():
        if block.kind == "console":
            if continued:
                line = line.removeprefix("> ")
            elif re.match(r"[ \t]*\$ ", line):
                line = re.sub(r"^[ \t]*\$ ", "", line)
            else:
                lines.append("")
                continue
        if not continued:
            parts = re.split(r"&&|;|\|", re.sub(r"[ \t]#.*", "", line))
            out = sum(bool(re.match(NOT_RUN, part)) for part in parts)
            if 0 < out < len(parts):
                lines.append('echo "this line mixes commands that are run with others that are not"; false')
                continue
            if out:
                lines.append(":  # not run: " + line)
                continue
        lines.append(line)
        continued = line.endswith("\\")
    return lines


class Page:
    """Runs the blocks of a page in a copy of the tree."""

    def __init__(self, page, source, build, program_directory, compiler, work):
        self.page, self.build, self.compiler, self.work = pathlib.Path(page), build, compiler, work
        self.tree = work / "tree"
        self.program = ""  # the last C++ block
        self.ran = 0
        shutil.copytree(source, self.tree, symlinks=True,
                        ignore=lambda folder, names: [name for name in names if pathlib.Path(folder) == source and (
                            name.startswith("build") or name in (".git", ".cache"))])
        (self.tree / "build").symlink_to(build)
        (work / "home").mkdir(exist_ok=True)
        self.environment = {**os.environ, "HOME": str(work / "home"),
                            "PATH": f"{program_directory}:{os.environ['PATH']}"}

    def run(self):
        """Runs every block, also after one has failed; returns what is wrong as text."""
        wrong = []
        try:
            for block in blocks_of(self.page.read_text()):
                try:
                    getattr(self, "run_" + block.kind)(block)
                except Failure as failure:
                    log = "".join(f"\n    | {line}" for line in failure.log.splitlines())
                    wrong.append(f"{self.page.name}:{failure.line}: {failure.what}{log}")
        except Failure as failure:
            return f"{self.page.name}:{failure.line}: {failure.what}"
        if self.ran == 0:
            wrong.append(f"{self.page.name}: there is nothing to run in it")
        return "\n".join(wrong)

    def command(self, words, directory):
        """Returns the exit code and the output. The output goes to a file, because a process that a script leaves in
        the background would keep a pipe open."""
        with open(self.work / "log", "w+", errors="replace") as log:
            code = subprocess.run(["timeout", "300", *words], cwd=directory, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT).returncode
            log.seek(0)
            return code, log.read()

    def run_sh(self, block):
        lines = commands_of(block)
        self.ran += sum(not re.fullmatch(r"\s*(:.*|#.*)?", line) for line in lines)
        at = self.work / "at"
        at.unlink(missing_ok=True)
        # The preparation stands in one line, so that line N + 1 of the script is line N of the block.
        prepare = (f"set -eEuo pipefail; trap 'echo $((LINENO - 1)) >{at}; exit 1' ERR; "
                   "trap 'trap - ERR; jobs -p | xargs -r kill 2>/dev/null || true' EXIT")
        script = self.work / "script"
        script.write_text("\n".join([prepare, *lines]) + "\n")
        code, log = self.command(["bash", script], self.tree)
        if code == 0:
            return
        if at.exists():
            line = int(at.read_text())
            raise Failure(block.line + line - 1, f"failed: {block.text.splitlines()[line - 1]}", log)
        raise Failure(block.line, f"this block ended with code {code}", log)

    run_console = run_sh

    def run_toml(self, block):
        name = re.match(r"#\s*([A-Za-z0-9_][A-Za-z0-9_./-]*\.toml)\b", block.text)
        if not name or ".." in name[1]:
            raise Failure(block.line, 'the first line of a toml block must name its file, as in "# run.toml"',
                          block.text)
        path = self.tree / name[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
        self.ran += 1
        code, log = self.command(["caucus", "run", name[1], "--print-config"], self.tree)
        if code != 0:
            raise Failure(block.line, f"refused: caucus run {name[1]} --print-config", log)

    def compile(self, project, line, what):
        prefix = self.work / "prefix"
        steps = [["cmake", "-S", project, "-B", project / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                  f"-DCMAKE_CXX_COMPILER={self.compiler}", f"-DCMAKE_PREFIX_PATH={prefix}"],
                 ["cmake", "--build", project / "build"]]
        if not prefix.exists():
            steps.insert(0, ["cmake", "--install", self.build, "--prefix", prefix])
        for step in steps:
            code, log = self.command(step, self.work)
            if code != 0:
                raise Failure(line, f"{what} does not compile", log)

    def run_cpp(self, block):
        self.ran += 1
        self.program = block.text
        has_main = re.search(r"\bmain\(", block.text)
        project = self.work / "cpp"
        shutil.rmtree(project, ignore_errors=True)
        project.mkdir()
        (project / "block.cpp").write_text(block.text)
        client = "<caucus/client.hpp>" in block.text
        (project / "CMakeLists.txt").write_text(PROJECT.format(
            add="add_executable(block" if has_main else "add_library(block OBJECT",
            components=" COMPONENTS client" if client else "", library="client" if client else "caucus"))
        self.compile(project, block.line, "this program")
        if has_main and "argv" not in block.text:
            code, log = self.command([project / "build/block"], self.tree)
            if code != 0:
                raise Failure(block.line, f"this program ended with code {code}", log)

    def run_cmake(self, block):
        self.ran += 1
        file = re.search(r"add_executable\(\S+\s+([A-Za-z0-9_]+\.cpp)\)", block.text)
        if not file or not self.program:
            raise Failure(block.line, "a cmake block must add an executable of the cpp block before it", block.text)
        project = self.work / "cmake"
        shutil.rmtree(project, ignore_errors=True)
        project.mkdir()
        (project / file[1]).write_text(self.program)
        (project / "CMakeLists.txt").write_text(block.text)
        self.compile(project, block.line, "this project")
