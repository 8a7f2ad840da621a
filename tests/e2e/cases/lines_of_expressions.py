"""Calls of an expression with temporaries are at its line, also where GCC gives them the line of
the closing brace of their function; what a function's end itself takes stays at its brace."""
import os
import shutil
import subprocess

from checks import dump_of
from harness import expect, folder, report, require, skip

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>
static std::vector<void*> kept;
static int done;
struct Timer { long due; std::string what; };
struct Guard {
    ~Guard();
};
__attribute__((noinline)) Guard::~Guard() { kept.push_back(new char[70]); }
struct Message { int id; std::string text; };

__attribute__((noinline)) void timers() {
    std::deque<Timer*> queue;                                        // timers
    for (int i = 0; i < 20; ++i) {
        free(malloc(10 + i));                                        // timers
        auto* timer = new Timer{i + 100, std::string(50, 't')};      // timers
        kept.push_back(timer);                                       // timers
        queue.push_back(timer);                                      // timers
    }
    printf("%zu\n", queue.size());                                   // timers
}
__attribute__((noinline)) void messages(std::vector<std::unique_ptr<Message>>& all) {
    for (int i = 0; i < 20; ++i) {
        if (i % 7 == 3) continue;
        all.push_back(std::make_unique<Message>(Message{i, std::string(60, 'm')}));  // messages
    }
    printf("%zu\n", all.size());
}
__attribute__((noinline)) int early(int i) {
    Guard guard;
    if (i % 2 == 0) return 1;
    kept.push_back(new char[30]);                                    // early
    return 2;
}                                                                    // early
__attribute__((noinline)) void once() {
    Guard guard;
}                                                                    // once
__attribute__((noinline)) void serve() {
    for (;;) {
        kept.push_back(new char[40]);                                // serve
        kept.push_back(new std::string(std::string(90, 's') + "x")); // serve
        if (++done == 30) exit(0);
        free(malloc(20));                                            // serve
    }
}
int main() {
    kept.reserve(1000);
    timers();
    std::vector<std::unique_ptr<Message>> all;
    all.reserve(100);
    messages(all);
    for (int i = 0; i < 10; ++i) early(i);
    once();
    serve();
}
"""
BRACE_OF_MESSAGES = 33
FUNCTIONS = ("timers", "messages", "early", "once", "serve")


def wanted():
    """The lines of each function that take memory."""
    lines = {name: set() for name in FUNCTIONS}
    for number, line in enumerate(PROGRAM.split("\n"), 1):
        name = line.rpartition("// ")[2].strip() if "// " in line else ""
        if name in lines:
            lines[name].add(number)
    return lines


def found(dump):
    lines = {name: set() for name in FUNCTIONS}
    for site in report(dump).sites:
        for frame in site["stack"]:
            name = (frame.get("function") or "").partition("(")[0]
            if name in lines:
                lines[name].add(frame["line"])
    return lines


def test():
    compiler = shutil.which("g++")
    if compiler is None:
        skip("there is no g++")
    root = folder()
    source = os.path.join(root, "expressions.cpp")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    for level in ("-O0", "-O1", "-O2"):
        program = os.path.join(root, "expressions" + level)
        subprocess.run([compiler, "-std=c++20", "-g", level, "-fno-builtin", source, "-o", program],
                       check=True)
        lines = found(dump_of(program))
        for name, right in wanted().items():
            require(lines[name], f"{level}: nothing of {name}")
            # Where inlined code is moved about, the brace stays; no line is wrong in another way.
            allowed = {BRACE_OF_MESSAGES} if (level, name) == ("-O2", "messages") else set()
            wrong = lines[name] - right - allowed
            expect(wrong, set(), f"{level}: lines of {name} that take no memory")
        brace = {name: max(right) for name, right in wanted().items()}
        for name in ("early", "once"):
            require(brace[name] in lines[name], f"{level}: the guard of {name} is not at its brace")
        require(len(lines["timers"]) >= 4 and len(lines["serve"]) == 3, f"{level}: {lines}")
