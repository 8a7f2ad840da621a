// SPDX-License-Identifier: Apache-2.0
#include "preload/python_runtime.h"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

#include "preload/thread.h"

namespace memtrace::preload {

PythonRuntime python;
std::atomic<PythonState> python_state_word{PythonState::none};

namespace {

constexpr uint32_t wanted_stacks = 3;

std::atomic<const char*> why_off{nullptr};
std::atomic<bool> is_adopting{false};
std::atomic<uint64_t> valid_stacks[wanted_stacks];

// Other implementations that say what CPython says, and keep their frames elsewhere.
const char* refused_name(std::string_view version) {
    struct Name {
        const char* name;
        const char* why;
    };
    constexpr Name names[] = {{"PyPy", "it is PyPy, whose frames are not CPython's"},
                              {"Pyston", "it is Pyston, whose frames are not CPython's"},
                              {"Cinder", "it is Cinder, whose frames are not CPython's"},
                              {"GraalVM", "it is GraalPy, whose frames are not CPython's"}};
    for (const Name& refused : names) {
        if (version.find(refused.name) != std::string_view::npos) return refused.why;
    }
    return nullptr;
}

uint64_t find_symbol(void* library, const char* name) {
    void* const found = dlsym(library, name);
    // The loader's message must not be the program's next error. It is written when it is asked
    // for, and given back when it is asked for again.
    if (found == nullptr && dlerror() != nullptr) dlerror();
    return reinterpret_cast<uint64_t>(found);
}

void find_evaluation_loop(void* library, PythonRuntime& found) {
    const uint64_t begin = find_symbol(library, "_PyEval_EvalFrameDefault");
    Dl_info info;
    void* symbol = nullptr;
    if (begin == 0 ||
        dladdr1(reinterpret_cast<void*>(begin), &info, &symbol, RTLD_DL_SYMENT) == 0 ||
        symbol == nullptr) {
        return;
    }
    found.evaluation_begin = begin;
    found.evaluation_bytes = static_cast<const ElfW(Sym)*>(symbol)->st_size;
}

}  // namespace

const char* python_why() {
    const char* why = why_off.load(std::memory_order_acquire);
    return why == nullptr ? "" : why;
}

bool find_python(void* library) {
    if (python_state() != PythonState::none) return false;
    const InLibrary guard;  // A symbol that is not there makes dlsym() allocate.
    PythonRuntime found;
    found.this_thread_state =
        reinterpret_cast<void* (*)()>(find_symbol(library, "PyGILState_GetThisThreadState"));
    const auto get_version =
        reinterpret_cast<const char* (*)()>(find_symbol(library, "Py_GetVersion"));
    if (found.this_thread_state == nullptr || get_version == nullptr) return false;
    found.runtime = find_symbol(library, "_PyRuntime");
    found.code_type = find_symbol(library, "PyCode_Type");
    found.string_type = find_symbol(library, "PyUnicode_Type");
    found.bytes_type = find_symbol(library, "PyBytes_Type");
    find_evaluation_loop(library, found);
    return adopt_python(found, get_version());
}

bool adopt_python(const PythonRuntime& found, const char* version_text) {
    if (is_adopting.exchange(true)) return false;
    python = found;
    const std::string_view text = version_text;
    const std::string_view number = text.substr(0, text.find(' '));
    for (size_t i = 0; i < number.size() && i + 1 < sizeof python.version; ++i) {
        python.version[i] = number[i];
    }
    const char* why = refused_name(text);
    if (why == nullptr && (found.runtime == 0 || found.code_type == 0 || found.string_type == 0 ||
                           found.bytes_type == 0)) {
        why = "it does not export what its frames are found by";
    }
    // A test brings its own layout.
    if (why == nullptr && found.layout.frame_back == PythonLayout::none) {
        why = find_python_layout(parse_python_version(text),
                                 reinterpret_cast<const uint64_t*>(found.runtime), python.layout);
    }
    if (why != nullptr) {
        switch_python_off(why);
    } else {
        python_state_word.store(PythonState::validating, std::memory_order_release);
    }
    return true;
}

void switch_python_off(const char* why) {
    const char* none = nullptr;
    why_off.compare_exchange_strong(none, why);
    python_state_word.store(PythonState::off, std::memory_order_release);
}

void note_valid_python_stack(uint64_t hash) {
    hash |= 1;
    for (uint32_t i = 0; i < wanted_stacks; ++i) {
        uint64_t seen = 0;
        if (valid_stacks[i].compare_exchange_strong(seen, hash)) {
            if (i + 1 < wanted_stacks) return;
            PythonState validating = PythonState::validating;
            python_state_word.compare_exchange_strong(validating, PythonState::on);
            return;
        }
        if (seen == hash) return;
    }
}

void forget_python() {
    python_state_word.store(PythonState::none);
    why_off.store(nullptr);
    for (std::atomic<uint64_t>& place : valid_stacks) place.store(0);
    is_adopting.store(false);
    python = {};
}

}  // namespace memtrace::preload
