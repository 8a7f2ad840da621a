"""Expressions of C++ that make temporary objects: GCC notes the line of the brace that closes the
function for their calls. The number of iterations is right or is not given."""
from loop_truth import check_native

HEAD = """#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>
char* volatile scratch;
struct Timer {
    long due;
    std::string what;
};
static void compute(int n) {
    scratch = (char*)std::malloc(n + 60);
    std::free(scratch);
}
"""
PROGRAMS = {
    # A deque takes a node for each 64 pointers.
    "kept": HEAD + """int main() {
    std::deque<Timer*> kept;
    for (int i = 0; i < 4000; ++i) {  //? 4000
        compute(i % 100);
        auto* t = new Timer{i + 100, std::string(50, 't')};
        kept.push_back(t);
    }
    return 0;
}
""",
    "unique": HEAD + """int main() {
    std::vector<std::unique_ptr<Timer>> kept;
    for (int i = 0; i < 3000; ++i) {  //? 3000
        compute(i % 100);
        for (int k = 0; k < 2; ++k) {  //? 6000
            kept.push_back(std::make_unique<Timer>(Timer{i, std::string(60, 'u')}));
        }
        if (kept.size() > 100) kept.clear();
    }
}
""",
    "dropped": HEAD + """int main() {
    for (int i = 0; i < 2000; ++i) {  //? 2000
        compute(i % 100);
        auto* t = new Timer{i, std::string(50, 't')};
        delete t;
    }
}
""",
    # In a function that a loop calls: its calls cannot be counted by the brace, either.
    "helper": HEAD + """static std::map<int, std::shared_ptr<Timer>> timers;
static void add(int i) {
    compute(i % 100);
    timers[i % 50] = std::make_shared<Timer>(Timer{i, std::string(70, 'x')});
    compute(i % 90);
}
int main() {
    std::deque<long> kept;
    for (int i = 0; i < 3200; ++i) {  //? 3200
        add(i);
        kept.push_back(i);
    }
}
""",
    "helper_of_helper": HEAD + """static std::vector<Timer*> timers(1);
static void make(int i) {
    delete timers[0];
    timers[0] = new Timer{i, std::string(70, 'x')};
}
static void add(int i) {
    make(i);
    make(i + 1);
}
int main() {
    std::deque<long> kept;
    for (int i = 0; i < 3200; ++i) {  //? 3200
        add(i);
        kept.push_back(i);
    }
}
""",
    "helper_that_loops": HEAD + """static std::vector<Timer*> timers(8);
static void fill(int n) {
    for (int i = 0; i < n; ++i) {  //? 4000
        delete timers[i];
        timers[i] = new Timer{i, std::string(70, 'x')};
    }
}
int main() {
    for (int i = 0; i < 500; ++i) {  //? 500
        fill(8);
        compute(i % 60);
    }
    for (int i = 0; i < 500; ++i) {  //? 500
        fill(0);
        compute(i % 60);
    }
}
""",
    # The brace has a line with a statement that takes nothing, or something.
    "brace_of_statement": HEAD + """int main() {
    std::deque<Timer*> kept;
    for (int i = 0; i < 4000; ++i) {  //? 4000
        compute(i % 100);
        auto* t = new Timer{i + 100, std::string(50, 't')};
        kept.push_back(t);
    }
    compute(9);
    return 0; }
""",
    "brace_of_call": HEAD + """static std::deque<Timer*> kept;
static size_t add(int i) {
    auto* t = new Timer{i + 100, std::string(50, 't')};
    kept.push_back(t);
    compute(9); }
int main() {
    for (int i = 0; i < 4000; ++i) {  //? 4000
        compute(i % 100);
        add(i);
    }
    return 0;
}
""".replace("static size_t add", "static void add"),
    "lambda": HEAD + """int main() {
    std::deque<Timer*> kept;
    auto add = [&](int i) {
        auto* t = new Timer{i + 100, std::string(50, 't')};
        kept.push_back(t);
    };
    for (int i = 0; i < 4000; ++i) {  //? 4000
        add(i);
        compute(i % 100);
    }
}
""",
    "method": HEAD + """struct Store {
    std::deque<Timer*> kept;
    void run() {
        for (int i = 0; i < 4000; ++i) {  //? 4000
            compute(i % 100);
            add(new Timer{i, name(i) + std::string("_of_timers_and_of_more")});
        }
    }
    void add(Timer* t) { kept.push_back(t); }
    std::string name(int i) {
        return std::string(40, 'n') + std::to_string(i);
    }
};
int main() {
    Store store;
    store.run();
}
""",
    # What a loop does in such a way elsewhere leaves other loops countable.
    "beside": HEAD + """static Timer* last() {
    return new Timer{5, std::string(80, 'l')};
}
int main() {
    for (int i = 0; i < 300; ++i) {  //* 300
        compute(i % 100);
        scratch = (char*)std::malloc(500);
    }
    delete last();
}
""",
}


def test():
    for option in ("-O0", "-O1", "-O2"):
        check_native(PROGRAMS, option)
