"""Every command, program and configuration in the README and in docs/usage.md runs; see markdown.py."""
import fnmatch
import os

import pytest

from markdown import Page
from program import write

pytestmark = pytest.mark.ctest(sanitized=False, timeout=600, cost=5)
installs = pytest.mark.ctest(lock="install", cost=20)  # cmake --install notes in the build directory what it did


@pytest.fixture
def check(root, build, program, compiler, directory):
    """Returns what runs a page and gives the Page and a text of what is wrong."""
    def run(markdown, programs=program.parent):
        page = Page(markdown, root, build, programs, compiler, directory)
        return page, page.run()
    return run


@installs
@pytest.mark.parametrize("page", [pytest.param("README.md", id="readme"), pytest.param("docs/usage.md", id="usage")])
def test_what_is_shown_runs(check, root, page):
    page, wrong = check(root / page)
    assert not wrong, wrong
    print(f"{page.ran} lines, files and programs were run")


def test_the_readme_has_at_most_200_lines(root):
    assert len((root / "README.md").read_text().splitlines()) <= 200


# --- the test can fail ----------------------------------------------------------------------------

@pytest.fixture
def check_sample(check, directory):
    """Returns what checks a page with a program in place of caucus that accepts all but runs without data."""
    def run(markdown):
        write("sample.md", markdown)
        os.mkdir("stub")
        write("stub/caucus", '#!/usr/bin/env bash\n'
              '[[ $1 != run ]] || grep -q "^\\[data\\]" "$2" || { echo "stub: no data"; exit 2; }\n').chmod(0o755)
        return check(directory / "sample.md", directory / "stub")
    return run


GOOD = r"""Inline ```false``` and `false` are no blocks, nor is this:

    false

```text
false
```
```sh
git clone somewhere && cd somewhere   # not run
./dev test
cat dev >/dev/null          # the tree is there
[ -d build ]
printf '%s\n' one \
  two >words
caucus hello
```

1. In a list, and longer fences:
   ````bash title=x
   cat >nested <<'END'
   ```
   false
   ```
   END
   grep -c false nested
   ````
~~~console
$ [ "$(cat words)" = "$(printf 'one\ntwo')" ]
false is output here
$ [ -n \
> x ]
~~~
```toml
# conf/a.toml: a run
[data]
```
"""


def test_every_kind_of_block_is_accepted(check_sample):
    page, wrong = check_sample(GOOD)
    assert not wrong, wrong
    assert page.ran == 15


@installs
def test_programs_are_compiled_and_run(check_sample):
    page, wrong = check_sample("""```cpp
int half(int x) { return x / 2; }
```
```c++
#include "caucus/loss.hpp"
int main() { return caucus::Loss(caucus::SquareLoss{}).value(1.0, 0.0) == 1.0 ? 0 : 1; }
```
```cmake
cmake_minimum_required(VERSION 3.25)
project(sample LANGUAGES CXX)
find_package(caucus REQUIRED)
add_executable(sample sample.cpp)
target_link_libraries(sample PRIVATE caucus::caucus)
```
""")
    assert not wrong, wrong
    assert page.ran == 3


REFUSED = {
    "a_failing_command": ("sample.md:4: failed: false*| seen*", "```sh\necho seen\n\nfalse\necho unseen\n```\n"),
    "a_failing_command_in_a_pipe": ("sample.md:2: failed: $ false | cat*", "```console\n$ false | cat\n```\n"),
    "an_unknown_program": ("*no-such-program*", "```bash\nno-such-program --x\n```\n"),
    "a_broken_script": ("sample.md:2: this block ended with code*", "```bash\nif true; then\n```\n"),
    "a_line_that_is_run_in_part": ("*mixes commands*", "```sh\n./dev build && echo hidden\n```\n"),
    "a_refused_file": ("sample.md:4: refused: caucus run a.toml*| stub: no data*",
                       "# Title\ntext\n```toml\n# a.toml\n[dta]\n```\n"),
    "a_file_without_a_name": ("*must name its file*", "```toml\n[data]\n```\n"),
    "a_project_without_a_program": ("*must add an executable*", "```cmake\nproject(x)\n```\n"),
    "a_block_without_an_end": ("*line 1 is never closed*", "```sh\ntrue\n"),
    "nothing_to_run": ("*nothing to run*", "```sh\n# nothing\n./dev demo\n```\n")}


@pytest.mark.parametrize("case", REFUSED)
def test_it_refuses(check_sample, case):
    pattern, markdown = REFUSED[case]
    wrong = check_sample(markdown)[1]
    assert fnmatch.fnmatchcase(wrong, pattern), wrong or "accepted"


@installs
def test_it_refuses_programs_that_do_not_compile_or_fail(check_sample):
    wrong = check_sample("""```cpp
int main() { return no_such; }
```
```cpp
int main() { return 3; }
```
""")[1]
    assert fnmatch.fnmatchcase(wrong, "sample.md:2: this program does not compile*no_such*"
                               "sample.md:5: this program ended with code 3*"), wrong or "accepted"
