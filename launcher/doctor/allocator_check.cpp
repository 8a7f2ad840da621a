// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/allocator_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analyzer/base/paths.h"

namespace memtrace::launcher {
namespace {

using analyzer::base_name;

struct Known {
    std::string_view word;  // a function, or a part of a file's name
    std::string_view name;
};

constexpr Known entries[] = {
#define MEMTRACE_OWN_ALLOCATOR(symbol, name) {#symbol, name},
#include "memtrace/dump/own_allocators.def"
};

constexpr Known sanitizer_entries[] = {
    {"__asan_init", "AddressSanitizer"}, {"__tsan_init", "ThreadSanitizer"},
    {"__msan_init", "MemorySanitizer"},  {"__hwasan_init", "HWAddressSanitizer"},
    {"__lsan_init", "LeakSanitizer"},
};

// For libraries that are known by their names alone.
constexpr Known files[] = {
    {"jemalloc", "jemalloc"}, {"tcmalloc", "tcmalloc"},
    {"mimalloc", "mimalloc"}, {"tbbmalloc", "TBB malloc"},
    {"snmalloc", "snmalloc"}, {"rpmalloc", "rpmalloc"},
    {"hoard", "Hoard"},       {"libc_malloc_debug", "glibc's malloc with its checks"},
    {"scudo", "Scudo"},
};

template <size_t n>
std::string_view name_by_entries(const LoadedObject& object, const Known (&known)[n]) {
    for (const Known& one : known) {
        const auto& has = object.entries;
        if (std::find(has.begin(), has.end(), one.word) != has.end()) return one.name;
    }
    return {};
}

std::string_view allocator_of(const LoadedObject& object) {
    const std::string_view name = name_by_entries(object, entries);
    if (!name.empty()) return name;
    const std::string file = base_name(object.path);
    for (const Known& one : files) {
        if (file.find(one.word) != file.npos) return one.name;
    }
    return {};
}

bool is_recorder(const LoadedObject& object) {
    return base_name(object.path).starts_with("libmemtrace.so");
}

bool is_of_libc(const LoadedObject& object) {
    const std::string file = base_name(object.path);
    return file.starts_with("libc.so") || file.starts_with("libc-2") ||
           file.starts_with("ld-linux") || file.starts_with("ld-2");
}

Finding judge_sanitizer(std::string_view name, const LoadedObject& object, bool is_program) {
    const std::string advice = "Record a build without the sanitizer.";
    if (name == "ThreadSanitizer") {
        return {"allocator", State::no,
                fmt::format("{} has {}, beside which memtrace cannot work: the program runs "
                            "unrecorded",
                            object.path, name),
                advice};
    }
    if (!is_program) {
        return {"allocator", State::no,
                fmt::format("{} is {}, which ends a program at its start if another library "
                            "stands in front of it",
                            object.path, name),
                advice};
    }
    return {"allocator", State::limited,
            fmt::format("{} has {}, whose allocator stands in front of memtrace: what the program "
                        "allocates is not recorded",
                        object.path, name),
            advice};
}

Finding judge_malloc(const LoadedObject& object, bool is_program) {
    const std::string_view known = allocator_of(object);
    if (is_program) {
        return {"allocator", State::limited,
                fmt::format("{} defines malloc itself{}, in front of memtrace: blocks that come "
                            "from there are not recorded, only what it maps",
                            object.path, known.empty() ? "" : fmt::format(" ({})", known)),
                "Record a build that uses glibc's malloc, or the allocator as a shared library."};
    }
    return {
        "allocator", State::ok,
        fmt::format("{} ({}): its calls are recorded, because memtrace stands in front of it",
                    known.empty() ? "a malloc that memtrace knows no name of" : known, object.path),
        ""};
}

Finding judge_entries(const LoadedObject& object) {
    return {"allocator", State::limited,
            fmt::format("{} contains {}: blocks that its own functions ({}) hand out are not "
                        "recorded",
                        object.path, name_by_entries(object, entries), object.entries.front()),
            ""};
}

void add_allocators(const LoadedObjects& loaded, Findings& findings) {
    const LoadedObject* const program = loaded.objects.empty() ? nullptr : &loaded.objects.front();
    bool is_settled = false;  // Somebody's malloc was met: no later one is called.
    for (const LoadedObject& object : loaded.objects) {
        const bool is_program = &object == program;
        const std::string_view sanitizer = name_by_entries(object, sanitizer_entries);
        if (is_of_libc(object) || is_recorder(object)) {
            is_settled |= object.has_malloc && !is_recorder(object);
        } else if (!sanitizer.empty()) {
            findings.push_back(judge_sanitizer(sanitizer, object, is_program));
            is_settled = true;
        } else if (object.has_malloc && !is_settled) {
            findings.push_back(judge_malloc(object, is_program));
            is_settled = true;
        } else if (!name_by_entries(object, entries).empty()) {
            findings.push_back(judge_entries(object));
        }
    }
}

}  // namespace

std::vector<std::string> entries_of_allocators() {
    std::vector<std::string> all;
    for (const Known& one : entries) all.emplace_back(one.word);
    for (const Known& one : sanitizer_entries) all.emplace_back(one.word);
    return all;
}

Findings judge_allocators(const LoadedObjects& loaded, std::string_view python_malloc) {
    Findings findings;
    add_allocators(loaded, findings);
    if (findings.empty()) {
        findings.push_back({"allocator", State::ok,
                            "glibc's malloc; another one inside a program is named in the report",
                            ""});
    }
    if (!python_malloc.empty() && !python_malloc.starts_with("pymalloc")) {
        findings.push_back({"allocator", State::ok,
                            fmt::format("PYTHONMALLOC={}: Python's small objects are malloc's, "
                                        "each one is recorded, and that takes longer",
                                        python_malloc),
                            ""});
    }
    return findings;
}

}  // namespace memtrace::launcher
