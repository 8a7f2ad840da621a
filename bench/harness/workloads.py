# SPDX-License-Identifier: Apache-2.0
"""The measured programs of this project, each with its amount of work."""

import subprocess

# The flags of the release build.
FLAGS = ["-O2", "-g", "-DNDEBUG", "-Wall", "-Wextra"]


class Workload:
    def __init__(self, name, about, command, is_python=False, has_objects=False):
        self.has_objects = has_objects  # also for the tools that record Python's small objects
        self.name = name
        self.about = about
        self.command = [str(part) for part in command]
        self.is_python = is_python


def all_workloads(root, build, python, quick):
    """Returns the workloads. With `quick`, each does a small part of its work."""
    def times(count):
        return max(1, count // 40) if quick else count

    churn, threads = build / "churn", build / "threads"
    can_torch = subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0
    library = "PyTorch" if can_torch else "NumPy"
    return [
        Workload("churn, depth 5", "One thread does nothing but malloc and free, 5 frames deep",
                 [churn, 5, times(8_000_000)]),
        Workload("churn, depth 25", "The same, 25 frames deep", [churn, 25, times(4_000_000)]),
        Workload("trees", "Binary trees of 64 Ki nodes, built and taken down by recursion",
                 [build / "trees", 15, times(8_000_000)]),
        Workload("search trees, filled", "Trees of 5,000 random keys, filled by recursion and "
                 "dropped: nearly every stack is new",
                 [build / "search_trees", "fill", 5_000, times(2_000_000)]),
        Workload("search trees, swapped", "A tree of 10,000 random keys, which come and go by "
                 "recursion: stacks come again, in any order",
                 [build / "search_trees", "swap", 10_000, times(6_000_000)]),
        # heaptrack 1.4 fails from about ten thousand rounds on.
        Workload("wander", "A recursion at random through 20 functions: nearly every stack is new",
                 [build / "wander", times(8_000)]),
        Workload("factors", "Numbers are taken apart into lists of primes, in short-lived blocks",
                 [build / "factor", times(400_000)]),
        Workload("2 threads", "Each block is freed by the other thread",
                 [threads, 2, times(8_000_000)]),
        Workload("8 threads", "Each block is freed by the next thread",
                 [threads, 8, times(8_000_000)]),
        Workload(f"train ({library})", "A small transformer, on the CPU",
                 [python, root / "examples/train.py", "--steps", times(200)], is_python=True),
        Workload(f"import {library}", "Nothing but the import",
                 [python, "-c", "import torch" if can_torch else "import numpy"], is_python=True),
        Workload("deep recursion", "A block on each of 900 levels of recursion, again and again",
                 [python, root / "bench/workloads/deep.py", 900, times(2_000)], is_python=True),
        Workload("JSON and regex", "A program that parses, searches and makes JSON, in Python",
                 [python, root / "bench/workloads/json_regex.py", times(6_000)], is_python=True),
        Workload("small objects", "Python makes small objects and drops them; with "
                 "python_allocs=off, or without --trace-python-allocators, only arenas are seen",
                 [python, root / "bench/workloads/objects.py", times(400_000)], is_python=True,
                 has_objects=True),
    ]


def compile_programs(source, build):
    build.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", *FLAGS, "-I", source, source / "churn.c", "-o", build / "churn"],
                   check=True)
    for name in ("threads.cpp", "trees.cpp", "search_trees.cpp", "wander.cpp", "factor.cpp",
                 "stacks.cpp"):
        subprocess.run(["c++", "-std=c++20", *FLAGS, "-I", source, source / name,
                        "-o", build / name.removesuffix(".cpp"), "-pthread"], check=True)
