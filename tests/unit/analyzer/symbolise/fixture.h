// SPDX-License-Identifier: Apache-2.0
//
// The loaded library of fixtures/fixture.cpp, and the return addresses of its calls.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "analyzer/model/model.h"
#include "analyzer/symbolise/elf_file.h"

namespace memtrace::analyzer {

inline const std::string fixture_folder = MEMTRACE_FIXTURES;

struct Fixture {
    Fixture() {
        module.path = fixture_folder + "/libfixture.so";
        void* library = dlopen(module.path.c_str(), RTLD_NOW);
        if (library == nullptr) throw std::runtime_error(dlerror());
        reinterpret_cast<void (*)()>(dlsym(library, "fixture_run"))();
        addresses = static_cast<void**>(dlsym(library, "fixture_addresses"));
        link_map* map = nullptr;
        dlinfo(library, RTLD_DI_LINKMAP, &map);
        module.bias = map->l_addr;
        module.build_id = ElfFile::open(module.path)->build_id();
        bare = reinterpret_cast<uint64_t>(dlsym(library, "fixture_bare"));
    }

    // Return address of a call in memory, and in the file.
    uint64_t address(int place) const { return reinterpret_cast<uint64_t>(addresses[place]); }
    uint64_t in_file(int place) const { return address(place) - module.bias; }

    ModuleInfo module;
    void** addresses = nullptr;
    uint64_t bare = 0;
};

inline const Fixture& fixture() {
    static const Fixture loaded;
    return loaded;
}

// Returns the line of the fixture's source that is marked "// line: name".
inline uint32_t line_of(const std::string& name) {
    std::ifstream source(MEMTRACE_FIXTURE_SOURCE);
    std::string line;
    for (uint32_t number = 1; std::getline(source, line); ++number) {
        if (line.ends_with("// line: " + name)) return number;
    }
    return 0;
}

// A folder that exists until the end of the test.
struct Folder {
    Folder()
        : path(std::filesystem::temp_directory_path() /
               ("memtrace-analyzer-test-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::filesystem::path path;
};

}  // namespace memtrace::analyzer
