"""An installation is complete: memtrace finds its library there, and a CMake project finds
memtrace."""
import os

from harness import BUILD, built, environment, expect, folder, require, run

LISTS = """
cmake_minimum_required(VERSION 3.22)
project(example C)
enable_testing()
find_package(memtrace REQUIRED)
file(WRITE ${CMAKE_BINARY_DIR}/main.c
     "#include <memtrace/memtrace.h>\\nint main(void) { MEMTRACE_MARK(\\"here\\"); return 0; }\\n")
add_executable(marks ${CMAKE_BINARY_DIR}/main.c)
target_link_libraries(marks memtrace::memtrace)
memtrace_add_test(NAME marks COMMAND marks CHECK --max-leaked-bytes 0)
"""


def test():
    prefix, project = folder(), folder()
    made = run(["cmake", "--install", BUILD, "--prefix", prefix, "--strip"])
    expect(made.status, 0, f"cmake --install ({made.stdout[-500:]}{made.stderr[-500:]})")
    ended = run([os.path.join(prefix, "bin", "memtrace"), "run", "--report", "--",
                 built("stack_of_c")], environment([]), cwd=project)
    require(ended.status == 0 and "stack_of_c" in ended.stderr, ended.stderr)

    with open(os.path.join(project, "CMakeLists.txt"), "w") as file:
        file.write(LISTS)
    build = os.path.join(project, "build")
    for words in (["cmake", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"],
                  ["cmake", "--build", build], ["ctest", "--test-dir", build]):
        step = run(words, environment([]))
        expect(step.status, 0, f"{' '.join(words)} ({step.stdout[-1000:]}{step.stderr[-1000:]})")
    require(os.path.exists(os.path.join(build, "memtrace", "marks.bin")), "no dump of the test")
