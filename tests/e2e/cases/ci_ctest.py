"""memtrace_add_test(): a project's tests run under memtrace, and a test that leaks fails. Without
memtrace the tests run unrecorded."""
import os

from harness import BUILD, SOURCE, environment, expect, require, run
from workflow import project

LISTS = """
cmake_minimum_required(VERSION 3.22)
project(example C)
enable_testing()
include(%s/cmake/MemtraceTest.cmake)
add_executable(leaks leaks.c)
memtrace_add_test(NAME clean COMMAND leaks CHECK --max-leaked-bytes 0)
memtrace_add_test(NAME leaky COMMAND leaks keeps CHECK --max-leaked-bytes 0)
memtrace_add_test(NAME peak COMMAND leaks keeps OPTIONS stacks=0 CHECK --max-peak-bytes 1M)
"""


def test():
    where = project()
    with open(os.path.join(where, "CMakeLists.txt"), "w") as file:
        file.write(LISTS % SOURCE)
    for with_memtrace in (True, False):
        build = os.path.join(where, f"build-{with_memtrace}")
        env = environment([])
        program = os.path.join(BUILD, "memtrace") if with_memtrace else "OFF"
        run(["cmake", "-S", where, "-B", build, "-DCMAKE_BUILD_TYPE=Debug",
             f"-DMEMTRACE_PROGRAM={program}"], env)
        made = run(["cmake", "--build", build], env)
        expect(made.status, 0, f"build of the project ({made.stdout[-1000:]})")
        tests = run(["ctest", "--test-dir", build, "--output-on-failure"], env)
        failed = [line.split()[2] for line in tests.stdout.splitlines()
                  if line.endswith("(Failed)")]
        expect(failed, ["leaky"] if with_memtrace else [], f"failed tests ({tests.stdout})")
        dumps = os.path.join(build, "memtrace")
        if with_memtrace:
            require("123,456" in tests.stdout, f"the reason is not said: {tests.stdout}")
            expect(sorted(os.listdir(dumps)), ["clean.bin", "leaky.bin", "peak.bin"], "dumps")
