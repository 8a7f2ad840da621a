// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_runtime.h"

#include <dlfcn.h>

#include <string_view>

#include "preload/base/hot_data.h"
#include "preload/loader/dynamic_symbols.h"
#include "preload/loader/loader_call.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA PythonRuntime python;
MEMTRACE_HOT_DATA std::atomic<PythonState> python_state_word{PythonState::none};

namespace {

constexpr uint32_t wanted_stacks = 3;

std::atomic<const char*> why_off{nullptr};
std::atomic<bool> is_adopting{false};
std::atomic<uint64_t> valid_stacks[wanted_stacks];

constexpr const char* pypy_why = "it is PyPy, whose frames are not CPython's";

// Other implementations that report a version like CPython's, but keep their frames elsewhere.
const char* refused_name(std::string_view version) {
    struct Name {
        const char* name;
        const char* why;
    };
    constexpr Name names[] = {{"PyPy", pypy_why},
                              {"Pyston", "it is Pyston, whose frames are not CPython's"},
                              {"Cinder", "it is Cinder, whose frames are not CPython's"},
                              {"GraalVM", "it is GraalPy, whose frames are not CPython's"}};
    for (const Name& refused : names) {
        if (version.find(refused.name) != std::string_view::npos) return refused.why;
    }
    return nullptr;
}

// Searches for names through the loader, in a library or in the global scope.
class LoaderSearch {
public:
    explicit LoaderSearch(void* library) : library_(library) {}

    uint64_t find(const char* name) const {
        return reinterpret_cast<uint64_t>(dlsym(library_, name));
    }

    uint64_t size_of(const char*, uint64_t address) const {
        Dl_info info;
        void* symbol = nullptr;
        if (address == 0 || symbol_at(address, info, symbol) == 0 || symbol == nullptr) return 0;
        return static_cast<const ElfW(Sym)*>(symbol)->st_size;
    }

private:
    static int symbol_at(uint64_t address, Dl_info& info, void*& symbol) {
        return dladdr1(reinterpret_cast<void*>(address), &info, &symbol, RTLD_DL_SYMENT);
    }

    void* library_;
};

// Searches one object by its own tables.
class ObjectSearch {
public:
    explicit ObjectSearch(const dl_phdr_info& object) : symbols_(object) {}

    uint64_t find(const char* name) const {
        return reinterpret_cast<uint64_t>(symbols_.find(name));
    }

    uint64_t size_of(const char* name, uint64_t address) const {
        return address == 0 ? 0 : symbols_.find_symbol(name)->st_size;
    }

private:
    DynamicSymbols symbols_;
};

template <class Function, class Search>
void find_function(const Search& search, const char* name, Function& function) {
    function = reinterpret_cast<Function>(search.find(name));
}

template <class Search>
void find_allocators(const Search& search, PythonRuntime& found) {
    find_function(search, "PyObject_GetArenaAllocator", found.get_arena_allocator);
    find_function(search, "PyMem_GetAllocator", found.get_allocator);
    find_function(search, "PyMem_SetAllocator", found.set_allocator);
    find_function(search, "PyObject_Malloc", found.object_malloc);
    find_function(search, "PyObject_Free", found.object_free);
    find_function(search, "PyMem_Malloc", found.mem_malloc);
    find_function(search, "PyMem_Free", found.mem_free);
}

template <class Search>
bool find_python_by(const Search& search) {
    PythonRuntime found;
    found.this_thread_state =
        reinterpret_cast<void* (*)()>(search.find("PyGILState_GetThisThreadState"));
    const auto get_version = reinterpret_cast<const char* (*)()>(search.find("Py_GetVersion"));
    if (found.this_thread_state == nullptr || get_version == nullptr) {
        if (search.find("pypy_execute_source") == 0 || is_adopting.exchange(true)) return false;
        switch_python_off(pypy_why);
        return true;
    }
    find_allocators(search, found);
    found.runtime = search.find("_PyRuntime");
    found.code_type = search.find("PyCode_Type");
    found.string_type = search.find("PyUnicode_Type");
    found.bytes_type = search.find("PyBytes_Type");
    constexpr const char* loop = "_PyEval_EvalFrameDefault";
    const uint64_t evaluation = search.find(loop);
    found.evaluation_bytes = search.size_of(loop, evaluation);
    found.evaluation_begin = found.evaluation_bytes == 0 ? 0 : evaluation;
    return adopt_python(found, get_version());
}

}  // namespace

const char* python_why() {
    const char* why = why_off.load(std::memory_order_acquire);
    return why == nullptr ? "" : why;
}

bool find_python(void* library) {
    if (python_state() != PythonState::none) return false;
    const LoaderCall call;
    return find_python_by(LoaderSearch(library));
}

bool find_python_in(const dl_phdr_info& object) {
    return python_state() == PythonState::none && find_python_by(ObjectSearch(object));
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
