"""diff of a C++ program that was built again in another folder: nothing is new or gone but what the
edit added, although addresses, folders, lines and the numbers of lambdas are others. Two different
programs are said to be different."""
import os
import shutil
import subprocess

from diffs import check_sums, diff, diff_json
from harness import expect, folder, require, trace

SOURCE = r"""
#include <cstdlib>
#include <string>
#include <vector>

static std::vector<char*> kept;

[[gnu::noinline]] void keep(size_t size) { kept.push_back(static_cast<char*>(std::malloc(size))); }

[[gnu::noinline]] int recurse(int depth) {
    if (depth == 0) {
        keep(777);
        return 1;
    }
    return recurse(depth - 1) + 1;
}

[[gnu::noinline]] void run() {
    //EDIT
    auto fill = [](int count) {
        for (int i = 0; i < count; ++i) keep(1000);
    };
    fill(20);
    std::string text(5000, 'x');
    kept.push_back(text.data());
    kept.pop_back();
}

int main() {
    run();
    return recurse(DEPTH) == 0;
}
"""
EDIT = """
    auto first = [](int count) {
        for (int i = 0; i < count; ++i) keep(4096);
    };
    first(10);
"""


def build(name, source, depth):
    """Builds the program in a folder of its own. Returns the path of the program."""
    cwd = os.path.join(folder(), name, "src")
    os.makedirs(cwd)
    with open(os.path.join(cwd, "program.cpp"), "w") as file:
        file.write(source)
    subprocess.run(["g++", "-g", "-O1", f"-DDEPTH={depth}", "-o", "program", "program.cpp"],
                   cwd=cwd, check=True)
    return os.path.join(cwd, "program")


def recorded(program, place, name):
    return shutil.copy(trace([program]).dumps[0], os.path.join(place, name))


def test():
    place = folder()
    first = recorded(build("first", SOURCE, 5), place, "first.bin")
    again = recorded(build("again/deeper", SOURCE, 9), place, "again.bin")
    edited = recorded(build("edited", SOURCE.replace("//EDIT", EDIT), 5), place, "edited.bin")
    same = diff_json(first, again)
    host = [row for row in same["own_lines"] if row["space"] == "host"]
    expect([row["status"] for row in host], ["same"] * len(host), "lines of the second build")
    expect(same["spaces"]["host"]["change"]["at_peak_bytes"], 0, "the peak")
    changed = diff_json(first, edited)
    check_sums(changed, first, edited)
    lines = [row for row in changed["own_lines"] if row["space"] == "host"]
    sites = [row for row in changed["sites"] if row["space"] == "host"]
    require(not any(row["status"] == "gone" for row in lines + sites), "nothing is gone")
    grown = changed["spaces"]["host"]["change"]["allocated_bytes"]
    require(grown >= 40960, f"the edit allocates 40,960 bytes and some of the vector: {grown}")
    expect(sum((row["after"] or {}).get("allocated_bytes", 0) -
               (row["before"] or {}).get("allocated_bytes", 0) for row in lines), grown, "lines")
    text = diff(first, edited)
    require("Peak of host: +" in text and "keep" in text, text)
    other = shutil.copy(build("x", SOURCE, 5), os.path.join(place, "other"))
    other = diff_json(first, recorded(other, place, "other.bin"))
    expect(other["same_program"], False, "another program")
    expect((other["before"]["program"], other["after"]["program"]), ("program", "other"), "names")
