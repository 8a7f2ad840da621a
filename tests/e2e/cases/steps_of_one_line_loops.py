"""Loops without a line of their own: on the line of their function or of another loop, in a macro,
made with a goto. They are never taken for calls of their function, so no iteration of a caller's
loop is made up."""
import shutil

from checks import check, dump_of, written
from harness import expect, reporter, require, run
from loop_truth import check_native, check_python

HEAD = """#include <cstdlib>
#include <functional>
#include <vector>
static void* slots[64];
char* volatile kept;
#define EACH(n) for (int i = 0; i < n; ++i)
#define FILL(n) EACH(n) slots[i] = std::malloc(24)
#define ONE(n) do { slots[0] = std::malloc(n); } while (0)
static void drop(int n) {
    for (int i = 0; i < n; ++i)
        std::free(slots[i]);
}
"""
REQUESTS = """int main() {
    for (int request = 0; request < 500; ++request) {  //* 500
        fill(20);
        drop(20);
        kept = (char*)std::malloc(2000);
    }
}
"""
ONLY_CALLS = REQUESTS.replace("        kept = (char*)std::malloc(2000);\n", "")
ONLY_CALLS = ONLY_CALLS.replace("//*", "//?")

MANY = """#define MANY(n, to) for (int i = 0; i < n; ++i) to[i] = std::malloc(9)
"""
FILLS = {
    "for": "static void fill(int n) { for (int i = 0; i < n; ++i) slots[i] = std::malloc(64); }\n",
    "while": "static void fill(int n) { while (n-- > 0) { slots[n] = std::malloc(64); } }\n",
    "do": "static void fill(int n) { do slots[--n] = std::malloc(64); while (n > 0); }\n",
    "nested": "static void fill(int n) {\n"
              "    for (int i = 0; i < n; i += 4) for (int k = 0; k < 4; ++k) "
              "slots[i + k] = std::malloc(24);\n}\n",
    "condition": "static void fill(int n) {\n    if (n > 0) while (n-- > 0) "
                 "slots[n] = std::malloc(9);\n}\n",
    "behind": "static void fill(int n) {\n    int i = 0; while (i < n) "
              "slots[i++] = std::malloc(9);\n}\n",
    "two": "static void none() {} static void fill(int n) { EACH(n) slots[i] = std::malloc(9); }\n",
    "macro": "static void fill(int n) { FILL(n); }\n",
    "macro_lines": "static void fill(int n) {\n    EACH(n) {\n        slots[i] = std::malloc(9);\n"
                   "        std::free(slots[i]);\n        slots[i] = std::malloc(8);\n    }\n}\n",
    "header": "static void fill(int n) { MANY(n, slots); }\n",
    "no_header": "static void fill(int n) {\n    SOME_LINES(i, n) slots[i] = std::malloc(9);\n}\n",
    "goto": "static void fill(int n) {\nagain:\n    slots[--n] = std::malloc(9);\n"
            "    if (n > 0) goto again;\n}\n",
    "lambda": "static auto fill = [](int n) { for (int i = 0; i < n; ++i) "
              "slots[i] = std::malloc(64); };\n",
    "method": "struct Table {\n"
              "    void add(int n) { for (int i = 0; i < n; ++i) slots[i] = new int(i); }\n};\n"
              "static void fill(int n) { Table().add(n); }\n",
}
OTHERS = {
    # A line of its own for the loop, and macros that do not go round, leave it countable.
    "lines": HEAD + """static void fill(int n) {
    for (int i = 0; i < n; ++i) {  //= 10000
        slots[i] = std::malloc(64);
    }
}
""" + REQUESTS,
    "no_loop": HEAD + """static void fill() { ONE(30); }
int main() {
    for (int request = 0; request < 500; ++request) {  //* 500
        fill();
        kept = (char*)slots[0];
        std::free(kept);
    }
}
""",
    "inner_lambda": HEAD + """int main() {
    auto fill = [](int n) { for (int i = 0; i < n; ++i) slots[i] = std::malloc(64); };
    for (int request = 0; request < 500; ++request) {  //? 500
        fill(20);
        drop(20);
    }
}
""",
}

PYTHON_PROGRAMS = {
    "lambda": """kept = []
fill = lambda n: [bytes(1000 + i) for i in range(n)]
def main():
    for k in range(300):  #? 300
        kept.append(fill(10))
main()
""",
    "def_line": """kept = []
def fill(n): return [bytes(1000 + i) for i in range(n)]
def main():
    for k in range(300):  #? 300
        kept.append(fill(10))
main()
""",
    "def_in_loop": """kept = []
def main():
    for k in range(300):  #* 300
        def one(n): return bytes(n + 1000)
        kept.append(one(1)); kept.append(one(2))
main()
""",
    "statements": """kept = []
def fill(n): x = bytes(3000); y = [bytes(1000) for i in range(n)]; kept.append((x, y))
def main():
    for k in range(300):  #? 300
        fill(10)
main()
""",
    "while": """kept = []
def fill(n):
    while n: kept.append(bytes(1000)); n -= 1  #? 3000
def main():
    for k in range(300):  #* 300
        fill(10)
        kept.append(bytes(500 + 1000 * k))
main()
""",
    "generator": """kept = []
def main():
    for k in range(300):  #? 300
        some = (bytes(1000 + k) for i in range(10))
        kept.append(max(some))
main()
""",
    "lambda_once": """kept = []
one = lambda n: bytes(n + 1000)
def main():
    for k in range(200):  #* 200
        kept.append(one(k))
main()
""",
}


def test():
    check_python(PYTHON_PROGRAMS)
    if shutil.which("c++") is None:
        return
    header = written("each.h", MANY)
    fills = FILLS | {"header": f'#include "{header}"\n' + FILLS["header"]}
    native = {name: HEAD + fill + REQUESTS for name, fill in fills.items()}
    native |= {name + "_alone": HEAD + fill + ONLY_CALLS for name, fill in fills.items()}
    # A lambda whose line is that of a statement is no function with lines.
    native["lambda"] = native["lambda"].replace("//*", "//?")
    for level in ("-O0", "-O2"):
        check_native(native | OTHERS, level,
                     "-DSOME_LINES(i,n)=for(int i = 0; i < n; ++i)")

    # A limit for each step holds by the 2,000 bytes that each request keeps.
    _, program = check_native({"leak": HEAD + FILLS["for"] + REQUESTS}, "-O2")
    ended = check(dump_of(program), "--max-growth-per-step", "500")
    expect(ended.status, 1, ended.stdout)
    # What cannot be told has a reason.
    _, program = check_native({"alone": HEAD + FILLS["for"] + ONLY_CALLS}, "-O2")
    told = run([reporter(), "steps", "--json", "-", dump_of(program)]).stdout
    require("has a loop without a line of its own" in told, told)
