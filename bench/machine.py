"""Describes the machine on which the figures were measured."""

import os
import re
import subprocess
from pathlib import Path

from harness import ROOT


def describe(harness):
    cache = (ROOT / "build/CMakeCache.txt").read_text()
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.M).group(1)
    bounds = harness.roofline()
    return {
        "CPU": _cpu_model(),
        "cores": os.cpu_count(),
        "caches": _caches(),
        "compiler": _first_line([compiler, "--version"]),
        "flags": _compile_flags("core/features/feature_maps.cpp"),
        "flags of the plain loop": _compile_flags("peers/plain_loop.cpp"),
        "SIMD variant": bounds["simd"],
        "multiply-add peak, one core": f"{bounds['peak_gflops']} GFLOP/s (float)",
        "memory, one core": f"{bounds['memory_gb_per_second']} GB/s",
        "load when started": os.getloadavg()[0],
    }


def _first_line(words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def _cpu_model():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def _caches():
    texts = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (
            (index / name).read_text().strip() for name in ("level", "type", "size")
        )
        texts.append(f"L{level} {kind.lower()} {size}")
    return ", ".join(texts) or "unknown"


def _compile_flags(source):
    """Returns the compiler flags that affect speed, from the CMake cache."""
    for line in (ROOT / "build/compile_commands.json").read_text().splitlines():
        if '"command"' in line and source in line:
            words = [w for w in line.split() if re.match(r"-(O|march|m[a-z0-9]+|f[a-z-]+)", w)]
            return " ".join(dict.fromkeys(words))
    return "unknown"
