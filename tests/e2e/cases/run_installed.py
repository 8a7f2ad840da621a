"""An installation is complete, wherever it is moved: memtrace finds its library there, CMake and
pkg-config find memtrace, and man pages and completions are in their places."""
import gzip
import os
import shutil

from harness import BUILD, built, environment, expect, folder, require, run

LISTS = """
cmake_minimum_required(VERSION 3.22)
project(example C)
enable_testing()
find_package(memtrace 0.1 REQUIRED)
file(WRITE ${CMAKE_BINARY_DIR}/main.c
     "#include <memtrace/memtrace.h>\\nint main(void) { MEMTRACE_MARK(\\"here\\"); return 0; }\\n")
add_executable(marks ${CMAKE_BINARY_DIR}/main.c)
target_link_libraries(marks memtrace::memtrace)
memtrace_add_test(NAME marks COMMAND marks CHECK --max-leaked-bytes 0)
"""


DOCUMENTS = ["share/man/man1/NAME.1.gz", "share/bash-completion/completions/NAME",
             "share/fish/vendor_completions.d/NAME.fish"]


def install(prefix, *words):
    made = run(["cmake", "--install", BUILD, "--prefix", prefix, "--strip", *words])
    expect(made.status, 0, f"cmake --install ({made.stdout[-500:]}{made.stderr[-500:]})")
    return prefix


def files_of(prefix):
    return sorted(os.path.relpath(os.path.join(place, name), prefix)
                  for place, _, names in os.walk(prefix) for name in names)


def check_components():
    """Development files alone are the header and what finds it."""
    found = files_of(install(folder(), "--component", "development"))
    wanted = ["include/memtrace/memtrace.h", "lib/cmake/memtrace/MemtraceTest.cmake",
              "lib/cmake/memtrace/memtraceConfig.cmake",
              "lib/cmake/memtrace/memtraceConfigVersion.cmake", "share/pkgconfig/memtrace.pc"]
    expect(found, wanted, "development files")


def check_documents(prefix):
    for name in ("memtrace", "memtrace-report"):
        for path in DOCUMENTS:
            require(os.path.exists(os.path.join(prefix, path.replace("NAME", name))), path)
    with gzip.open(os.path.join(prefix, "share/man/man1/memtrace.1.gz"), "rt") as page:
        require(page.read().startswith(".TH MEMTRACE 1"), "the man page")


def check_pkg_config(prefix):
    if not shutil.which("pkg-config"):
        return
    place = os.path.join(prefix, "share", "pkgconfig")
    flags = run(["pkg-config", "--cflags", "memtrace"], environment([], {"PKG_CONFIG_PATH": place}))
    require(os.path.exists(os.path.join(flags.stdout.strip()[2:], "memtrace", "memtrace.h")),
            f"pkg-config: {flags.stdout}{flags.stderr}")


def test():
    check_components()
    prefix, project = os.path.join(folder(), "moved"), folder()
    os.rename(install(folder()), prefix)
    check_documents(prefix)
    check_pkg_config(prefix)
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
