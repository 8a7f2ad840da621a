// SPDX-License-Identifier: Apache-2.0
//
// A program that loads an interpreter locally, as PyInstaller's programs and plugins do, and starts
// and ends it three times: embed LIBPYTHON LIBPYWALK. Python code passes the depth of its stack to
// an audit hook.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Hook = int (*)(const char* event, void* arguments, void* data);

uint64_t (*walk)(int64_t* out, uint64_t frames_max);
int64_t buffer[2 + 3 * 64];
int hooks_called;
int failures;

void expect(bool is_true, const char* otherwise, int64_t found) {
    if (is_true) return;
    std::fprintf(stderr, "embed: %s: %ld\n", otherwise, static_cast<long>(found));
    ++failures;
}

int hook(const char* event, void*, void*) {
    constexpr const char* prefix = "pywalk.";
    if (std::strncmp(event, prefix, std::strlen(prefix)) != 0) return 0;
    ++hooks_called;
    const int wanted = std::atoi(event + std::strlen(prefix));
    walk(buffer, 64);
    expect(buffer[0] == 0, "not ok", buffer[0]);
    expect(buffer[1] == wanted, "another depth", buffer[1]);
    return 0;
}

template <class Function>
Function symbol(void* library, const char* name) {
    void* const found = dlsym(library, name);
    if (found == nullptr) {
        std::fprintf(stderr, "embed: there is no %s\n", name);
        std::exit(2);
    }
    return reinterpret_cast<Function>(found);
}

constexpr const char* program =
    "import sys\n"
    "def down(left, depth):\n"
    "    sys.audit('pywalk.%d' % depth)\n"
    "    if left: list(map(lambda n: down(left - 1, depth + 2), [1]))\n"
    "for _ in range(20): down(9, 2)\n";

}  // namespace

int main(int, char** arguments) {
    void* const python = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    void* const library = dlopen(arguments[2], RTLD_NOW);
    if (python == nullptr || library == nullptr) {
        std::fprintf(stderr, "embed: %s\n", dlerror());
        return 2;
    }
    walk = symbol<decltype(walk)>(library, "pywalk_walk");
    expect(symbol<int (*)(int)>(library, "pywalk_start")(0) == 0, "found what nobody can see", 0);
    const int state = symbol<int (*)(void*)>(library, "pywalk_start_in")(python);
    expect(state == 1, "not found", state);
    walk(buffer, 64);
    expect(buffer[0] == 3, "a stack before the start", buffer[0]);
    for (int round = 0; round < 3; ++round) {
        symbol<void (*)(int)>(python, "Py_InitializeEx")(0);
        symbol<int (*)(Hook, void*)>(python, "PySys_AddAuditHook")(hook, nullptr);
        walk(buffer, 64);
        expect(buffer[0] == 4, "a stack outside of Python", buffer[0]);
        const int result = symbol<int (*)(const char*, void*)>(python, "PyRun_SimpleStringFlags")(
            program, nullptr);
        expect(result == 0, "the program failed", result);
        symbol<int (*)()>(python, "Py_FinalizeEx")();
        walk(buffer, 64);
        expect(buffer[0] == 3, "a stack after the end", buffer[0]);
    }
    expect(hooks_called == 3 * 20 * 10, "calls", hooks_called);
    const auto problems = symbol<uint64_t (*)()>(library, "pywalk_problems")();
    expect(problems == 0, symbol<const char* (*)()>(library, "pywalk_last_problem")(),
           static_cast<int64_t>(problems));
    return failures == 0 ? 0 : 1;
}
