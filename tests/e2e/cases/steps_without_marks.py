"""Steps are found without marks: in programs whose number of steps is known, `steps` gives that
number or none, and never another one. Ranges count them."""
import json
import os
import shutil
import subprocess

from checks import dump_of
from harness import PYTHON, expect, folder, report, reporter, require, run

# The program, and by line of a loop its iterations; None: they cannot be told apart.
PROGRAMS = {
    "one_call": ("""
def work(i):
    return bytearray(5000 + i)
kept = []
def main():
    for i in range(137):
        kept.append(work(i))
main()
""", {6: 137}),
    "top_level": ("""
kept = []
for i in range(500):
    kept.append(bytearray(2000))
""", {3: 500}),
    "epochs": ("""
def load(i): return bytearray(3000)
def step(x):
    y = bytearray(10000)
    z = bytearray(20000)
    return len(y) + len(z)
def main():
    for epoch in range(3):
        data = [bytearray(600) for _ in range(50)]
        for i in range(40):
            x = load(i)
            step(x)
main()
""", {8: 3, 10: 120}),
    "generator": ("""
def rows(n):
    for i in range(n):
        yield bytearray(2000)
def main():
    total = 0
    for row in rows(300):
        total += len(row)
        other = bytearray(900)
main()
""", {7: 300}),
    "recursion": ("""
def walk(depth):
    x = bytearray(1000)
    if depth: walk(depth - 1); walk(depth - 1)
    return len(x)
def main():
    for i in range(50):
        walk(3)
        y = bytearray(5000)
main()
""", {7: 50}),
    "while_loop": ("""
q = [i for i in range(77)]
def take(): return bytearray(2500)
def main():
    while q:
        q.pop()
        x = take()
        y = bytearray(len(x) * 2)
main()
""", {5: 77}),
    "coroutine": ("""
import asyncio
async def handle(i):
    x = bytearray(3000)
    await asyncio.sleep(0)
    y = bytearray(2000)
    return len(x) + len(y)
async def main():
    for i in range(90):
        await handle(i)
        z = bytearray(1500)
asyncio.run(main())
""", {9: 90}),
    "pool": ("""
from concurrent.futures import ThreadPoolExecutor
def job(i):
    x = bytearray(4000)
    for k in range(5):
        y = bytearray(3000)
        z = bytearray(1000)
    return len(x)
with ThreadPoolExecutor(1) as pool:
    for i in range(60):
        pool.submit(job, i)
""", {5: 300}),
    "conditions": ("""
def a(): return bytearray(3000)
def b(): return bytearray(4000)
def main():
    for i in range(120):
        if i % 2:
            x = a()
        if i % 2 == 0:
            y = b()
main()
""", {5: None}),
    "native_loop": ("""
def f(i): return len(bytearray(3000))
def main():
    s = 0
    for i in range(40):
        s += sum(map(f, range(7)))
main()
""", {5: None}),
}
NATIVE = """#include <cstdlib>
#include <string>
#include <vector>
static std::vector<char*> kept;
static inline void step(int i) {
    std::vector<int> v(100 + i);
    std::string s(200, 'x');
    kept.push_back(static_cast<char*>(malloc(100)));
    if (v[0] == 7 || s[0] == 'y') abort();
}
int main() {
    for (int i = 0; i < 321; ++i) {
        step(i);
    }
    for (int e = 0; e < 4; ++e) {
        char* volatile p = new char[1000];
        for (int i = 0; i < 25; ++i) {
            char* volatile q = new char[500];
            delete[] q;
        }
        delete[] p;
    }
}
"""


def loops_of(dump, file):
    ended = run([reporter(), "steps", "--json", "-", dump])
    expect(ended.status, 0, ended.stderr)
    document = json.loads(ended.stdout)
    return {loop["loop"]["line"]: loop for loop in document["steps"]
            if loop["loop"]["file"] == file}


def check_counts(name, dump, file, wanted):
    loops = loops_of(dump, file)
    for line, count in wanted.items():
        found = loops.get(line)
        expect(found and found["count"], count, f"{name}: iterations of line {line}: {loops}")
    return loops


def allocations(dump, *options):
    return report(dump, "sites", options).host["allocations"]


def check_ranges(dump):
    """A step of loop.cpp:12 makes three allocations, and the vector grows at powers of two."""
    expect(allocations(dump, "--phase", "step 100..119"), 60, "20 steps")
    expect(allocations(dump, "--from", "step 64", "--to", "step 65"), 7, "one step lets it grow")
    expect(allocations(dump, "--phase", "step 321..321"), 3, "the last step")
    expect(allocations(dump, "--from", "step 1"), 321 * 3 + 10 + 104, "all behind the first step")
    ended = run([reporter(), "peak", "--from", "step 322", dump])
    require("the recording has 321 steps of loop.cpp:12" in ended.stderr, ended.stderr)


def test():
    for name, (source, wanted) in PROGRAMS.items():
        file = os.path.join(folder(), name + ".py")
        with open(file, "w", encoding="utf-8") as out:
            out.write(source)
        loops = check_counts(name, dump_of([PYTHON, file]), file, wanted)
        if name == "epochs":
            require(loops[10]["is_step"], "three epochs are too few to judge by")
            expect(loops[10]["parent"] is None, False, "the inner loop has a parent")

    compiler = shutil.which("c++")
    if compiler is not None:
        file = os.path.join(folder(), "loop.cpp")
        program = os.path.join(folder(), "loop")
        with open(file, "w", encoding="utf-8") as out:
            out.write(NATIVE)
        subprocess.run([compiler, "-O2", "-g", file, "-o", program], check=True)
        dump = dump_of(program)
        check_counts("loop.cpp", dump, file, {12: 321, 15: 4, 17: 100})
        text = run([reporter(), "steps", dump]).stdout
        require("321 steps of loop.cpp:12" in text, text)
        check_ranges(dump)
        os.utime(file)
        text = run([reporter(), "steps", dump]).stdout
        require("loop.cpp was changed since the recording" in " ".join(text.split()), text)
